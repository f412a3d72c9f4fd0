package canvas

import "math"

// A Point is a place in units.
type Point struct{ X, Y float32 }

// Line draws a line through the points, from the left to the right, with a round pen. The line through one point is a
// dot. A pixel at its edge is as opaque as it is covered.
func (c *Canvas) Line(pts []Point, width float32, col Colour) {
	if len(pts) == 0 {
		return
	}
	k := c.atlas.Scale
	in := make([]Point, len(pts)) // pixels
	for i, p := range pts {
		in[i] = Point{p.X * k, p.Y * k}
	}
	if c.svg != nil {
		c.svg.line(in, width*k, col)
		return
	}
	pen := width * k / 2
	left := int(in[0].X - pen)
	spans := make([]span, int(in[len(in)-1].X+pen)-left+1) // of each column of pixels, and none without a height
	from := in[0]
	for _, to := range in {
		lo, hi, slope := min(from.Y, to.Y), max(from.Y, to.Y), float64(0)
		if to.X > from.X {
			slope = float64((to.Y - from.Y) / (to.X - from.X))
		}
		for at := int(from.X - pen); at <= int(to.X+pen); at++ {
			x := min(max(float32(at)+0.5, from.X), to.X)
			d := float32(at) + 0.5 - x
			h := float32(math.Sqrt(float64(pen*pen-d*d)) * math.Hypot(1, slope))
			y := from.Y + (x-from.X)*float32(slope)
			if from.X == to.X {
				spans[at-left].add(lo-h, hi+h)
			} else {
				spans[at-left].add(max(y-h, lo-pen), min(y+h, hi+pen))
			}
		}
		from = to
	}
	for i, s := range spans {
		c.column(float32(left+i), s.from, s.to, col)
	}
}

// span is what a line covers of a column of pixels.
type span struct{ from, to float32 }

func (s *span) add(from, to float32) {
	switch {
	case !(from < to): // the pen does not reach the middle of the column
	case s.from == s.to:
		*s = span{from, to}
	default:
		s.from, s.to = min(s.from, from), max(s.to, to)
	}
}

// column fills a part of a column of pixels. The pixels at its ends are covered in part.
func (c *Canvas) column(x, from, to float32, col Colour) {
	first, end := float32(math.Ceil(float64(from))), float32(math.Floor(float64(to)))
	w := c.atlas.white
	if first > end { // within one pixel
		c.quad(x, end, x+1, first, w, col.Fade(to-from))
		return
	}
	if from < first {
		c.quad(x, first-1, x+1, first, w, col.Fade(first-from))
	}
	if first < end {
		c.quad(x, first, x+1, end, w, col)
	}
	if end < to {
		c.quad(x, end, x+1, end+1, w, col.Fade(to-end))
	}
}
