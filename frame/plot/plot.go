// Package plot draws the frame times of several runs as one picture, in PNG or SVG: percentiles, distributions, the
// course over time, and a table of the figures.
//
//	err := record.WriteFile("compare.png", func(w io.Writer) error {
//		return plot.Render(w, plot.Options{Title: "Naive and sliced", Subtitle: env.String()}, naive, sliced)
//	})
//
// # How to read it
//
// The percentile plot is HdrHistogram's. Every further nine takes the same room, so the rare frames have room too. A
// flat line is a steady game. Where the line leaves the target, frames begin to be late. The dot at the end is the
// longest frame.
//
// The distribution has a logarithmic count, so a single frame is visible beside a million. The course over time shows
// for every column of pixels the shortest and the longest frame in it, so no spike is lost. All three have one
// logarithmic scale of milliseconds.
//
// # Choices
//
// The colours are those of Okabe and Ito, lightened for a dark ground. People with any of the usual colour blindnesses
// tell them apart. The font is Go's own, built in. The same input gives the same bytes on one architecture. On
// another one a pixel's last bit may differ. The SVG has texts instead of glyphs, in the font of the reader, each as
// wide as in the PNG.
//
// A plotting library would bring more code than it saves: there is one picture, of boxes, lines and texts.
package plot

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"time"

	"github.com/frameslice/frameslice/internal/canvas"
	"github.com/frameslice/frameslice/internal/refresh"
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
	// Target is the interval which a frame should have; 0 means 1/60 s.
	Target time.Duration
}

// The picture's size in pixels, and the pixels of a unit.
const width, height, pixels = 1600, 900, 1.25

// maxSeries is how many series a picture has room for.
const maxSeries = 8

// Render draws the series and writes the picture to w as PNG of 1600 by 900 pixels. Series without frames, or none at
// all, are drawn as such. It fails on more than 8 series, and when w does. It takes some tenths of a second: do not
// call it on the frame goroutine.
func Render(w io.Writer, o Options, series ...Series) error {
	var c canvas.Canvas
	if err := onto(&c, c.Begin, o, series); err != nil {
		return err
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	c.Paint(img)
	return png.Encode(w, img)
}

// RenderSVG is Render of the same picture as SVG, to scale and to edit. It has no script and refers to nothing.
func RenderSVG(w io.Writer, o Options, series ...Series) error {
	var c canvas.Canvas
	if err := onto(&c, c.BeginSVG, o, series); err != nil {
		return err
	}
	_, err := io.WriteString(w, c.SVG())
	return err
}

// onto draws the series on a canvas.
func onto(c *canvas.Canvas, begin func(*canvas.Atlas, int, int), o Options, series []Series) error {
	if len(series) > maxSeries {
		return errors.New("plot: more than 8 series")
	}
	if o.Target <= 0 {
		o.Target = refresh.Default
	}
	letters := o.Title + o.Subtitle
	for _, s := range series {
		letters += s.Name
	}
	atlas, err := canvas.BakeFor(letters, pixels, canvas.Small, canvas.Strong, canvas.Title)
	if err != nil {
		return err
	}
	begin(atlas, width, height)
	draw(c, o, series)
	return nil
}
