// Plays the demo's page in headless Chromium as a person would, with mouse, keys and fingers, and ends with an error if
// something does not answer: node --experimental-websocket scripts/web-test.mjs PROGRAM DIR [VISIT...]
// PROGRAM is that of demo/web, which builds the page into DIR and serves it. VISIT is the name of one of the visits
// below; none means all. Screenshots are left in DIR/shots.
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { Lost, open, poll, serve, sleep } from "./chromium.mjs"
import { figures, intervals, line, refresh, watch } from "./frames.mjs"

const [program, dir, ...only] = process.argv.slice(2)
const check = (ok, what) => { if (!ok) throw new Error(what) }

let now = "the start"
setTimeout(() => {
	console.error(`web-test: no end after 20 minutes; the visit is ${now}`)
	process.exit(1)
}, 20 * 60_000).unref()

const server = await serve(program, dir)
const shots = join(dir, "shots")
mkdirSync(shots, { recursive: true })

// visit opens the page and hands it to play, with what helps there. options.before is called before the page is loaded.
// A visit that Chromium itself ends is made once more.
async function visit(name, ...of) {
	if (only.length && !only.includes(name)) return
	now = name
	try {
		await once(name, ...of)
	} catch (e) {
		if (![e, e.cause].some(e => e instanceof Lost)) throw e
		console.log(`${name}: once more: ${e.message}`)
		await once(name, ...of)
	}
}
async function once(name, options, flags, play) {
	const faults = []
	const page = await open({ ...options, onEvent: e => {
		if (e.method === "Runtime.exceptionThrown") {
			faults.push(e.params.exceptionDetails.exception?.description ?? e.params.exceptionDetails.text)
		}
		if (e.method === "Runtime.consoleAPICalled") {
			const { type, args: [{ value }] } = e.params // wasm_exec.js warns, without end, of a timer that Go has missed
			if (type === "error" || /missed timeout/.test(value)) faults[0] ??= value
		}
		if (e.method === "Fetch.requestPaused") page.answer(e.params)
		options.onEvent?.(e)
	} })
	const state = () => page.run("frameslice()")
	const until = async (what, look, seconds = 30) => check(await poll(seconds, look), `${name}: ${what}`)
	const started = () => until("the game did not start", () => page.run(
		"typeof frameslice === 'function' && frameslice().frames > 20 && frameslice().slider[0] > 0"), 120)
	const changes = async (what, look) => { // look says so of the state before and after
		const before = await state()
		return { within: async act => {
			await act()
			await until(what, async () => look(await state(), before))
		} }
	}
	try {
		await page.send("Page.addScriptToEvaluateOnNewDocument", {
			source: "globalThis.said = () => document.querySelector('#say:not([hidden]) #text')?.textContent",
		})
		await options.before?.(page)
		await page.go((options.url ?? server.url) + flags)
		await play({ page, state, until, started, changes })
		check(faults.length === 0, `${name}: the page reports ${faults.join("; ")}`)
		console.log(`${name}: ok`)
	} catch (e) {
		writeFileSync(join(shots, "failed.png"), await page.shot().catch(() => ""))
		throw new Error(`${e.message}${faults.length ? "; the page reports " + faults.join("; ") : ""}`, { cause: e })
	} finally {
		await page.close()
	}
}

const mouse = (page, type, x, y, buttons = 1) =>
	page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons, clickCount: 1 })

// seen returns when the game has seen what was sent to the page: two frames later. A key that goes down and up within one
// frame counts as never pressed. On a slow machine a frame takes 300 ms. A page without a game sees at once.
async function seen(page) {
	const frames = () => page.run("document.querySelector('canvas') ? frameslice().frames : 1e9")
	const goal = Math.min(await frames() + 2, 1e9)
	check(await poll(30, async () => await frames() >= goal), "the game draws no two frames in 30 s")
}

// theEnd waits for the end of the game, as long as there is a new frame each minute, and for five minutes at most. It
// returns "", "slow", or what is wrong.
async function theEnd(page) {
	for (let end = Date.now() + 300_000, frames = -1, since; ; await sleep(500)) {
		const now = await page.run("said() ? null : frameslice()")
		if (!now) return ""
		if (now.frames !== frames) [frames, since] = [now.frames, Date.now()]
		if (Date.now() > since + 60_000) return `no frame for a minute: ${JSON.stringify(now)}`
		if (Date.now() > end) return "slow"
	}
}
async function stroke(page, [x0, y0], [x1, y1]) {
	await mouse(page, "mouseMoved", x0, y0, 0)
	await seen(page)
	await mouse(page, "mousePressed", x0, y0)
	for (let i = 1; i <= 5; i++) {
		await seen(page)
		await mouse(page, "mouseMoved", x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5)
	}
	await seen(page)
	await mouse(page, "mouseReleased", x1, y1, 0)
	await seen(page)
}
async function swipe(page, [x0, y0], [x1, y1]) {
	const touch = (type, ...touchPoints) => page.send("Input.dispatchTouchEvent", { type, touchPoints })
	await touch("touchStart", { x: x0, y: y0 })
	for (let i = 1; i <= 5; i++) {
		await seen(page)
		await touch("touchMove", { x: x0 + (x1 - x0) * i / 5, y: y0 + (y1 - y0) * i / 5 })
	}
	await seen(page)
	await touch("touchEnd")
	await seen(page)
}
async function key(page, code, text) {
	const k = { code, key: text, windowsVirtualKeyCode: text.toUpperCase().charCodeAt(0) }
	await page.send("Input.dispatchKeyEvent", { type: "keyDown", ...k })
	await seen(page)
	await page.send("Input.dispatchKeyEvent", { type: "keyUp", ...k })
	await seen(page)
}

// hands drags the land and the slider with stroke.
async function hands({ page, state, changes }, width, height, stroke) {
	const dragged = await changes("a drag does not move the land", (now, old) => now.free && Math.hypot(now.x - old.x, now.y - old.y) > 20)
	await dragged.within(() => stroke(page, [width / 2 + 60, height / 2], [width / 2 - 40, height / 2 - 50]))
	const [x, y, w, h] = (await state()).slider
	// With more load a frame of a naive mode takes half a second, and seconds beside other programs.
	const goal = (await state()).load > 0.4 ? 0.03 : 0.15
	const slid = await changes("the slider does not follow", now => Math.abs(now.load - 4 * goal) < 0.2)
	await slid.within(() => stroke(page, [x + w / 2, y + h / 2], [x + w * goal, y + h / 2]))
}

// slow has the page load so many bytes a second; -1 ends the limit.
const slow = (page, bytes) => page.send("Network.emulateNetworkConditions",
	{ offline: false, latency: 0, downloadThroughput: bytes, uploadThroughput: -1 })

// losing serves what the server at url does, and loses the connection when half of the program has been sent; once.
async function losing(url) {
	let lost = false
	const proxy = createServer(async (ask, answer) => {
		const from = await fetch(new URL(ask.url, url))
		const body = Buffer.from(await from.arrayBuffer())
		answer.writeHead(200, { "Content-Type": from.headers.get("Content-Type"), "Content-Length": body.length })
		if (lost || !ask.url.endsWith(".wasm")) return answer.end(body)
		lost = true
		answer.write(body.subarray(0, body.length / 2), () => setTimeout(() => answer.destroy(), 500))
	})
	await new Promise(done => proxy.listen(0, "localhost", done))
	return { url: `http://localhost:${proxy.address().port}/`, end: () => proxy.close() }
}

// loading waits until more of the program is there than share, and returns what the page shows of it.
async function loading({ page, until }, share) {
	let seen
	await until("the bar does not move", async () => {
		seen = await page.run(`({ bar: bar.value, text: how.textContent, hidden: load.hidden })`)
		return seen.bar > share
	})
	const text = /^Loading the demo: ([\d.]+) of ([\d.]+) MB$/.exec(seen.text)
	check(!seen.hidden && text, `the page says ${seen.text} while it loads`)
	check(seen.bar < 1 && Math.abs(text[1] / text[2] - seen.bar) < 0.01, `the bar is at ${seen.bar} of 1: ${seen.text}`)
	return seen.bar
}

try {
	const narrow = { width: 390, height: 844, touch: true }
	await visit("loading", { ...narrow, before: page => slow(page, 1.5e6) }, "?-load&0", async it => {
		const { page, started } = it
		const first = await loading(it, 0.1)
		await loading(it, first + 0.2)
		writeFileSync(join(shots, "loading.png"), await page.shot())
		await slow(page, -1)
		await started()
		check(await page.run("load.hidden"), "the bar stays")
	})
	const lossy = await losing(server.url)
	await visit("connection lost", { ...narrow, url: lossy.url }, "?-load&0", async it => {
		const { page, until, started } = it
		await until("no word of the loss", () => page.run("/^The demo did not load.\\nReason: ./.test(said())"))
		check(await page.run("load.hidden && bar.value > 0 && bar.value < 1"), "the bar stays, or the loss came too late")
		writeFileSync(join(shots, "lost.png"), await page.shot())
		const [x, y] = await page.run(`{
			const { x, y, width, height } = document.querySelector("button").getBoundingClientRect();
			[x + width / 2, y + height / 2]
		}`)
		await swipe(page, [x, y], [x, y])
		await started()
	}).finally(lossy.end)
	const gone = async page => {
		page.answer = ({ requestId }) => page.send("Fetch.fulfillRequest", { requestId, responseCode: 404 })
		await page.send("Fetch.enable", { patterns: [{ urlPattern: "*demo.wasm" }] })
	}
	await visit("no program", { width: 640, height: 360, before: gone }, "", async ({ page, until }) => {
		await until("no word of the 404", () => page.run("/^The demo did not load.\\n.*server says 404/.test(said())"))
	})
	const sent = []
	await visit("mouse and keys", { width: 1280, height: 720, onEvent: e => {
		if (e.method === "Network.responseReceived" && /wasm$/.test(e.params.response.url)) sent.push(e.params.response.headers)
	} }, "?-load&0.5", async it => {
		const { page, until, started, changes } = it
		await started()
		check(sent.some(h => (h["Content-Encoding"] ?? h["content-encoding"]) === "gzip"), "the program is not compressed")
		check(await page.run("bar.value === 1"), "the progress did not come to its end")
		check(await page.run("document.elementFromPoint(640, 360).tagName === 'CANVAS'"), "something lies over the canvas")
		for (const round of ["before", "after"]) {
			if (round === "after") await stroke(page, [700, 400], [700, 400]) // a click
			const modes = await changes(`key M does nothing ${round} a click`, (now, old) => now.mode !== old.mode)
			await modes.within(() => key(page, "KeyM", "m"))
			const paused = await changes(`the space key does nothing ${round} a click`, (now, old) => now.paused !== old.paused)
			await paused.within(() => key(page, "Space", " "))
			await hands(it, 1280, 720, stroke)
		}
		writeFileSync(join(shots, "1280x720.png"), await page.shot())
		await key(page, "KeyQ", "q")
		await until("the game did not end", () => page.run("said() && !document.querySelector('canvas')"))
		for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) await mouse(page, type, 300, 300)
		await key(page, "KeyM", "m")
		await page.run("dispatchEvent(new Event('resize')); document.dispatchEvent(new Event('visibilitychange'))")
		await sleep(1500)
		check(!await page.run("/already exited|cannot run|did not load/.test(said())"), "the end is not clean")
		check(await page.run("/jobs\\/s/.test(said())"), "the end does not show the table")
		writeFileSync(join(shots, "end.png"), await page.shot())
	})
	await visit("fingers", narrow, "?-load&0.5", async it => {
		const { page, until, started, changes } = it
		await started()
		await hands(it, 390, 844, swipe)
		const tapped = await changes("a tap on the mode's panel does nothing", (now, old) => now.mode !== old.mode)
		await tapped.within(() => swipe(page, [60, 40], [60, 40]))
		await hands(it, 390, 844, swipe)
		writeFileSync(join(shots, "390x844.png"), await page.shot())
		for (const [width, height] of [[844, 390], [390, 844]]) { // the phone is turned, and turned back
			await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: true })
			await until(`the picture is not ${width}x${height}`, () => page.run(
				`{ const c = document.querySelector("canvas"); c.width === ${width} && c.height === ${height} &&
					c.clientWidth === ${width} && c.clientHeight === ${height} }`))
			await seen(page)
			await hands(it, width, height, swipe)
			writeFileSync(join(shots, `turned-${width}x${height}.png`), await page.shot())
		}
	})
	await visit("hidden", { width: 320, height: 180 }, "?-load&0", async ({ page, state, until, started }) => {
		await started()
		await until("nothing is counted", async () => (await state()).counting)
		await key(page, "KeyR", "r") // forgets the first frames: to compile the shaders may have taken seconds
		await until("no frame is counted", async () => (await state()).counting && (await state()).worst > 0)
		const { targetId } = await page.send("Target.createTarget", { url: "about:blank" })
		const hidden = await poll(5, () => page.run("document.hidden"))
		check(hidden, "the page is not hidden behind another")
		const before = await state()
		await sleep(4000)
		await page.send("Target.closeTarget", { targetId })
		await page.send("Page.bringToFront")
		await until("it does not go on", async () => (await state()).frames > before.frames + 20)
		const { worst } = await state()
		check(worst < 3000, `four seconds behind another page are a frame of ${worst} ms`)
	})
	// The modes take short turns, so that noise takes frames from all of them, and each is held against the others. Noise
	// adds no frames, so the best of three comparisons counts. Where idle itself lacks every third frame, noise is all
	// that there is to see.
	const compare = "?-compare&-modes&idle,frameslice,goroutines&-duration&24s"
	let fault, again = 3
	do {
		fault = ""
		await visit("smooth", { width: 320, height: 180 }, compare, async ({ page, started }) => {
			await started()
			await watch(page)
			const wrong = await theEnd(page)
			if (wrong === "slow") return console.log("  not judged: the comparison takes more than five minutes here")
			check(!wrong, wrong)
			const of = await intervals(page)
			const [idle, ours, naive] = ["idle", "frameslice", "goroutines"].map(mode => figures(of[mode] ?? []))
			check(idle.frames && ours.frames && naive.frames, "a mode has no animation frames")
			console.log([line("  idle", idle), line("  frameslice", ours), line("  goroutines", naive)].join("\n"))
			if (idle.missed > 1 / 3) return console.log("  not judged: the machine is too busy")
			fault =
				naive.missed < idle.missed + 0.2 ? "jobs on goroutines take no frames, so the jobs are too few for a test" :
				ours.missed > (idle.missed + naive.missed) / 2 ? "frameslice leaves refreshes without a frame" :
				ours.p50 > idle.p50 + 1.5 * refresh ? "the median interval with frameslice is far from that without jobs" :
				ours.p95 > naive.p95 ? "the longest intervals with frameslice are longer than with goroutines" : ""
			check(!fault || --again > 0, fault)
			if (fault) console.log(`  once more: ${fault}`)
		})
	} while (fault)
	for (const flag of ["-headless", "-out&r"]) {
		await visit(flag, { width: 640, height: 360 }, `?${flag}`, async ({ page, until }) => {
			await until("no word of a browser", () => page.run("/not for a browser/.test(said())"), 120)
		})
	}
} finally {
	server.end()
}
process.exit() // a process that Chromium has left may hold a pipe open
