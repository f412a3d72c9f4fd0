// Frame times: a course for each run, all with one scale of seconds and of milliseconds.
const left = 56, right = 12, over = 10, bottom = 24;
const $ = id => document.getElementById(id);
const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const clamp = (x, a, b) => Math.min(Math.max(x, a), b);

for (const r of runs) {
	r.ms ??= [];
	r.start = new Float64Array(r.ms.length + 1); // in seconds; the last one is the end
	for (let i = 0; i < r.ms.length; i++) r.start[i + 1] = r.start[i] + r.ms[i] / 1000;
	r.why = new Map((r.late ?? []).map(f => [f.i, f.why]));
}
const shown = runs.map((r, i) => ({ r, i })).filter(s => s.r.ms.length > 0);
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

const number = v => String(+v.toPrecision(6));

// scale maps values to pixels.
const scale = (lo, hi, p0, p1) => v => p0 + (v - lo) / (hi - lo) * (p1 - p0);

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

// highest returns the milliseconds at the upper end of the graphs.
function highest() {
	let most = 0;
	for (const { r } of shown) {
		const last = at(r, view.to);
		for (let i = at(r, view.from); i <= last; i++) most = Math.max(most, r.ms[i]);
		most = Math.max(most, 1.5 * r.target);
	}
	return most * 1.08;
}

function drawCourse(s, hi) {
	const r = s.r, [g, w, h] = prepare(s.canvas, shown.length > 2 ? 150 : 240);
	const x = scale(view.from, view.to, left, w - right), y = scale(0, hi, h - bottom, over);
	g.fillStyle = color("muted");
	g.strokeStyle = color("line");
	g.textAlign = "right";
	for (const v of ticks(0, hi, h / 45)) {
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
	g.strokeStyle = color("goal");
	g.setLineDash([6, 5]);
	g.beginPath(); g.moveTo(left, y(r.target)); g.lineTo(w - right, y(r.target)); g.stroke();
	g.setLineDash([]);
	if (marked && marked.run === s.i) {
		g.strokeStyle = color("bad");
		g.beginPath(); g.moveTo(x(marked.s), 0); g.lineTo(x(marked.s), base); g.stroke();
	}
	g.restore();
	g.textAlign = "right";
	g.fillStyle = color("run" + s.i);
	g.fillText(r.label, w - right - 6, over + 10);
}

function draw() {
	const hi = highest();
	for (const s of shown) drawCourse(s, hi);
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
if (shown.length === 0) $("courses").textContent = "No file has frames.";
$("in").onclick = () => zoom(0.5);
$("out").onclick = () => zoom(2);
$("all").onclick = () => show(0, end);

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

window.addEventListener("resize", draw);
draw();
