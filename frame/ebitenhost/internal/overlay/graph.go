package overlay

import (
	"math"
	"strconv"

	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/words"
)

// refreshes is how many refreshes the graph is high.
const refreshes = 3

// graph draws the last frames as bars: the game's own part, the slice on top of it, the rest of its budget, and the
// interval behind all. The part of a late frame above the line of the refresh is red. Ticks below are garbage
// collections.
func (v *View) graph(c *canvas.Canvas, r canvas.Rect) {
	in := c.Panel(r, "frames, ms")
	v.figures(c, r)
	in.Y, in.H = in.Y+2, in.H-4
	target := float32(words.Millis(v.target))
	base := in.Y + in.H
	y := func(ms float32) float32 { return base - in.H*min(ms/(target*refreshes), 1) }
	for k := 1; k < refreshes; k++ {
		col := canvas.Edge
		if k == 1 {
			col = canvas.White.Fade(0.45)
		}
		c.Hair(in.X, y(target*float32(k)), in.W, 0, col)
	}
	shown := min(max(int(in.W/2), 60), 480)
	// Columns meet on whole pixels, or there would be gaps.
	edge := func(i int) float32 { return c.Snap(in.X + in.W - in.W/float32(shown)*float32(i)) }
	for i := range min(v.frames.Held, shown) {
		s := v.frames.At(i)
		x, w := edge(i+1), edge(i)-edge(i+1)
		bar := func(from, to float32, col canvas.Colour) {
			top := y(to)
			c.Fill(canvas.Rect{X: x, Y: top, W: w, H: y(from) - top}, col)
		}
		col := accent.Fade(0.22)
		if !s.Counts {
			col = canvas.White.Fade(0.1)
		}
		bar(0, min(s.Interval, target), col)
		if s.Own > 0.05 {
			bar(0, s.Own, canvas.White.Fade(0.5))
		}
		if s.Slice > 0.05 {
			bar(s.Own, s.Own+s.Slice, accent.Fade(0.95))
		}
		if rest := s.Budget - s.Slice; rest > 0.05 && s.Missed == 0 {
			bar(s.Own+s.Slice, s.Own+s.Budget, accent.Fade(0.18))
		}
		if s.Missed > 0 {
			col = canvas.Warn
			if s.Missed > 1 {
				col = canvas.Bad
			}
			bar(target, s.Interval, col)
		}
		if s.Interval > target*refreshes { // beyond the panel: a tooth at its top
			c.Fill(canvas.Rect{X: x, Y: in.Y - 3, W: w, H: 2}, canvas.Bad)
		}
		if s.GC {
			c.Fill(canvas.Rect{X: x, Y: base + 2, W: max(w, 1), H: 3}, canvas.Warn)
		}
	}
	b := strconv.AppendFloat(c.Buf[:0], 1000/float64(target), 'f', 0, 64)
	c.Label(canvas.Small, in.X+4, y(target)-3, canvas.Dim, append(b, " Hz"...))
}

// figures writes the figures of the frames beside the graph's caption, from the right, as many as there is room for.
func (v *View) figures(c *canvas.Canvas, r canvas.Rect) {
	d := &v.shown
	x, y := r.X+r.W-canvas.Pad, r.Y+canvas.Pad+8
	least := r.X + canvas.Pad + c.Width(canvas.Small, "frames, ms") + 8
	figure := func(name string, col canvas.Colour, b []byte) {
		if x-c.BytesWidth(canvas.Small, b)-c.Width(canvas.Small, name)-4 < least {
			x = least
			return
		}
		x = c.BytesRight(canvas.Small, x, y, col, b) - 4
		c.TextRight(canvas.Small, x, y, canvas.Dim, name)
		x -= c.Width(canvas.Small, name) + 10
	}
	if d.counted == 0 {
		c.TextRight(canvas.Small, x, y, canvas.Dim, "no frame counts yet")
		return
	}
	col := canvas.Good
	if d.share >= 1 {
		col = canvas.Warn
	}
	if d.share >= 5 {
		col = canvas.Bad
	}
	b := append(words.AppendCount(c.Buf[:0], d.missed), ", "...)
	b = strconv.AppendFloat(b, d.share, 'f', 2, 64)
	figure("missed", col, append(b, " %"...))
	figure("max", v.grade(d.worst), words.AppendTenths(c.Buf[:0], d.worst))
	figure("p99", v.grade(d.p99), words.AppendTenths(c.Buf[:0], d.p99))
	figure("p50", canvas.White, words.AppendTenths(c.Buf[:0], d.p50))
	figure("fps", canvas.White, words.AppendTenths(c.Buf[:0], d.fps))
}

// distribution draws how often each interval came: both axes are logarithmic, so that one hitch among thousands of good
// frames can be seen, with the median and the 99th percentile.
func (v *View) distribution(c *canvas.Canvas, r canvas.Rect) {
	f, d := &v.frames, &v.shown
	b := append(words.AppendCount(c.Buf[:0], d.counted), " frames"...)
	in := panel(c, r, "distribution, ms", canvas.Dim, b)
	plot := canvas.Rect{X: in.X, Y: in.Y, W: in.W, H: in.H - 11}
	base := plot.Y + plot.H
	x := func(ms float64) float32 {
		const from, to = 4, 500
		return plot.X + plot.W*float32(min(max(math.Log(ms/from)/math.Log(to/from), 0), 1))
	}
	c.Hair(plot.X, base, plot.W, 0, canvas.Edge)
	for _, tick := range [...]struct {
		name string
		ms   float64
	}{{"8", 8.333}, {"17", 16.667}, {"33", 33.333}, {"100", 100}, {"300", 300}} {
		c.Hair(x(tick.ms), base, 0, 3, canvas.Faint)
		c.TextMid(canvas.Small, x(tick.ms), base+12, canvas.Dim, tick.name)
	}
	if d.counted > 0 { // below the bars
		v.mark(c, plot, x(d.p50), "p50 ", d.p50, false)
		v.mark(c, plot, x(d.p99), "p99 ", d.p99, true)
	}
	most := 1
	for i := range hist.Bars {
		most = max(most, f.Bar(i))
	}
	high := (plot.H - 12) / depthOf(most)
	for i := range hist.Bars {
		n := f.Bar(i)
		if n == 0 {
			continue
		}
		from := hist.BarFrom(i)
		x0 := min(x(from), plot.X+plot.W-2)
		col := v.grade(from)
		if col == canvas.White {
			col = accent
		}
		h := depthOf(n) * high
		c.Fill(canvas.Rect{X: x0, Y: base - h, W: max(x(hist.BarFrom(i+1))-x0-0.5, 2), H: h}, col)
	}
}

// mark draws the line of a percentile. The median's label stands left of its line and the tail's right of its, so the
// two do not meet. At the edge of the plot the tail's label goes to the left, one line lower.
func (v *View) mark(c *canvas.Canvas, plot canvas.Rect, x float32, name string, ms float64, right bool) {
	c.Hair(x, plot.Y-2, 0, plot.H+2, canvas.White.Fade(0.5))
	b := words.AppendTenths(append(c.Buf[:0], name...), ms)
	wide := c.BytesWidth(canvas.Small, b)
	at, y := x+5, plot.Y+10
	if !right {
		at = max(x-5-wide, plot.X+3)
	} else if at+wide > plot.X+plot.W {
		at, y = x-5-wide, plot.Y+24
	}
	c.Label(canvas.Small, at, y, canvas.White, b)
}

// depthOf returns the height of a bar for a count, on a logarithmic scale.
func depthOf(n int) float32 { return float32(math.Log1p(float64(n))) }
