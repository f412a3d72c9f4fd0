// Starts Debian's headless Chromium and drives its one page over the DevTools protocol, with Node alone:
// node --experimental-websocket SCRIPT.
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

// sleep waits for ms milliseconds.
export const sleep = ms => new Promise(done => setTimeout(done, ms))

// poll calls look until the answer is true, for at most seconds, and returns the answer.
export async function poll(seconds, look) {
	for (const end = Date.now() + seconds * 1000; ;) {
		const got = await look()
		if (got || Date.now() > end) return got
		await sleep(100)
	}
}

// own ends the program at the end of this one, however that comes about.
const children = new Set()
process.on("exit", () => { for (const child of children) child.kill("SIGKILL") })
function own(child) {
	children.add(child)
	child.on("exit", () => children.delete(child))
}

// serve starts the program of demo/web at any free port, and returns its address and a function that ends the program.
export function serve(program, dir) {
	const child = spawn(program, ["-dir", dir, "-address", "localhost:0", "-brotli", "0"], { stdio: ["ignore", "pipe", "inherit"] })
	own(child)
	return new Promise((done, fail) => {
		let out = ""
		child.stdout.on("data", d => {
			const found = /at (http:\S+)/.exec(out += d)
			if (found) done({ url: found[1], end: () => child.kill() })
		})
		child.on("error", fail)
		child.on("exit", code => fail(new Error(`${program} ended with ${code}`)))
	})
}

// Lost is the error of a Chromium that has crashed, or does not answer any more.
export class Lost extends Error {}

// open starts Chromium with a page of the given size. onEvent gets each event of the protocol.
export async function open({ width, height, touch = false, onEvent = () => {} }) {
	const profile = mkdtempSync(join(tmpdir(), "frameslice-chromium-"))
	const chromium = spawn("chromium", [
		"--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--use-angle=swiftshader",
		"--enable-unsafe-swiftshader", "--remote-debugging-port=0", `--window-size=${width},${height}`,
		`--user-data-dir=${profile}`, "about:blank",
	], { stdio: ["ignore", "ignore", "pipe"] })
	own(chromium)
	const ended = new Promise(done => chromium.on("exit", done))
	const close = async () => {
		chromium.kill()
		const force = setTimeout(() => chromium.kill("SIGKILL"), 5000)
		await ended
		clearTimeout(force)
		for (const end = Date.now() + 5000; ; await sleep(100)) { // its children may still write there
			try {
				return rmSync(profile, { recursive: true, force: true })
			} catch (e) {
				if (Date.now() > end) throw e
			}
		}
	}
	try {
		const browser = await new Promise((done, fail) => {
			let out = ""
			chromium.stderr.on("data", d => {
				const found = /DevTools listening on (ws:\S+)/.exec(out += d)
				if (found) done(found[1])
			})
			chromium.on("error", fail)
			chromium.on("exit", code => fail(new Lost(`chromium ended with ${code}: ${out.slice(-500)}`)))
			setTimeout(() => fail(new Lost(`chromium does not start within a minute: ${out.slice(-500)}`)), 60_000).unref()
		})
		const list = await (await fetch(`http://${new URL(browser).host}/json/list`)).json()
		const socket = new WebSocket(list.find(t => t.type === "page").webSocketDebuggerUrl)
		await new Promise((done, fail) => { socket.onopen = done; socket.onerror = fail })
		const waiting = new Map()
		let id = 0, lost = ""
		const lose = why => {
			lost ||= why
			for (const { fail } of waiting.values()) fail(new Lost(lost))
		}
		socket.onclose = () => lose("chromium has ended")
		socket.onmessage = e => {
			const m = JSON.parse(e.data)
			if (m.method === "Inspector.targetCrashed") lose("chromium's page has crashed")
			if (!m.id) return onEvent(m)
			const call = waiting.get(m.id)
			m.error ? call?.fail(new Error(m.error.message)) : call?.done(m.result)
		}
		// send returns the answer. A page whose thread is taken for ever gives none, which is an error after two minutes.
		const send = (method, params = {}) => {
			const call = ++id
			const answer = new Promise((done, fail) => {
				const late = setTimeout(() => end(fail)(new Lost(`the page does not answer ${method} within two minutes`)), 120_000)
				const end = how => value => {
					clearTimeout(late)
					waiting.delete(call)
					how(value)
				}
				waiting.set(call, { done: end(done), fail: end(fail) })
			})
			answer.catch(() => {}) // for callers that do not wait for the answer
			lost ? lose() : socket.send(JSON.stringify({ id: call, method, params }))
			return answer
		}
		const run = async expression => {
			const r = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })
			if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description ?? r.exceptionDetails.text)
			return r.result.value
		}
		await send("Page.enable")
		await send("Runtime.enable")
		await send("Network.enable")
		await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: touch })
		if (touch) await send("Emulation.setTouchEmulationEnabled", { enabled: true })
		const go = async url => {
			await send("Page.navigate", { url })
			await poll(30, () => run(`location.href !== "about:blank" && document.readyState === "complete"`))
		}
		const shot = async () => Buffer.from((await send("Page.captureScreenshot", { format: "png" })).data, "base64")
		return { send, run, go, shot, close }
	} catch (e) {
		await close()
		throw e
	}
}

// check ends a test that finds something wrong.
export const check = (ok, what) => { if (!ok) throw new Error(what) }

// visit opens a page in a scheme (light or dark), and looks at the page. An error that the page reports is one of the
// test, and so is a page wider than its window. Pictures of the window and of the whole page are left in dir.
export async function visit(dir, url, name, size, scheme, look) {
	const faults = []
	const page = await open({ ...size, onEvent: e => {
		if (e.method === "Runtime.exceptionThrown") faults.push(e.params.exceptionDetails.exception?.description ?? e.params.exceptionDetails.text)
		if (e.method === "Runtime.consoleAPICalled" && e.params.type === "error") faults.push(e.params.args[0].value)
		if (e.method === "Log.entryAdded" && e.params.entry.level === "error") faults.push(e.params.entry.text) // the policy
	} })
	try {
		await page.send("Log.enable")
		await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] })
		await page.go(url)
		await look(page)
		const wide = await page.run("document.documentElement.scrollWidth")
		check(wide <= size.width, `${name}: the page is ${wide} wide on ${size.width}`)
		check(!faults.length, `${name}: the page reports ${faults.join("; ")}`)
		console.log(`${name}: ok`)
	} finally {
		await shoot(page, join(dir, name)).catch(() => {})
		await page.close()
	}
}

// shoot takes pictures of the window and of the whole page, however long.
export async function shoot(page, file) {
	const { cssContentSize: { width, height } } = await page.send("Page.getLayoutMetrics")
	writeFileSync(`${file}.png`, await page.shot())
	const all = await page.send("Page.captureScreenshot",
		{ format: "png", captureBeyondViewport: true, clip: { x: 0, y: 0, width, height, scale: 1 } })
	writeFileSync(`${file}-all.png`, Buffer.from(all.data, "base64"))
}
