package plot

import (
	"strconv"
	"time"
)

// table draws the legend, which is the table of the figures that count, and returns where it ends.
func (f *figure) table(r rect) float64 {
	heads := [...]string{"frames", "p50 ms", "p99 ms", "max ms", "missed", "hitch ms/s"}
	widths := [...]float64{62, 60, 64, 68, 74, 86} // pixels
	const line = 23
	right := func(k int) float64 { // where column k ends
		x := r.x1
		for i := len(widths) - 1; i > k; i-- {
			x -= widths[i]
		}
		return x
	}
	y := r.y0 + 14
	for k, head := range heads {
		f.text(head, right(k), y, 1, style{12.5, false, muted})
	}
	f.hline(r.x0, r.x1, y+8, grid)
	y += 8
	for i := range f.curves {
		c := &f.curves[i]
		y += line
		at := point{r.x0 + 2, y - 5}
		f.line([]point{at, {at.x + 20, at.y}}, 4, c.col)
		name := style{13.5, true, text}
		f.text(f.fit(c.name, right(-1)-at.x-40, name), at.x+30, y, 0, name)
		for k, cell := range f.cells(c) {
			f.text(cell, right(k), y, 1, style{13.5, false, text})
		}
	}
	return y
}

// cells returns a series' row, in the order of the table's heads.
func (f *figure) cells(c *curve) [6]string {
	if c.N == 0 {
		return [6]string{"0", "–", "–", "–", "–", "–"}
	}
	fixed := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	ms := func(d time.Duration) string {
		if d >= time.Second {
			return strconv.FormatFloat(milliseconds(d), 'f', 0, 64)
		}
		return fixed(milliseconds(d))
	}
	return [6]string{
		strconv.Itoa(c.N), ms(c.ByFrame.P50), ms(c.ByFrame.P99), ms(c.ByFrame.Max), fixed(c.MissedPercent) + " %",
		fixed(c.HitchRatio),
	}
}
