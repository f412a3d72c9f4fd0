// Opens a page of framestat in headless Chromium, in light and dark and at three sizes. It zooms with wheel, keys, buttons
// and fingers, and ends with an error if the page shows something wrong:
// node --experimental-websocket scripts/stat-test.mjs PROGRAM DIR
// PROGRAM is cmd/framestat. The page and screenshots are left in DIR.
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { check, poll, visit } from "./chromium.mjs"

const [program, dir] = process.argv.slice(2)
mkdirSync(dir, { recursive: true })

// write makes up a capture of 20 s at 60 Hz, of which each frame that every divides is late, with a cause.
function write(name, every) {
	const rows = ["Application,ProcessID,FrameTime,CPUBusy,DisplayedTime"]
	for (let i = 1; i <= 1200; i++) {
		const late = i % every === 0
		rows.push(`<b>game</b>,1,${late ? 40 + i % 7 : 16.6 + i % 5 / 20},${late ? 38 : 5},${i % 50 ? 16.667 : "NA"}`)
	}
	writeFileSync(join(dir, name), rows.join("\n") + "\n")
}
write("before.csv", 60)
write("after.csv", 400)
const file = join(dir, "page.html")
execFileSync(resolve(program), ["before.csv", "after.csv", "-html", resolve(file)], { cwd: dir })

const length = page => page.run("view.to - view.from")
const nearly = (a, b) => Math.abs(a - b) <= 0.03 * Math.abs(b)

// becomes checks that an action makes the view so many seconds long.
async function becomes(page, what, seconds, act) {
	await act()
	const ok = await poll(5, async () => nearly(await length(page), seconds))
	check(ok, `after ${what} the graph shows ${await length(page)} s, want ${seconds}`)
}

async function figures(page) {
	const all = await length(page)
	check(all > 20 && all < 22, `the graph shows ${all} s`)
	for (const text of ["after.csv against before.csv: better, by", "20 frames missed a refresh", "3 frames missed a refresh",
		"CPU busy 38.0 ms", "displayed, hitch ratio", "<b>game</b>"])
		check(await page.run(`document.body.innerText.includes(${JSON.stringify(text)})`), `the page does not say ${text}`)
	const inked = await page.run(`[...document.querySelectorAll("canvas")].map(c => {
		const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, seen = new Set()
		for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2])
		return seen.size
	})`)
	check(inked.length === 2 && inked.every(n => n >= 4), `the graphs have ${inked} colours`)
	const drawn = await page.run(`[...document.querySelectorAll("svg text")].map(t => t.textContent)`)
	for (const text of ["Frame time by percentile", "Distribution", "Course", "before.csv", "46.00", "99.9 %"])
		check(drawn.includes(text), `the picture does not say ${text}`)
	const whole = () => becomes(page, "a reset", all, () => page.run("document.getElementById('all').click()"))
	await becomes(page, "a click on +", all / 2, () => page.run("document.getElementById('in').click()"))
	await whole()
	return { all, whole }
}

// place is the middle of the first graph on the screen.
const place = page => page.run(`(() => {
	const c = document.querySelector("#courses canvas")
	c.scrollIntoView({ block: "center" })
	const r = c.getBoundingClientRect()
	return { x: r.x + r.width / 2, y: r.y + r.height / 2, width: r.width }
})()`)

async function mouse(page) {
	const { all, whole } = await figures(page)
	const { x, y } = await place(page)
	const event = (type, more) => page.send("Input.dispatchMouseEvent", { type, x, y, ...more })
	const key = (key, code) => Promise.all(["keyDown", "keyUp"].map(type => page.send("Input.dispatchKeyEvent", { type, key, code, text: type === "keyDown" && key.length === 1 ? key : undefined })))
	await becomes(page, "the wheel", all * Math.exp(-200 / 300), () => event("mouseWheel", { deltaX: 0, deltaY: -200 }))
	const from = () => page.run("view.from")
	const before = await from(), now = await length(page)
	await event("mousePressed", { button: "left", clickCount: 1 })
	await event("mouseMoved", { x: x - 100, button: "left", buttons: 1 })
	await event("mouseReleased", { x: x - 100, button: "left", clickCount: 1 })
	check(await poll(5, async () => await from() > before), "a drag does not move the graph")
	check(nearly(await length(page), now), "a drag zooms")
	await page.run("document.querySelector('#courses canvas').focus()")
	await becomes(page, "the key +", now / 2, () => key("+"))
	await becomes(page, "the key End", now / 2, () => key("End"))
	check(nearly(await page.run("view.to"), all), "End is not the end")
	await becomes(page, "the key 0", all, () => key("0"))
	await becomes(page, "a click on a late frame", 1, () => page.run("document.querySelector('tr[data-run]').click()"))
	check(await page.run("marked !== null && view.from < marked.s && marked.s < view.to"), "the frame is not in view")
	await whole()
	await event("mouseMoved", { buttons: 0 })
	check(await poll(5, () => page.run("/frame \\d+: .* ms/.test(document.getElementById('under').textContent)")), "the graph tells no frame")
}

async function fingers(page) {
	const { all, whole } = await figures(page)
	const { x, y, width } = await place(page)
	const touch = (type, ...at) => page.send("Input.dispatchTouchEvent", { type, touchPoints: at.map((dx, id) => ({ x: x + dx * width, y, id })) })
	await touch("touchStart", -0.1)
	await touch("touchStart", -0.1, 0.1)
	await touch("touchMove", -0.15, 0.15)
	await becomes(page, "two fingers that part", all / 2, () => touch("touchMove", -0.2, 0.2))
	await touch("touchEnd")
	await whole()
}

await visit(dir, "file://" + resolve(file), "stat-1280x800-light", { width: 1280, height: 800 }, "light", mouse)
await visit(dir, "file://" + resolve(file), "stat-800x600-dark", { width: 800, height: 600 }, "dark", mouse)
await visit(dir, "file://" + resolve(file), "stat-390x844-dark", { width: 390, height: 844, touch: true }, "dark", fingers)
console.log("framestat: ok")
process.exit(0)
