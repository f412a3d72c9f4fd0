package plot

import (
	"image/color"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// curve is a series, with what the panels need of it.
type curve struct {
	name string
	col  color.NRGBA
	d    record.Intervals
	record.Metrics
	sorted []float64 // milliseconds, ascending
}

// figure is the picture: a head, the percentile plot and below it the courses on the left, the table and
// below it the distributions on the right.
type figure struct {
	*canvas
	o      Options
	curves []curve
	frames int     // of the longest series
	rows   float64 // one for each series, and at least one
	ms     axis    // the scale of milliseconds that all panels share
	target float64 // in milliseconds
}

func newFigure(c *canvas, o Options, series []Series) *figure {
	f := &figure{canvas: c, o: o, target: o.Target.Seconds() * 1000}
	for i, s := range series {
		d := record.Intervals(s.Intervals)
		cu := curve{name: s.Name, col: colorOf(s, i), d: d, Metrics: d.Measure(o.Target)}
		cu.sorted = make([]float64, len(d))
		for k, x := range d {
			cu.sorted[k] = max(0, milliseconds(x))
		}
		slices.Sort(cu.sorted)
		f.frames = max(f.frames, len(cu.sorted))
		f.curves = append(f.curves, cu)
	}
	f.rows = float64(max(1, len(f.curves)))
	f.ms.lo, f.ms.hi = f.span()
	return f
}

// span returns the range of milliseconds to show: all of it, with some air. The range begins at an eighth of the target
// or above, because an interval of a microsecond would take the room from all others. It contains 0.8 to 1.6 targets,
// so that the noise of an even run does not fill the picture.
func (f *figure) span() (lo, hi float64) {
	lo, hi = 0.8*f.target, 1.6*f.target
	for _, c := range f.curves {
		if n := len(c.sorted); n > 0 {
			lo, hi = min(lo, c.sorted[0]), max(hi, c.sorted[n-1])
		}
	}
	lo = max(lo, f.target/8)
	air := math.Pow(hi/lo, 0.05)
	return lo / air, hi * air
}

func (f *figure) draw() {
	const w, h, margin float64 = width, height, 32
	top := f.head(margin, w-margin)
	bottom := h - 40
	// The courses get room by their number, the percentile plot gets the rest.
	courses := min(60+80*f.rows, (bottom-top)*0.36)
	split := bottom - courses
	right := w - margin - (w-2*margin)*0.43
	f.percentiles(rect{margin + 34, top + 26, right - 30, split - 64})
	after := f.table(rect{right, top, w - margin, split})
	f.distributions(rect{right + 34, after + 52, w - margin, split - 64})
	f.courses(rect{margin + 34, split + 6, w - margin, bottom})
}

// head writes the title and the subtitle and returns where they end.
func (f *figure) head(x0, x1 float64) float64 {
	y := 46.0
	title := style{26, true, text}
	if f.o.Title != "" {
		f.text(f.fit(f.o.Title, x1-x0, title), x0, y, 0, title)
	}
	sub := style{14, false, muted}
	for _, line := range f.wrap(f.o.Subtitle, x1-x0, 2, sub) {
		y += 22
		f.text(line, x0, y, 0, sub)
	}
	return y + 24
}

// wrap breaks t at blanks into at most n lines of the width; the last one is shortened.
func (f *figure) wrap(t string, width float64, n int, s style) []string {
	var lines []string
	words := strings.Fields(t)
	for len(words) > 0 {
		k := len(words)
		if len(lines) < n-1 {
			k = 1 + sort.Search(len(words)-1, func(k int) bool {
				return f.textWidth(strings.Join(words[:k+2], " "), s) > width
			})
		}
		lines = append(lines, f.fit(strings.Join(words[:k], " "), width, s))
		words = words[k:]
	}
	return lines
}

// title writes a panel's heading above it.
func (f *figure) title(r rect, name, note string) {
	s := style{14, true, text}
	x := r.x0 - 34
	f.text(name, x, r.y0-12, 0, s)
	f.text(note, x+f.textWidth(name, s)+10, r.y0-12, 0, style{13, false, muted})
}

// empty tells in a panel that there is nothing to draw.
func (f *figure) empty(r rect) {
	f.text("no frames", (r.x0+r.x1)/2, (r.y0+r.y1)/2+5, 0.5, style{16, false, muted})
}

// row is where the i-th series has its part of a panel: one below the other, with a gap of 6 pixels.
func (f *figure) row(r rect, i int) rect {
	const gap = 6
	h := (r.h() - gap*(f.rows-1)) / f.rows
	y := r.y0 + float64(i)*(h+gap)
	return rect{r.x0, y, r.x1, y + h}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
