package plot

import (
	"image/color"
	"math"
	"strconv"
)

// percentiles draws the percentile plot into r.
func (f *figure) percentiles(r rect) {
	f.title(r, "Frame time by percentile", "ms; every nine takes the same room")
	f.box(r, panel)
	ms := f.ms.on(r.y1, r.y0)
	label := style{12.5, false, muted}
	for _, v := range ms.ticks(26) {
		f.hline(r.x0, r.x1, ms.at(v), grid)
		f.text(duration(v), r.x0-8, ms.at(v)+4.5, 1, label)
	}
	q := axis{1, math.Pow(10, max(2, math.Log10(float64(max(1, f.frames)))+0.12)), r.x0, r.x1}
	f.nines(r, q)
	if f.frames == 0 {
		f.empty(r)
		return
	}
	f.within(r, func() {
		f.goalLine(r, ms)
		for i := len(f.curves) - 1; i >= 0; i-- { // the first series lies on top
			f.percentileCurve(&f.curves[i], q, ms)
		}
	})
}

// nines draws the percentile axis: 0, 50, 90, 95, 99, 99.9 % and so on, up to what the frames can tell.
func (f *figure) nines(r rect, q axis) {
	label := style{12.5, false, muted}
	tick := func(name string, x float64, col color.NRGBA) {
		if x <= q.hi {
			f.vline(q.at(x), r.y0, r.y1, col)
			f.text(name, q.at(x), r.y1+18, 0.5, label)
		}
	}
	tick("0 %", 1, grid)
	tick("50 %", 2, gridDim)
	tick("80 %", 5, gridDim)
	tick("90 %", 10, grid)
	tick("95 %", 20, gridDim)
	tick("98 %", 50, gridDim)
	for x, digits := 100.0, 0; x <= q.hi; x, digits = x*10, digits+1 {
		tick(strconv.FormatFloat(100-100/x, 'f', digits, 64)+" %", x, grid)
	}
}

// goalLine marks the target and its double, from which on JankStats calls a frame jank.
func (f *figure) goalLine(r rect, ms axis) {
	y := ms.at(f.target)
	f.dashed(point{r.x0, y}, point{r.x1, y}, 1.4, 7, 5, goal)
	f.text("target "+strconv.FormatFloat(f.target, 'f', 2, 64)+" ms", r.x1-10, y+17, 1,
		style{12.5, true, goal})
	if y2 := ms.at(2 * f.target); y2 > r.y0+14 && y-y2 > 30 {
		f.dashed(point{r.x0, y2}, point{r.x1, y2}, 1, 2, 6, faint(goal, 0.55))
		f.text("2 × target", r.x0+10, y2-6, 0, style{12, false, faint(goal, 0.7)})
	}
}

// percentileCurve draws one series. Of n frames, the one with i shorter frames stands at n/(n-i). So the longest stands
// at n, with a dot.
func (f *figure) percentileCurve(c *curve, q, ms axis) {
	n := len(c.sorted)
	if n == 0 {
		return
	}
	var pts []point
	for i, v := range c.sorted {
		p := point{q.at(float64(n) / float64(n-i)), ms.at(v)}
		// Of the many frames within a pixel only the last is drawn.
		if k := len(pts); k > 1 && p.x-pts[k-2].x < 0.7 {
			pts[k-1] = p
			continue
		}
		pts = append(pts, p)
	}
	f.line(pts, 2.4, c.col)
	end := pts[len(pts)-1]
	f.dot(end, 5.5, panel)
	f.dot(end, 4, c.col)
}
