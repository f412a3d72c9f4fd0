// Reads traces of record.Report.Save with Chrome's own trace viewer, which is a part of Go's sources, in headless Chromium.
// It ends with an error if the viewer warns, or if the viewer has not what is in the file:
// node --experimental-websocket scripts/trace-test.mjs GOROOT DIR
// DIR has the traces (.trace.json). GOROOT is that of go env.
import { readFileSync, readdirSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { open, poll } from "./chromium.mjs"

const [goroot, dir] = process.argv.slice(2)
const viewer = join(goroot, "src/internal/trace/traceviewer/static")
const page = `<!DOCTYPE html><script src="/webcomponents.min.js"></script>
<script>addEventListener("WebComponentsReady", () => { window.ready = true })</script>
<link rel="import" href="/trace_viewer_full.html">`
const server = createServer((request, answer) => {
	const html = request.url.endsWith(".html") || request.url === "/"
	answer.setHeader("Content-Type", html ? "text/html" : "text/javascript")
	try {
		answer.end(request.url === "/" ? page : readFileSync(join(viewer, request.url)))
	} catch {
		answer.writeHead(404).end()
	}
}).listen(0, "localhost")
await new Promise(done => server.on("listening", done))

// found returns what the viewer makes of a trace.
const found = text => `(() => {
	const model = new tr.Model()
	new tr.importer.Import(model).importTraces([${JSON.stringify(text)}])
	const threads = [...model.getAllThreads()]
	return {
		warnings: model.importWarnings.map(w => w.message),
		spans: Object.fromEntries(threads.map(t => [t.name, t.sliceGroup.slices.filter(s => s.duration > 0).length])),
		arrows: model.flowEvents.length,
		async: threads.reduce((n, t) => n + t.asyncSliceGroup.length, 0),
		counters: Object.values(model.processes).flatMap(p => Object.keys(p.counters)).length,
	}
})()`

// wanted returns what is in the trace.
function wanted(text) {
	const events = JSON.parse(text).traceEvents
	const count = look => events.filter(look).length
	const names = events.filter(e => e.name === "thread_name")
	return {
		warnings: [],
		spans: Object.fromEntries(names.map(n => [n.args.name, count(e => e.ph === "X" && e.tid === n.tid && e.dur > 0)])),
		arrows: count(e => e.ph === "t" || e.ph === "f"),
		async: count(e => e.ph === "b"),
		counters: new Set(events.filter(e => e.ph === "C").map(e => e.name)).size,
	}
}

const traces = readdirSync(dir).filter(name => name.endsWith(".trace.json"))
if (!traces.length) throw new Error(`${dir} has no trace`)
const browser = await open({ width: 800, height: 600 })
try {
	await browser.go(`http://localhost:${server.address().port}/`)
	if (!await poll(60, () => browser.run("window.ready && window.tr && !!tr.Model"))) throw new Error("the viewer does not load")
	for (const name of traces) {
		const text = readFileSync(join(dir, name), "utf8")
		const [got, want] = [await browser.run(found(text)), wanted(text)]
		const sorted = x => JSON.stringify({ ...x, spans: Object.entries(x.spans).filter(([, n]) => n > 0).sort() })
		if (sorted(got) !== sorted(want)) throw new Error(`${name}: the viewer has ${sorted(got)}, the file ${sorted(want)}`)
	}
	console.log(`trace: ${traces.length} read, ok`)
} finally {
	await browser.close()
	server.close()
}
