package plot

import "math"

// courses draws every series over time, one below the other, on one scale of seconds and of milliseconds.
func (f *figure) courses(r rect) {
	f.title(r, "Course", "frame time in ms over time in s")
	seconds := 0.0
	for _, c := range f.curves {
		seconds = max(seconds, c.Time.Seconds())
	}
	ticks := linearTicks(seconds, int(r.w()/110))
	for i := range int(f.rows) {
		b := f.row(r, i)
		f.box(b, panel)
		if seconds > 0 {
			for _, t := range ticks {
				f.vline(r.x0+t/seconds*r.w(), b.y0, b.y1, gridDim)
			}
		}
		ms := f.ms.on(b.y1, b.y0)
		f.courseScale(b, ms)
		if i >= len(f.curves) {
			f.empty(b)
			continue
		}
		c := &f.curves[i]
		if len(c.d) == 0 {
			f.empty(b)
		}
		f.within(b, func() { f.course(c, b, ms, seconds) })
		f.courseName(c, b)
	}
	for _, t := range ticks {
		x := r.x0
		if seconds > 0 {
			x += t / seconds * r.w()
		}
		f.text(number(t), x, r.y1+18, 0.5, style{12.5, false, muted})
	}
}

func (f *figure) courseScale(b rect, ms axis) {
	label := style{11, false, muted}
	for _, v := range ms.ticks(17) {
		y := ms.at(v)
		f.hline(b.x0, b.x1, y, gridDim)
		if y-b.y0 > 5 && b.y1-y > 2 {
			f.text(duration(v), b.x0-6, y+4, 1, label)
		}
	}
	y := ms.at(f.target)
	f.dashed(point{b.x0, y}, point{b.x1, y}, 1, 6, 5, faint(goal, 0.7))
}

// course draws one series as steps: a frame lasts from its start to its end at the height of its length.
// Frames that end within one column of pixels are drawn as the column from the shortest to the longest, so
// no spike is lost.
func (f *figure) course(c *curve, b rect, ms axis, seconds float64) {
	var (
		w       = 1.3
		steps   []point
		columns [][]point
		at      = b.x0 // the present column, and the span of its frames
		hi, lo  = math.Inf(1), math.Inf(-1)
		last    float64 // the height of its last frame
	)
	flush := func() {
		if hi < lo {
			columns = append(columns, []point{
				{at - w/2, hi - w/2}, {at - w/2, lo + w/2}, {at + w/2, lo + w/2}, {at + w/2, hi - w/2},
			})
		}
	}
	t := 0.0
	for _, d := range c.d {
		t += d.Seconds()
		x, y := b.x0, ms.at(milliseconds(d))
		if seconds > 0 {
			x = math.Floor(b.x0+t/seconds*b.w()) + 0.5
		}
		if x != at || len(steps) == 0 {
			flush()
			if len(steps) > 0 {
				steps = append(steps, point{at, last})
			}
			steps = append(steps, point{at, y}, point{x, y})
			at, hi, lo, last = x, y, y, y
			continue
		}
		hi, lo, last = min(hi, y), max(lo, y), y
	}
	flush()
	if len(steps) > 0 {
		steps = append(steps, point{at, last})
	}
	f.line(steps, w, faint(c.col, 0.8))
	f.fill(c.col, columns...)
}

// courseName writes the name of a series into its row.
func (f *figure) courseName(c *curve, b rect) {
	name := style{13, true, c.col}
	label := f.fit(c.name, b.w()*0.6, name)
	ground := rect{b.x1 - f.textWidth(label, name) - 18, b.y0 + 3, b.x1 - 4, b.y0 + 22}
	f.box(ground, faint(panel, 0.8))
	f.text(label, b.x1-11, b.y0+17, 1, name)
}
