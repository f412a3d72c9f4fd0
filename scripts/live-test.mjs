// Opens the page of package live in headless Chromium, in light and dark and at two sizes, and ends with an error if the
// page shows something wrong: node --experimental-websocket scripts/live-test.mjs PROGRAM DIR
// PROGRAM is that of scripts/livepage. Screenshots are left in DIR.
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { check, open, poll, shoot, sleep, visit } from "./chromium.mjs"

const [program, dir] = process.argv.slice(2)
mkdirSync(dir, { recursive: true })

const child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] })
const url = await new Promise((done, fail) => {
	let out = ""
	child.stdout.on("data", d => {
		const found = /at (http:\S+)/.exec(out += d)
		if (found) done(found[1])
	})
	child.on("error", fail)
	child.on("exit", code => fail(new Error(`${program} ended with ${code}`)))
})
const order = text => child.stdin.write(text + "\n")

// ask returns the status of a request with a host of its own, as after DNS rebinding.
const ask = (path, headers) => new Promise((done, fail) =>
	request(new URL(path, url), { headers }, r => { r.resume(); done(r.statusCode) }).on("error", fail).end())

const says = (page, text) => page.run(`document.body.innerText.includes(${JSON.stringify(text)})`)
const until = async (page, what, seconds = 20) => check(await poll(seconds, () => says(page, what)), `the page does not say ${what}`)

async function figures(page) {
	for (const part of ["of the last minute", ": the task main.spawnWave"]) await until(page, part)
	await until(page, "The coroutine download has not continued for")
	check(await page.run("hitch.textContent !== '' && hitch.textContent !== 'none yet'"), "there was no hitch")
	for (const text of ["boss <b>script</b>", "waits for the task boss", "delayed for another", "livepage/main.go:", "patrol 3",
		"section draw the sky", "input to frame handed over",
		"missed", "p99", "immediate", "of 3 busy"]) await until(page, text)
	check(!await page.run("document.querySelector('#list b')"), "a label became HTML")
	const inked = await page.run(`["graph", "distribution", "slicebar", "workersbar"].map(id => {
		const c = document.getElementById(id), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data
		const seen = new Set()
		for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2])
		return seen.size
	})`)
	check(inked.every(n => n >= 3), `the graphs have ${inked} colours`)
	const first = await poll(20, () => frameOf(page))
	check(await poll(20, async () => await frameOf(page) > first), "the page stands still")
}

const frameOf = page => page.run("Number(/frame (\\d+)/.exec(document.getElementById('status').textContent)?.[1])")

// A page that is paused stands still, and a click on a late frame shows its parts.
async function asked(page) {
	await figures(page)
	await page.run("document.getElementById('pause').click()")
	await until(page, ", paused")
	const at = await frameOf(page)
	await sleep(2500)
	check(await frameOf(page) === at, "a paused page goes on")
	const spot = await page.run(`(() => {
		const p = places.find(p => last.late.some(f => f.number === p.number)), box = document.getElementById("graph").getBoundingClientRect()
		return p && { x: box.left + p.x, y: box.top + 30, number: p.number }
	})()`)
	check(spot, "there is no late frame in the graph")
	for (const type of ["mousePressed", "mouseReleased"]) {
		await page.send("Input.dispatchMouseEvent", { type, x: spot.x, y: spot.y, button: "left", clickCount: 1 })
	}
	await until(page, `frame ${spot.number}\n`)
	for (const text of ["too long", "section draw the sky"]) await until(page, text)
	await shoot(page, join(dir, "live-late"))
	await page.run("last.late = []; pickNear({ offsetX: places.find(p => p.frame[4] > 0).x })")
	for (const text of ["too long", "own work", "the rest"]) await until(page, text)
	await page.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'p' }))")
	check(await poll(20, async () => await frameOf(page) > at), "the page does not go on")
	await page.run("document.querySelector('#lates button').click()")
	check(await page.run("document.querySelectorAll('#lates button[aria-pressed=true]').length") === 1, "no button picks a late frame")
}

async function alone(page) {
	await until(page, "not recorded")
	check(await poll(20, async () => await frameOf(page) > 0), "there is no frame")
	check(!await says(page, "coroutines") && !await says(page, "workers") && !await says(page, "no answer"), "a recorder alone has more")
}

const wide = { width: 1280, height: 720 }, narrow = { width: 390, height: 844, touch: true }
try {
	await visit(dir, url, "live-1280x720-light", wide, "light", figures)
	await visit(dir, url, "live-390x844-dark", narrow, "dark", figures)
	await visit(dir, url, "live-asked", wide, "light", asked)
	await visit(dir, new URL("alone/", url).href, "live-alone", wide, "light", alone)
	check(await ask("json", { Host: "evil.example" }) === 403, "another host is let in")
	check(await ask("json", { Origin: "http://evil.example" }) === 403, "another origin is let in")
	check(await ask("json", {}) === 200 && await ask("metrics", {}) === 200, "there are no figures")
	await visit(dir, url, "live-1280x720-dark", wide, "dark", async page => {
		await figures(page)
		order("hang")
		await until(page, "has not answered within 1s")
		await until(page, "waitForALock")
		await shoot(page, join(dir, "live-hang"))
		order("go")
		check(await poll(20, async () => !await says(page, "waitForALock")), "the page does not see that the frame goes on")
		order("close")
		await until(page, "the loop is closed")
	})
	await visit(dir, url, "live-390x844-light-closed", narrow, "light", page => until(page, "the loop is closed"))
	const page = await open(wide)
	try {
		await page.go(url)
		await until(page, "the loop is closed")
		child.kill()
		await until(page, "no answer from the program")
	} finally {
		await page.close()
	}
	console.log("live: ok")
} finally {
	child.removeAllListeners("exit")
	child.kill()
}
