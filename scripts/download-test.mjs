// Has a game in headless Chromium download 20 files that take 200 ms each, and ends with an error if a frame is late
// meanwhile: node --experimental-websocket scripts/download-test.mjs PROGRAM DIR
// PROGRAM is that of scripts/downloadpage, which serves DIR. The files are small, then pictures that are decoded in
// pieces, and then pictures that are decoded as a whole. The last are not judged: such a decode is longer than a frame.
import { spawn } from "node:child_process"
import { availableParallelism, loadavg } from "node:os"
import { check, Lost, open, poll } from "./chromium.mjs"

const [program, dir] = process.argv.slice(2)
const child = spawn(program, [dir], { stdio: ["ignore", "pipe", "inherit"] })
process.on("exit", () => child.kill())
const url = await new Promise((done, fail) => {
	let out = ""
	child.stdout.on("data", d => {
		const found = /at (http:\S+)/.exec(out += d)
		if (found) done(found[1])
	})
	child.on("error", fail)
	child.on("exit", code => fail(new Error(`${program} ended with ${code}`)))
})

// visit returns the figures of the phases.
async function visit() {
	const faults = []
	const page = await open({ width: 640, height: 360, onEvent: e => {
		if (e.method === "Runtime.exceptionThrown") faults.push(JSON.stringify(e.params.exceptionDetails))
		if (e.method === "Runtime.consoleAPICalled") faults.push(e.params.args.map(a => a.value).join(" ")) // a panic
	} })
	try {
		await page.go(url)
		const got = await poll(120, () => page.run("globalThis.figures"))
		check(!faults.length, `the page reports ${faults.join("; ")}`)
		check(got, "the page has no figures after two minutes")
		return got
	} finally {
		await page.close()
	}
}

const line = f => `  ${f.name}: longest interval ${f.longest.toFixed(1)} ms, p99 ${f.p99.toFixed(1)} ms, ` +
	`${f.missed} of ${f.refreshes} refreshes missed, slices of ${f.slice.toFixed(1)} ms` + (f.loaded === undefined ? "" :
		`; ${f.loaded} loaded in ${(f.took / 1000).toFixed(2)} s`) + (f.name === "whole" ?
		`; a decode takes ${f.least.toFixed(1)} ms at least, ${f.median.toFixed(1)} ms in the median` : "")

// A phase is judged by the control before it, which computes in the slices and loads nothing. So the noise of a busy
// machine counts for both. It may come and go between the two, so the best of three visits counts. On a machine with
// more to do than it has processors, decodes in pieces must at least make fewer late frames than whole ones.
const share = f => f.missed / f.refreshes
let better = false
for (let again = 3; ;) {
	let all
	try {
		all = await visit()
	} catch (e) {
		if (!(e instanceof Lost) || !--again) throw e
		continue
	}
	console.log(all.map(line).join("\n"))
	const short = all.find(f => "loaded" in f && f.loaded !== 20)
	check(!short, `${short?.name}: ${short?.loaded} of 20 files have been loaded`)
	const late = all.filter((f, i) => ["small", "pieces"].includes(f.name) &&
		f.longest > Math.max(2 * f.interval, all[i - 1].longest + f.interval) + 1)
	if (!late.length) break
	const [pieces, whole] = all.slice(-2)
	better ||= share(pieces) < share(whole)
	const fault = `late frames with ${late.map(f => f.name).join(" and ")}`
	if (--again) {
		console.log(`  once more: ${fault}`)
		continue
	}
	check(better && loadavg()[0] > availableParallelism(), fault)
	console.log(`  the machine is too busy for more: ${fault}`)
	break
}
console.log("downloads: ok")
process.exit()
