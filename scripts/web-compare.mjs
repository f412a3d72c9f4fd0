// Compares the modes of the demo in headless Chromium, in turns, at two sizes, and prints the demo's tables, what the
// page itself saw of its animation frames, and a verdict:
// node --experimental-websocket scripts/web-compare.mjs PROGRAM DIR [DURATION [WIDTHxHEIGHT...]]
// PROGRAM is that of demo/web, which builds the page into DIR and serves it; or DIR is "" and PROGRAM the address of one.
//
// What must hold: frameslice misses at most 3 points more of the frames than idle, and runs at least half of the jobs
// of the naive way that runs the most.
import { open, poll, serve } from "./chromium.mjs"
import { figures as animation, intervals, line, watch } from "./frames.mjs"

const [program, dir, duration = "50s", ...sizes] = process.argv.slice(2)
const modes = process.env.MODES ?? "idle,inline,inline-budget,goroutines,workers,errgroup,frameslice"

// figures reads the demo's table: of each mode the share of missed frames in percent, and the jobs a second.
function figures(text) {
	const of = {}
	let inside = false
	for (const line of text.split("\n")) {
		const cells = line.trim().split(/\s+/) // mode, load, FPS, missed, p99, p99.9, worst, jobs/s
		if (cells[0] === "mode") inside = true
		else if (!/^  \S/.test(line)) inside = false
		else if (inside) of[cells[0]] = { missed: Number(cells[3]), jobs: Number(cells[7]) }
	}
	return of
}

let failed = false
const server = dir ? await serve(program, dir) : { url: program, end() {} }
for (const size of sizes.length ? sizes : ["320x180", "400x225"]) {
	const [width, height] = size.split("x").map(Number)
	const lines = []
	const page = await open({ width, height, onEvent: e => {
		if (e.method === "Runtime.consoleAPICalled") lines.push(e.params.args.map(a => a.value ?? a.description).join(" "))
	} })
	try {
		await page.go(`${server.url}?-compare&-modes&${modes}&-duration&${duration}`)
		await watch(page)
		const done = await poll(600, () => lines.some(l => /jobs\/s/.test(l)))
		const text = lines.join("\n")
		console.log(`== ${size}\n${text}`)
		if (!done) throw new Error("no table after ten minutes")
		for (const [mode, ms] of Object.entries(await intervals(page))) console.log(line("  " + mode, animation(ms)))
		const of = figures(text), ours = of.frameslice
		const best = Math.max(...Object.keys(of).filter(m => m !== "idle" && m !== "frameslice").map(m => of[m].jobs))
		const ok = ours.missed <= of.idle.missed + 3 && ours.jobs >= best / 2
		failed ||= !ok
		console.log(`${ok ? "ok  " : "MISS"}  ${size}: frameslice missed ${ours.missed} % of the frames, idle ${of.idle.missed} %; ` +
			`it finished ${ours.jobs} jobs a second, the best naive way ${best}`)
	} finally {
		await page.close()
	}
}
server.end()
process.exit(failed ? 1 : 0)
