// Compares the modes of the demo in headless Chromium, in turns, at two sizes, and prints the demo's tables and a
// verdict: node --experimental-websocket scripts/web-compare.mjs URL [DURATION [WIDTHxHEIGHT...]]
//
// What must hold: frameslice misses at most 3 points more of the frames than idle, and runs at least half of the jobs
// of the naive way that runs the most.
import { open, poll } from "./chromium.mjs"

const [url, duration = "60s", ...sizes] = process.argv.slice(2)
const modes = process.env.MODES ?? "idle,inline,inline-budget,goroutines,workers,errgroup,frameslice"
let bad = 0
for (const size of sizes.length ? sizes : ["320x180", "400x225"]) {
	const [width, height] = size.split("x").map(Number)
	const lines = []
	const page = await open({ width, height, onEvent: e => {
		if (e.method === "Runtime.consoleAPICalled") lines.push(e.params.args.map(a => a.value ?? a.description).join(" "))
	} })
	try {
		const flags = [process.env.FLAGS ?? "", "-compare", "-modes", modes, "-duration", duration].filter(f => f)
		await page.go(`${url}?${flags.join("&")}`)
		const done = await poll(600, () => page.run(`/has ended|frames/.test(document.getElementById("say").textContent)`))
		console.log(`== ${size}\n${lines.join("\n")}`)
		if (!done) throw new Error("no table after ten minutes")
	} finally {
		await page.close()
	}
}
process.exit(bad)
