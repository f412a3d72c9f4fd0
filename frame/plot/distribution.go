package plot

import "math"

// distributions draws for every series a histogram, one below the other, on one scale of milliseconds and one
// logarithmic scale of counts.
func (f *figure) distributions(r rect) {
	f.title(r, "Distribution", "frames per bucket, logarithmic; ms")
	ms := f.ms.on(r.x0, r.x1)
	counts, most := f.buckets(int(min(r.w()/7, 120)))
	ticks := ms.ticks(50)
	for i := range int(f.rows) {
		b := f.row(r, i)
		f.box(b, panel)
		for _, v := range ticks {
			f.vline(ms.at(v), b.y0, b.y1, gridDim)
		}
		if i >= len(f.curves) || len(f.curves[i].d) == 0 {
			f.empty(b)
			continue
		}
		f.distribution(&f.curves[i], b, counts[i], most)
		x := ms.at(f.target)
		f.dashed(point{x, b.y0}, point{x, b.y1}, 1.4, 6, 4, goal)
	}
	for _, v := range ticks {
		f.text(duration(v), ms.at(v), r.y1+18, 0.5, style{12.5, false, muted})
	}
}

// buckets counts every series' frames in n buckets of equal ratio. Frames below the scale count in the first.
func (f *figure) buckets(n int) (counts [][]int, most int) {
	for _, c := range f.curves {
		b := make([]int, n)
		for _, v := range c.sorted {
			k := math.Log(max(v, f.ms.lo)/f.ms.lo) / math.Log(f.ms.hi/f.ms.lo) * float64(n)
			i := min(max(int(k), 0), n-1)
			b[i]++
			most = max(most, b[i])
		}
		counts = append(counts, b)
	}
	return counts, most
}

func (f *figure) distribution(c *curve, r rect, counts []int, most int) {
	// From half a frame, so that a single one has a height, to a little more than the fullest bucket.
	scale := axis{0.5, max(10, 1.6*float64(most)), r.y1, r.y0}
	label := style{11, false, muted}
	last := math.Inf(1)
	for v, name := 1.0, "1"; v <= scale.hi; v, name = v*10, name+"0" {
		y := scale.at(v)
		f.hline(r.x0, r.x1, y, gridDim)
		if last-y >= 13 && y-r.y0 > 5 {
			f.text(short(name), r.x0-6, y+4, 1, label)
			last = y
		}
	}
	w := r.w() / float64(len(counts))
	for i, n := range counts {
		if n > 0 {
			x := r.x0 + float64(i)*w
			f.box(rect{x + w*0.08, scale.at(float64(n)), x + w*0.92, r.y1}, c.col)
		}
	}
}

// short writes a power of ten with k and M.
func short(power string) string {
	switch n := len(power); {
	case n > 6:
		return power[:n-6] + "M"
	case n > 3:
		return power[:n-3] + "k"
	}
	return power
}
