// Reads from the page itself when its animation frames come, and what the demo does meanwhile.

// A refresh of headless Chromium, in milliseconds.
export const refresh = 1000 / 60

// watch begins to note the page's animation frames. The mode of the demo is looked at ten times a second.
export const watch = page => page.run(`{
	const frames = [], looks = []
	const frame = t => { frames.push(t); requestAnimationFrame(frame) }
	requestAnimationFrame(frame)
	setInterval(() => {
		const game = globalThis.frameslice?.()
		looks.push({ at: performance.now(), mode: game?.counting ? game.mode : "" })
	}, 100)
	globalThis.animation = () => ({ frames, looks })
}`)

// intervals returns of each mode the intervals between the animation frames: of the time between two looks at the demo
// that both find the mode counted.
export async function intervals(page) {
	const { frames, looks } = await page.run("animation()")
	const of = {}
	let next = 0
	for (let i = 1; i < frames.length; i++) {
		while (next < looks.length && looks[next].at < frames[i]) next++ // the first look after the interval
		if (next === looks.length) break
		let first = next
		while (first > 0 && looks[first].at > frames[i - 1]) first-- // the last one before it
		const during = looks.slice(first, next + 1).map(l => l.mode)
		if (during.length > 1 && during[0] && during.every(m => m === during[0])) {
			(of[during[0]] ??= []).push(frames[i] - frames[i - 1])
		}
	}
	return of
}

// figures returns the median and the 95th percentile, in milliseconds, and the share of the refreshes that had no frame.
export function figures(intervals) {
	const sorted = intervals.toSorted((a, b) => a - b)
	const at = share => sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)]
	let all = 0
	for (const ms of intervals) all += Math.max(Math.round(ms / refresh), 1)
	return { frames: sorted.length, p50: at(0.5), p95: at(0.95), missed: 1 - sorted.length / all }
}

// line says it in a line.
export const line = (mode, { frames, p50, p95, missed }) => `${mode}: ${frames} animation frames, ` +
	`p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${(100 * missed).toFixed(1)} % of the refreshes without one`
