package plot

import "strconv"

// table draws the legend, which is the table of the figures that count, and returns where it ends.
func (f *figure) table(r rect) float64 {
	heads := [...]string{"frames", "p50 ms", "p99 ms", "max ms", "missed", "hitch ms/s"}
	widths := [...]float64{62, 60, 64, 68, 74, 86} // design pixels
	line := f.px(23)
	right := func(k int) float64 { // where column k ends
		x := r.x1
		for i := len(widths) - 1; i > k; i-- {
			x -= f.px(widths[i])
		}
		return x
	}
	y := r.y0 + f.px(14)
	for k, head := range heads {
		f.text(head, right(k), y, 1, style{12.5, false, muted})
	}
	f.hline(r.x0, r.x1, y+f.px(8), grid)
	y += f.px(8)
	for i := range f.curves {
		c := &f.curves[i]
		y += line
		at := point{r.x0 + f.px(2), y - f.px(5)}
		f.line([]point{at, {at.x + f.px(20), at.y}}, f.px(4), c.col)
		name := style{13.5, true, text}
		f.text(f.fit(c.name, right(-1)-at.x-f.px(40), name), at.x+f.px(30), y, 0, name)
		for k, cell := range f.cells(c) {
			f.text(cell, right(k), y, 1, style{13.5, false, text})
		}
	}
	return y
}

// cells returns a series' row, in the order of the table's heads.
func (f *figure) cells(c *curve) [6]string {
	n := len(c.d)
	if n == 0 {
		return [6]string{"0", "–", "–", "–", "–", "–"}
	}
	fixed := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	ms := func(v float64) string {
		if v >= 1000 {
			return fixed(v, 0)
		}
		return fixed(v, 2)
	}
	return [6]string{
		strconv.Itoa(n), ms(milliseconds(c.d.Percentile(50))), ms(milliseconds(c.d.Percentile(99))),
		ms(milliseconds(c.d.Max())), fixed(c.d.MissedPercent(f.o.Target), 2) + " %",
		fixed(c.d.HitchRatio(f.o.Target), 2),
	}
}
