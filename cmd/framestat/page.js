// Frame times: a course for each run, all with one scale of seconds and of milliseconds.
const left = 56, right = 12, top_ = 10, bottom = 24;
const $ = id => document.getElementById(id);
const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const clamp = (x, a, b) => Math.min(Math.max(x, a), b);

for (const r of runs) {
	r.ms ??= [];
	r.start = new Float64Array(r.ms.length + 1); // in seconds; the last one is the end
	for (let i = 0; i < r.ms.length; i++) r.start[i + 1] = r.start[i] + r.ms[i] / 1000;
	r.why = new Map((r.late ?? []).map(f => [f.i, f.why]));
}
const shown = runs.map((r, i) => ({ r, i })).filter(s => s.r.ms.length > 0 && !s.r.sorted);
const end = Math.max(0.001, ...shown.map(s => s.r.start[s.r.ms.length]));
const view = { from: 0, to: end };
let marked = null; // the late frame that was clicked

// at returns the frame that runs at a time.
function at(r, seconds) {
	let lo = 0, hi = r.ms.length;
	while (hi - lo > 1) {
		const mid = (lo + hi) >> 1;
		if (r.start[mid] <= seconds) lo = mid; else hi = mid;
	}
	return lo;
}

// ticks returns round values from lo to hi, about n of them.
function ticks(lo, hi, n) {
	const raw = (hi - lo) / Math.max(n, 1), power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw) ?? raw;
	const all = [];
	for (let k = Math.ceil(lo / step); k * step <= hi && all.length < 100; k++) all.push(k * step);
	return all;
}

// decades returns 1, 2 and 5 of each power of ten.
function decades(lo, hi) {
	const all = [];
	for (let p = Math.floor(Math.log10(lo)); 10 ** p <= hi; p++)
		for (const m of [1, 2, 5]) if (m * 10 ** p >= lo && m * 10 ** p <= hi) all.push(m * 10 ** p);
	return all;
}

const number = v => String(+v.toPrecision(6));

// scale maps values to pixels.
function scale(lo, hi, p0, p1, log) {
	const f = log ? Math.log : x => x, a = f(lo), b = f(hi);
	return v => p0 + (f(Math.max(v, log ? lo / 10 : -Infinity)) - a) / (b - a) * (p1 - p0);
}

// prepare sets a canvas to the pixels of the screen, and returns what draws on it.
function prepare(canvas, height) {
	const dpr = window.devicePixelRatio || 1, width = canvas.clientWidth;
	canvas.style.height = height + "px";
	canvas.width = Math.round(width * dpr);
	canvas.height = Math.round(height * dpr);
	const g = canvas.getContext("2d");
	g.scale(dpr, dpr);
	g.font = "12px system-ui, sans-serif";
	return [g, width, height];
}

// range is of the milliseconds to show: from 0, or on a logarithmic scale from the shortest.
function range() {
	let lo = Infinity, hi = 0;
	for (const { r } of shown) {
		const last = at(r, view.to);
		for (let i = at(r, view.from); i <= last; i++) {
			if (r.ms[i] > hi) hi = r.ms[i];
			if (r.ms[i] < lo) lo = r.ms[i];
		}
		hi = Math.max(hi, 1.5 * r.target);
		lo = Math.min(lo, r.target);
	}
	return $("logms").checked ? [Math.max(lo * 0.9, 0.01), hi * 1.1] : [0, hi * 1.08];
}

function drawCourse(s, lo, hi) {
	const r = s.r, [g, w, h] = prepare(s.canvas, shown.length > 2 ? 150 : 240);
	const x = scale(view.from, view.to, left, w - right), y = scale(lo, hi, h - bottom, top_, $("logms").checked);
	g.fillStyle = color("muted");
	g.strokeStyle = color("line");
	g.textAlign = "right";
	for (const v of $("logms").checked ? decades(lo, hi) : ticks(lo, hi, h / 45)) {
		g.beginPath(); g.moveTo(left, y(v)); g.lineTo(w - right, y(v)); g.stroke();
		g.fillText(number(v) + " ms", left - 6, y(v) + 4);
	}
	g.textAlign = "center";
	for (const t of ticks(view.from, view.to, w / 110)) g.fillText(number(t) + " s", Math.min(x(t), w - 22), h - 7);
	g.save();
	g.beginPath(); g.rect(left, 0, w - left - right, h); g.clip();
	const first = at(r, view.from), last = at(r, view.to), base = h - bottom;
	// A column of pixels shows its longest and its shortest frame, so no spike is lost.
	g.fillStyle = color("run" + s.i);
	let column = null;
	const flush = c => {
		const foot = c.w < 3 ? Math.max(y(c.min), Math.min(y(r.target), base)) : y(c.min); // a thin spike is solid
		g.globalAlpha = 0.35;
		g.fillRect(c.x, y(c.min), c.w, base - y(c.min));
		g.globalAlpha = 1;
		g.fillRect(c.x, y(c.max) - 0.5, c.w, Math.max(1.5, foot - y(c.max)));
	};
	for (let i = first; i <= last; i++) {
		const px = Math.floor(x(r.start[i])), wide = Math.max(1, Math.floor(x(r.start[i + 1])) - px);
		if (column && column.x === px) {
			column.max = Math.max(column.max, r.ms[i]);
			column.min = Math.min(column.min, r.ms[i]);
			column.w = Math.max(column.w, wide);
			continue;
		}
		if (column) flush(column);
		column = { x: px, w: wide, max: r.ms[i], min: r.ms[i] };
	}
	if (column) flush(column);
	goal(g, left, y(r.target), w - right, y(r.target));
	if (marked && marked.run === s.i) {
		g.strokeStyle = color("bad");
		g.beginPath(); g.moveTo(x(marked.s), 0); g.lineTo(x(marked.s), base); g.stroke();
	}
	g.restore();
	label(g, s, w - right - 6, top_ + 10);
}

// label writes the name of a run, so that it can be read before bars.
function label(g, s, x, y) {
	g.textAlign = "right";
	g.globalAlpha = 0.75;
	g.fillStyle = color("panel");
	g.fillRect(x - g.measureText(s.r.label).width - 4, y - 12, g.measureText(s.r.label).width + 8, 17);
	g.globalAlpha = 1;
	g.fillStyle = color("run" + s.i);
	g.fillText(s.r.label, x, y);
}

function draw() {
	const [lo, hi] = range();
	for (const s of shown) drawCourse(s, lo, hi);
}

// show changes the view, but leaves it within the run and above a few milliseconds.
function show(from, to) {
	const length = clamp(to - from, Math.min(0.02, end), end);
	view.from = clamp(from, 0, end - length);
	view.to = view.from + length;
	requestAnimationFrame(draw);
}

function zoom(factor, share = 0.5) {
	const length = view.to - view.from, center = view.from + share * length;
	show(center - share * length * factor, center + (1 - share) * length * factor);
}

function tell(s, e) {
	const w = s.canvas.clientWidth, share = (e.offsetX - left) / (w - left - right);
	if (share < 0 || share > 1) return;
	const seconds = view.from + share * (view.to - view.from);
	if (seconds > s.r.start[s.r.ms.length]) return;
	// Of the frames below the pointer it names the longest.
	const half = (view.to - view.from) / (w - left - right);
	let best = at(s.r, seconds - half);
	const last = at(s.r, seconds + half);
	for (let i = best; i <= last; i++) if (s.r.ms[i] > s.r.ms[best]) best = i;
	const why = s.r.why.get(best);
	$("under").textContent = `${s.r.label}: ${s.r.start[best].toFixed(3)} s, frame ${best + 1}: ` +
		`${s.r.ms[best].toFixed(3)} ms` + (why ? `: ${why}` : "");
}

for (const s of shown) {
	s.canvas = document.createElement("canvas");
	s.canvas.tabIndex = 0;
	s.canvas.setAttribute("role", "img");
	s.canvas.setAttribute("aria-label", `Frame times of ${s.r.label}; plus and minus zoom, arrows move, 0 shows all`);
	$("courses").append(s.canvas);
	const share = e => clamp((e.offsetX - left) / (s.canvas.clientWidth - left - right), 0, 1);
	s.canvas.addEventListener("wheel", e => {
		e.preventDefault();
		zoom(Math.exp(clamp(e.deltaY, -200, 200) / 300), share(e));
	}, { passive: false });
	// One pointer moves the view, two fingers zoom: what was below a finger stays there.
	const held = new Map(); // by pointer: where it is, and the seconds that it holds
	s.canvas.addEventListener("pointerdown", e => {
		tell(s, e);
		s.canvas.setPointerCapture(e.pointerId);
		held.set(e.pointerId, { share: share(e) });
		for (const f of held.values()) f.seconds = view.from + f.share * (view.to - view.from);
	});
	s.canvas.addEventListener("pointermove", e => {
		const finger = held.get(e.pointerId);
		if (!finger) return tell(s, e);
		finger.share = share(e);
		const [a, b] = held.values();
		let length = view.to - view.from;
		if (b && Math.abs(a.share - b.share) > 0.02) length = Math.abs((a.seconds - b.seconds) / (a.share - b.share));
		show(a.seconds - a.share * length, a.seconds + (1 - a.share) * length);
	});
	for (const type of ["pointerup", "pointercancel"]) s.canvas.addEventListener(type, e => { held.delete(e.pointerId); });
	s.canvas.addEventListener("dblclick", () => show(0, end));
	s.canvas.addEventListener("keydown", e => {
		const length = view.to - view.from;
		const keys = {
			"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => show(0, end),
			Home: () => show(0, length), End: () => show(end - length, end),
			ArrowLeft: () => show(view.from - length / 5, view.to - length / 5),
			ArrowRight: () => show(view.from + length / 5, view.to + length / 5),
		};
		if (keys[e.key] && !e.ctrlKey && !e.metaKey) {
			e.preventDefault();
			keys[e.key]();
		}
	});
}
if (shown.length === 0) $("courses").textContent = "No file has frames in their order.";
$("in").onclick = () => zoom(0.5);
$("out").onclick = () => zoom(2);
$("all").onclick = () => show(0, end);
$("logms").onchange = draw;

for (const row of document.querySelectorAll("tr[data-run]")) {
	const go = () => {
		const s = +row.dataset.s;
		marked = { run: +row.dataset.run, s };
		show(s - 0.5, s + 0.5);
		$("courses").scrollIntoView({ block: "center" });
	};
	row.onclick = go;
	row.onkeydown = e => { if (e.key === "Enter") go(); };
}

// Distribution and percentiles, of all runs with one scale of milliseconds.
const some = runs.map((r, i) => ({ r, i, up: Float64Array.from(r.ms).sort() })).filter(s => s.up.length > 0);

// span is of the milliseconds of all runs.
function span(log) {
	let lo = Infinity, hi = 0;
	for (const s of some) {
		lo = Math.min(lo, s.up[0], s.r.target);
		hi = Math.max(hi, s.up[s.up.length - 1], s.r.target);
	}
	return log ? [Math.max(lo * 0.95, 0.01), Math.max(hi * 1.05, 0.1)] : [0, Math.max(hi * 1.05, 0.1)];
}

function empty(canvas) {
	const [g, , h] = prepare(canvas, 60);
	g.fillStyle = color("muted");
	g.fillText("No file has frames.", 12, h / 2);
}

// drawHistogram draws a row for each run, with bars of equal width on the screen.
function drawHistogram() {
	const canvas = $("histogram");
	if (some.length === 0) return empty(canvas);
	const each = some.length === 1 ? 240 : some.length < 4 ? 120 : 84;
	const [g, w, h] = prepare(canvas, each * some.length + bottom);
	const logTime = $("logtime").checked, logCount = $("logcount").checked;
	const [lo, hi] = span(logTime), bins = clamp(Math.floor((w - left - right) / 7), 20, 200);
	const x = scale(lo, hi, left, w - right, logTime), width = (w - left - right) / bins;
	let most = 1;
	for (const s of some) {
		s.counts = new Float64Array(bins);
		for (const d of s.up) s.counts[clamp(Math.floor((x(d) - left) / width), 0, bins - 1)]++;
		for (const c of s.counts) most = Math.max(most, c);
	}
	const times = [];
	let free = 0;
	for (const v of logTime ? decades(lo, hi) : ticks(lo, hi, w / 90)) {
		if (x(v) < free) continue;
		times.push(v);
		free = x(v) + 60;
	}
	some.forEach((s, k) => {
		const foot = each * (k + 1), head = each * k + top_;
		const y = logCount ? scale(0.7, most * 1.3, foot, head, true) : scale(0, most * 1.08, foot, head);
		g.strokeStyle = color("line");
		g.fillStyle = color("muted");
		g.textAlign = "right";
		let last = Infinity;
		for (const v of logCount ? decades(1, most * 1.3).filter(v => Math.log10(v) % 1 === 0) : ticks(0, most * 1.08, each / 40)) {
			g.beginPath(); g.moveTo(left, y(v)); g.lineTo(w - right, y(v)); g.stroke();
			if (last - y(v) < 13) continue;
			last = y(v);
			g.fillText(number(v), left - 6, y(v) + (v === 0 ? 0 : 4));
		}
		g.fillStyle = color("run" + s.i);
		s.counts.forEach((c, b) => {
			if (c > 0) g.fillRect(left + b * width, y(c), Math.max(width - 0.7, 1), foot - y(c));
		});
		label(g, s, w - right - 6, head + 12);
		goal(g, x(s.r.target), head, x(s.r.target), foot);
	});
	g.fillStyle = color("muted");
	g.textAlign = "center";
	for (const v of times) g.fillText(number(v) + " ms", clamp(x(v), left, w - 22), h - 7);
	canvas.onpointermove = e => {
		const b = Math.floor((e.offsetX - left) / width);
		if (b < 0 || b >= bins) return;
		const value = p => logTime ? Math.exp(Math.log(lo) + p * (Math.log(hi) - Math.log(lo))) : lo + p * (hi - lo);
		$("bin").textContent = `${value(b / bins).toFixed(2)} to ${value((b + 1) / bins).toFixed(2)} ms: ` +
			some.map(s => `${s.r.label} ${s.counts[b]}`).join(", ");
	};
}

// goal draws a dashed line.
function goal(g, x0, y0, x1, y1) {
	g.strokeStyle = color("goal");
	g.setLineDash([6, 5]);
	g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke();
	g.setLineDash([]);
}

// drawPercentiles draws a curve for each run. Each further nine takes the same room.
function drawPercentiles() {
	const canvas = $("percentiles");
	if (some.length === 0) return empty(canvas);
	const [g, w, h] = prepare(canvas, 280), log = $("logtime").checked, [lo, hi] = span(log);
	const nines = Math.max(2, ...some.map(s => Math.log10(2 * s.up.length))), wide = w - left - right; // with the longest frame
	const y = scale(lo, hi, h - bottom, top_, log);
	g.strokeStyle = color("line");
	g.fillStyle = color("muted");
	g.textAlign = "right";
	let last = Infinity;
	for (const v of log ? decades(lo, hi) : ticks(lo, hi, 6)) {
		g.beginPath(); g.moveTo(left, y(v)); g.lineTo(w - right, y(v)); g.stroke();
		if (last - y(v) < 14) continue;
		last = y(v);
		g.fillText(number(v) + " ms", left - 6, y(v) + 4);
	}
	g.textAlign = "center";
	for (let k = 0; k <= nines; k++) {
		const px = left + k / nines * wide;
		g.beginPath(); g.moveTo(px, top_); g.lineTo(px, h - bottom); g.stroke();
		g.fillText(number(100 - 100 * 10 ** -k) + " %", clamp(px, left, w - 30), h - 7);
	}
	const at = (s, px) => { // what part of the frames takes no longer, and how long the last of these takes
		const part = 1 - 10 ** (-px / wide * nines), n = s.up.length;
		return [part, s.up[clamp(Math.ceil(part * n - 1e-9) - 1, 0, n - 1)]];
	};
	goal(g, left, y(some[0].r.target), w - right, y(some[0].r.target));
	g.textAlign = "left";
	some.forEach((s, k) => {
		g.strokeStyle = g.fillStyle = color("run" + s.i);
		g.lineWidth = 2;
		g.beginPath();
		let px = 0, value;
		for (; px <= wide; px++) {
			let part;
			[part, value] = at(s, px);
			g.lineTo(left + px, y(value));
			if (part > 1 - 1 / s.up.length) break;
		}
		g.stroke();
		g.beginPath(); g.arc(left + Math.min(px, wide), y(value), 4, 0, 7); g.fill();
		g.fillText(s.r.label, left + 10, top_ + 14 + 16 * k);
	});
	g.lineWidth = 1;
	canvas.onpointermove = e => {
		const px = clamp(e.offsetX - left, 0, wide);
		$("share").textContent = `${(100 * at(some[0], px)[0]).toPrecision(5)} % of the frames take at most: ` +
			some.map(s => `${s.r.label} ${at(s, px)[1].toFixed(3)} ms`).join(", ");
	};
}
$("logcount").onchange = drawHistogram;
$("logtime").onchange = () => { drawHistogram(); drawPercentiles(); };

function drawAll() {
	draw();
	drawHistogram();
	drawPercentiles();
}
window.addEventListener("resize", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
drawAll();
