package plot

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/words"
)

// curve is a series, with what the panels need of it.
type curve struct {
	name string
	col  canvas.Colour
	d    record.Intervals
	record.Metrics
	sorted []float64 // milliseconds, ascending
}

// figure is the picture: a head, the percentile plot and below it the courses on the left, the table and
// below it the distributions on the right.
type figure struct {
	*canvas.Canvas
	curves []curve
	frames int     // of the longest series
	rows   float32 // one for each series, and at least one
	ms     axis    // the scale of milliseconds that all panels share
	target float64 // in milliseconds
}

// The colours of what stands below the curves.
var (
	panel   = canvas.Track.Fade(0.4)
	grid    = canvas.Edge
	gridDim = canvas.Edge.Fade(0.55)
	goal    = canvas.White.Fade(0.72)
)

const (
	margin = 26 // around the picture
	scale  = 27 // what the numbers at the left of a panel take
	lines  = 18 // from a line of text to the next
)

// draw draws the series on a canvas of 1280 by 720 units.
func draw(c *canvas.Canvas, o Options, series []Series) {
	f := &figure{Canvas: c, target: words.Millis(o.Target)}
	for i, s := range series {
		d := record.Intervals(s.Intervals)
		cu := curve{name: s.Name, col: canvas.Palette(i), d: d, Metrics: d.Measure(o.Target)}
		if s.Color != nil {
			cu.col = canvas.Of(s.Color)
		}
		for _, x := range d {
			cu.sorted = append(cu.sorted, max(0, words.Millis(x)))
		}
		slices.Sort(cu.sorted)
		f.frames = max(f.frames, len(d))
		f.curves = append(f.curves, cu)
	}
	f.rows = float32(max(1, len(f.curves)))
	f.ms.lo, f.ms.hi = f.span()

	f.Fill(canvas.Rect{W: f.W, H: f.H}, canvas.Ground)
	top, bottom := f.head(o), f.H-32
	// The courses get room by their number, the percentile plot gets the rest.
	split := bottom - min(48+64*f.rows, (bottom-top)*0.36)
	right := f.W - margin - (f.W-2*margin)*0.43
	f.percentiles(between(margin+scale, top+21, right-24, split-51))
	after := f.table(right, top)
	f.distributions(between(right+scale, after+42, f.W-margin, split-51))
	f.courses(between(margin+scale, split+5, f.W-margin, bottom))
}

func between(x0, y0, x1, y1 float32) canvas.Rect {
	return canvas.Rect{X: x0, Y: y0, W: x1 - x0, H: y1 - y0}
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

// head writes the title and the subtitle, of two lines at most, and returns where they end.
func (f *figure) head(o Options) float32 {
	w, y := f.W-2*margin, float32(37)
	if o.Title != "" {
		f.TextIn(canvas.Title, margin, y, w, canvas.White, o.Title)
	}
	r := canvas.Rect{X: margin, Y: y + 6, W: w, H: 2 * lines}
	f.Wrap(canvas.Small, r, lines, canvas.Dim, []byte(o.Subtitle))
	for wide := f.Width(canvas.Small, o.Subtitle); wide > 0 && y < r.Y+lines; wide -= w {
		y += lines
	}
	return y + 20
}

// table writes the legend, which is the table of the figures that count, and returns where it ends.
func (f *figure) table(x0, y float32) float32 {
	heads := [...]string{"frames", "p50 ms", "p99 ms", "max ms", "missed", "hitch ms/s"}
	widths := [...]float32{48, 48, 51, 54, 59, 69}
	y += 11
	ends, x := [len(heads)]float32{}, f.W-margin
	for k := len(heads) - 1; k >= 0; k-- {
		ends[k] = x
		x -= widths[k]
		f.TextRight(canvas.Small, ends[k], y, canvas.Dim, heads[k])
	}
	y += 6
	f.Hair(x0, y, f.W-margin-x0, 0, grid)
	for i := range f.curves {
		c := &f.curves[i]
		y += lines
		f.Fill(canvas.Rect{X: x0 + 2, Y: y - 5, W: 16, H: 3}, c.col)
		f.TextIn(canvas.Small, x0+24, y, x-x0-32, canvas.White, c.name)
		for k, cell := range c.cells() {
			f.TextRight(canvas.Small, ends[k], y, canvas.White, cell)
		}
	}
	return y
}

// cells returns a series' row, in the order of the table's heads.
func (c *curve) cells() [6]string {
	if c.N == 0 {
		return [6]string{"0", "–", "–", "–", "–", "–"}
	}
	fixed := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	ms := func(d time.Duration) string {
		if d >= time.Second {
			return strconv.FormatFloat(words.Millis(d), 'f', 0, 64)
		}
		return fixed(words.Millis(d))
	}
	return [6]string{
		strconv.Itoa(c.N), ms(c.ByFrame.P50), ms(c.ByFrame.P99), ms(c.ByFrame.Max), fixed(c.MissedPercent) + " %",
		fixed(c.HitchRatio),
	}
}

// title writes a panel's heading above it.
func (f *figure) title(r canvas.Rect, name, note string) {
	x := f.Text(canvas.Strong, r.X-scale, r.Y-9, canvas.White, name)
	f.Text(canvas.Small, x+8, r.Y-9, canvas.Dim, note)
}

// empty tells in a panel that there is nothing to draw.
func (f *figure) empty(r canvas.Rect) {
	f.TextMid(canvas.Strong, r.X+r.W/2, r.Y+r.H/2+4, canvas.Dim, "no frames")
}

// row draws the ground of the i-th series in a panel, with a line at each tick, and returns where it lies. The series
// lie one below the other, with a gap.
func (f *figure) row(r canvas.Rect, i int, across axis, ticks []float64) canvas.Rect {
	const gap = 5
	h := (r.H - gap*(f.rows-1)) / f.rows
	b := canvas.Rect{X: r.X, Y: r.Y + float32(i)*(h+gap), W: r.W, H: h}
	f.Fill(b, panel)
	for _, v := range ticks {
		f.Hair(across.at(v), b.Y, 0, b.H, gridDim)
	}
	return b
}

// dashed draws a horizontal line, or a vertical one if w is 0, as dashes of on units with gaps of off.
func (f *figure) dashed(x, y, w, h, on, off float32, col canvas.Colour) {
	for at := float32(0); at < max(w, h); at += on + off {
		n := min(on, max(w, h)-at)
		if w > 0 {
			f.Hair(x+at, y, n, 0, col)
		} else {
			f.Hair(x, y+at, 0, n, col)
		}
	}
}
