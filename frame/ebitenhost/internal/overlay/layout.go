package overlay

import "github.com/frameslice/frameslice/internal/canvas"

// Scale returns how many pixels a unit of the overlay has on a screen of w by h pixels. A point of the display has so
// many pixels. The scale is a multiple of a quarter, so that resizing a window does not paint text all the time. It is
// at least 1, and never so large that the screen has no room for text.
func Scale(w, h int, pixels float32) float32 {
	grown := max(min(float32(w)/1280, float32(h)/720), min(pixels, float32(w)/leastWidth))
	return max(float32(int(4*grown+0.01))/4, 1) // 0.01: a width is rounded to whole pixels
}

// leastWidth is the width of a screen that has room for text, in units.
const leastWidth = 150

// Small reports whether a screen of w by h units is one on which all panels would cover about half of the game.
func Small(w, h float32) bool { return w < 960 || h < 540 }

// The small form has a graph of this size, and shows a hitch for so many seconds.
const (
	smallWidth, smallHeight = 290, 62
	smallHitch              = 10
)

// DrawSmall lays out the small form, in the upper right corner: the graph with its figures, and the last hitch while
// it is new.
func (v *View) DrawSmall(c *canvas.Canvas) {
	if c.W < leastWidth || c.H < smallHeight+2*margin {
		return
	}
	w := min(smallWidth, max(c.W/2, leastWidth-2*margin))
	r := canvas.Rect{X: c.W - margin - w, Y: margin, W: w, H: smallHeight}
	v.graph(c, r)
	r.Y, r.H = r.Y+r.H+canvas.Gap, hitchHeight
	if v.hitch.late > 0 && v.at.Sub(v.hitch.at).Seconds() < smallHitch && r.Y+r.H+margin <= c.H {
		v.lastHitch(c, r)
	}
}

// margin is the space between the screen's edge and the panels.
const margin = 6

// Draw lays out the panels. On a wide screen they stand along the right and the lower edge, and on a narrow one in one
// column. Panels for which there is no room are left out.
func (v *View) Draw(c *canvas.Canvas) {
	if c.W < leastWidth {
		return
	}
	room := min(max((c.H-360)/360, 0), 1) // 1: as much as in a window of 1280x720
	grow := func(small, large float32) float32 { return small + (large-small)*room }
	foot, side := grow(84, 124), grow(222, 262)
	col := canvas.Rect{X: margin, Y: margin, W: c.W - 2*margin, H: c.H - 2*margin}
	wide := c.W >= 2*side+100 && c.H >= 2*foot
	if wide {
		low := canvas.Rect{X: margin, Y: c.H - margin - foot, W: c.W - 2*margin - side - canvas.Gap, H: foot}
		col = canvas.Rect{X: low.X + low.W + canvas.Gap, Y: margin, W: side, H: low.Y - canvas.Gap - margin}
		v.graph(c, low)
		v.distribution(c, canvas.Rect{X: col.X, Y: low.Y, W: side, H: foot})
	}
	// place draws a panel below the one before, of the best height or of what room there is, if that is not too little.
	place := func(least, best float32, panel func(*canvas.Canvas, canvas.Rect)) {
		if h := min(best, col.H); h > 0 && h >= least {
			panel(c, canvas.Rect{X: col.X, Y: col.Y, W: col.W, H: h})
			col.Y, col.H = col.Y+h+canvas.Gap, col.H-h-canvas.Gap
		}
	}
	if !wide {
		place(50, min(foot, 0.4*c.H), v.graph)
	}
	place(hitchHeight, hitchHeight, v.lastHitch)
	if v.active {
		if best := float32(sliceHeight); c.H < 480 { // no room for the latency
			place(best, best, v.slice)
		} else {
			place(best, best+lineHeight, v.slice)
		}
		place(queueHeight, queueHeight, v.queues)
		if n := float32(rows(len(v.pool.PerWorker))); n > 0 {
			place(head+5*n, head+rowHeight*n, v.workers)
		}
		if v.work.ranked > 0 {
			place(head+2*lineHeight, head+shownKinds*lineHeight, v.kinds)
		}
	}
	if !wide {
		place(foot, foot, v.distribution)
	}
}
