// Package plot draws frame times as one picture in PNG: for several named series, which were measured under
// the same conditions, the percentiles, the distributions, the course over time, and a table of the figures
// that count.
//
//	err := record.WriteFile("compare.png", func(w io.Writer) error {
//		return plot.Render(w, plot.Options{Title: "Naive and sliced", Subtitle: env.String()}, naive, sliced)
//	})
//
// # How to read it
//
// The percentile plot is HdrHistogram's: its horizontal axis is 1/(1-q) on a logarithmic scale, so that
// every further nine takes the same room and the rare frames are not squeezed into the last pixel. A flat
// line is a steady game; where the line leaves the target is how often it is not. The dot at the end is the
// longest frame. The distribution has a logarithmic count: a single frame is visible beside a million. The
// course over time shows for every column of pixels the shortest and the longest frame in it, so that no
// spike is lost to the picture's width. All three have one logarithmic scale of milliseconds.
//
// # Choices
//
// The colours are those of Okabe and Ito, which people with any of the usual colour blindnesses tell apart,
// lightened for a dark ground. The picture depends on nothing but the arguments: the fonts are Go's own,
// built in. The same input gives the same bytes, on one architecture at least; another one may fuse
// multiplications and differ in a pixel's last bit.
//
// Drawn with golang.org/x/image alone. A plotting library would bring more code than it saves: there is one
// picture.
//
// Any goroutine may call Render; it takes a tenth of a second, so never the frame goroutine.
package plot

import (
	"errors"
	"image/color"
	"image/png"
	"io"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// A Series is the frames of one run.
type Series struct {
	// Name stands in the table and at the series' plots.
	Name string
	// Intervals are the intervals between the starts of successive frames, in order; warm-up and jumps left out.
	Intervals []time.Duration
	// Color is the series' colour; nil means the palette's next one.
	Color color.Color
}

// Options are the settings of a picture. The zero value is ready.
type Options struct {
	// Title and Subtitle stand above the picture. Put the environment into the Subtitle: what was measured,
	// where, how. It is broken into two lines at most.
	Title, Subtitle string
	// Target is the interval which a frame should have; 0 means record.DefaultInterval, 1/60 s.
	Target time.Duration
	// Width and Height are the picture's size in pixels; 0 means 1600 by 900. Everything scales with it. The
	// least are 640 by 360, the most 8192 each.
	Width, Height int
}

// The sizes which Render accepts, in pixels.
const (
	minWidth, minHeight, maxSide = 640, 360, 8192
)

// MaxSeries is how many series a picture has room for.
const MaxSeries = 8

var (
	errSeries = errors.New("plot: more than 8 series")
	errSize   = errors.New("plot: width or height out of range")
)

// Render draws the series and writes the picture to w as PNG. Series without frames, or none at all, are
// drawn as such. It fails on more than MaxSeries, on a size out of range, and when w does.
func Render(w io.Writer, o Options, series ...Series) error {
	if len(series) > MaxSeries {
		return errSeries
	}
	if o.Width == 0 {
		o.Width = 1600
	}
	if o.Height == 0 {
		o.Height = 900
	}
	if o.Width < minWidth || o.Height < minHeight || o.Width > maxSide || o.Height > maxSide {
		return errSize
	}
	if o.Target <= 0 {
		o.Target = record.DefaultInterval
	}
	c, err := newCanvas(o.Width, o.Height)
	if err != nil {
		return err
	}
	newFigure(c, o, series).draw()
	return png.Encode(w, c.img)
}
