package plot

import (
	"math"
	"strconv"

	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/words"
)

// percentiles draws the percentile plot into r.
func (f *figure) percentiles(r canvas.Rect) {
	f.title(r, "Frame time by percentile", "ms; every nine takes the same room")
	f.Fill(r, panel)
	ms := f.ms.on(r.Y+r.H, r.Y)
	for _, v := range ms.ticks(21) {
		f.Hair(r.X, ms.at(v), r.W, 0, grid)
		f.TextRight(canvas.Small, r.X-6, ms.at(v)+4, canvas.Dim, duration(v))
	}
	q := axis{1, math.Pow(10, max(2, math.Log10(float64(max(1, f.frames)))+0.12)), r.X, r.X + r.W}
	f.nines(r, q)
	if f.frames == 0 {
		f.empty(r)
		return
	}
	f.goalLine(r, ms)
	for i := len(f.curves) - 1; i >= 0; i-- { // the first series lies on top
		f.percentileCurve(&f.curves[i], q, ms)
	}
}

// nines draws the percentile axis: 0, 50, 90, 95, 99, 99.9 % and so on, up to what the frames can tell.
func (f *figure) nines(r canvas.Rect, q axis) {
	tick := func(name string, x float64, col canvas.Colour) {
		if x <= q.hi {
			f.Hair(q.at(x), r.Y, 0, r.H, col)
			f.TextMid(canvas.Small, q.at(x), r.Y+r.H+14, canvas.Dim, name+" %")
		}
	}
	tick("0", 1, grid)
	tick("50", 2, gridDim)
	tick("80", 5, gridDim)
	tick("90", 10, grid)
	tick("95", 20, gridDim)
	tick("98", 50, gridDim)
	for x, digits := 100.0, 0; x <= q.hi; x, digits = x*10, digits+1 {
		tick(strconv.FormatFloat(100-100/x, 'f', digits, 64), x, grid)
	}
}

// goalLine marks the target and its double, from which on JankStats calls a frame jank.
func (f *figure) goalLine(r canvas.Rect, ms axis) {
	y := ms.at(f.target)
	f.dashed(r.X, y, r.W, 0, 6, 4, goal)
	f.TextRight(canvas.Small, r.X+r.W-8, y+14, goal, "target "+strconv.FormatFloat(f.target, 'f', 2, 64)+" ms")
	if y2 := ms.at(2 * f.target); y2 > r.Y+11 && y-y2 > 24 {
		f.dashed(r.X, y2, r.W, 0, 2, 5, goal.Fade(0.55))
		f.Text(canvas.Small, r.X+8, y2-5, goal.Fade(0.7), "2 × target")
	}
}

// percentileCurve draws one series. Of n frames, the one with i shorter frames stands at n/(n-i). So the longest stands
// at n, with a dot.
func (f *figure) percentileCurve(c *curve, q, ms axis) {
	var pts []canvas.Point
	n := len(c.sorted)
	for i, v := range c.sorted {
		p := canvas.Point{X: q.at(float64(n) / float64(n-i)), Y: ms.at(v)}
		// Of the many frames within a pixel only the last is drawn.
		if k := len(pts); k > 1 && p.X-pts[k-2].X < 0.6 {
			pts[k-1] = p
			continue
		}
		pts = append(pts, p)
	}
	f.Line(pts, 2, c.col)
	if n > 0 {
		f.Line(pts[len(pts)-1:], 9, canvas.Ground)
		f.Line(pts[len(pts)-1:], 6.5, c.col)
	}
}

// distributions draws for every series a histogram, one below the other, on one scale of milliseconds and one
// logarithmic scale of counts.
func (f *figure) distributions(r canvas.Rect) {
	f.title(r, "Distribution", "frames per bucket, logarithmic; ms")
	ms := f.ms.on(r.X, r.X+r.W)
	counts, most := f.buckets(int(min(r.W/5.6, 120)))
	ticks := ms.ticks(40)
	for i := range int(f.rows) {
		b := f.row(r, i, ms, ticks)
		if i >= len(f.curves) || len(f.curves[i].d) == 0 {
			f.empty(b)
			continue
		}
		f.distribution(f.curves[i].col, b, counts[i], most)
		f.dashed(ms.at(f.target), b.Y, 0, b.H, 5, 3, goal)
	}
	for _, v := range ticks {
		f.TextMid(canvas.Small, ms.at(v), r.Y+r.H+14, canvas.Dim, duration(v))
	}
}

// buckets counts every series' frames in n buckets of equal ratio. Frames below the scale count in the first.
func (f *figure) buckets(n int) (counts [][]int, most int) {
	in := axis{f.ms.lo, f.ms.hi, 0, float32(n)}
	for _, c := range f.curves {
		b := make([]int, n)
		for _, v := range c.sorted {
			i := min(int(in.at(v)), n-1)
			b[i]++
			most = max(most, b[i])
		}
		counts = append(counts, b)
	}
	return counts, most
}

func (f *figure) distribution(col canvas.Colour, r canvas.Rect, counts []int, most int) {
	// From half a frame, so that a single one has a height, to a little more than the fullest bucket.
	scale := axis{0.5, max(10, 1.6*float64(most)), r.Y + r.H, r.Y}
	last := r.Y + r.H + lines
	for v := 1.0; v <= scale.hi; v *= 10 {
		y := scale.at(v)
		f.Hair(r.X, y, r.W, 0, gridDim)
		if last-y >= 11 && y-r.Y > 4 {
			f.TextRight(canvas.Small, r.X-5, y+4, canvas.Dim, short(v))
			last = y
		}
	}
	w := r.W / float32(len(counts))
	for i, n := range counts {
		if n > 0 {
			x, y := r.X+float32(i)*w, scale.at(float64(n))
			f.Fill(canvas.Rect{X: x + w*0.08, Y: y, W: w * 0.84, H: r.Y + r.H - y}, col)
		}
	}
}

// courses draws every series over time, one below the other, on one scale of seconds and of milliseconds.
func (f *figure) courses(r canvas.Rect) {
	f.title(r, "Course", "frame time in ms over time in s")
	seconds := axis{0, 1e-3, r.X, r.X + r.W}
	for _, c := range f.curves {
		seconds.hi = max(seconds.hi, c.Time.Seconds())
	}
	ticks := seconds.ticks(80)
	for i := range int(f.rows) {
		b := f.row(r, i, seconds, ticks)
		ms := f.ms.on(b.Y+b.H, b.Y)
		for _, v := range ms.ticks(15) {
			y := ms.at(v)
			f.Hair(b.X, y, b.W, 0, gridDim)
			if y-b.Y > 4 && b.Y+b.H-y > 2 {
				f.TextRight(canvas.Small, b.X-5, y+4, canvas.Dim, duration(v))
			}
		}
		f.dashed(b.X, ms.at(f.target), b.W, 0, 5, 4, goal.Fade(0.7))
		if i >= len(f.curves) || len(f.curves[i].d) == 0 {
			f.empty(b)
		}
		if i < len(f.curves) {
			f.course(&f.curves[i], b, seconds, ms)
		}
	}
	for _, t := range ticks {
		f.TextMid(canvas.Small, seconds.at(t), r.Y+r.H+14, canvas.Dim, number(t))
	}
}

// course draws one series as steps: a frame lasts from its start to its end at the height of its length. In a column of
// pixels the line goes to the shortest and to the longest of the frames that end there, so no spike is lost. The name
// of the series stands at the right.
func (f *figure) course(c *curve, b canvas.Rect, seconds, ms axis) {
	var pts []canvas.Point
	half := 0.5 / f.Scale() // to the middle of a column
	at, t := f.Snap(b.X)+half, 0.0
	for i := 0; i < len(c.d); {
		end := func() float32 { return f.Snap(seconds.at(t+c.d[i].Seconds())) + half }
		to, y := end(), ms.at(words.Millis(c.d[i]))
		first, lo, hi := y, y, y
		for ; i < len(c.d) && end() == to; i++ {
			y, t = ms.at(words.Millis(c.d[i])), t+c.d[i].Seconds()
			lo, hi = max(lo, y), min(hi, y)
		}
		pts = append(pts, canvas.Point{X: at, Y: first}, canvas.Point{X: to, Y: first})
		if lo-hi > 0.5 {
			pts = append(pts, canvas.Point{X: to, Y: hi}, canvas.Point{X: to, Y: lo}, canvas.Point{X: to, Y: y})
		}
		at = to
	}
	f.Line(pts, 1.1, c.col)
	w := min(f.Width(canvas.Small, c.name), b.W*0.6)
	f.Fill(canvas.Rect{X: b.X + b.W - w - 12, Y: b.Y + 2, W: w + 9, H: 14}, canvas.Ground.Fade(0.8))
	f.TextIn(canvas.Small, b.X+b.W-w-8, b.Y+13, w, c.col, c.name)
}
