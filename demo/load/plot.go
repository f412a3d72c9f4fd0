package load

import (
	"image/color"
	"io"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
)

// writePNG draws the intervals of all modes that ran as one picture.
func (r *Report) writePNG(w io.Writer) error {
	var series []plot.Series
	for _, x := range r.Modes {
		if x.Frames > 0 {
			series = append(series, plot.Series{Name: string(x.Mode), Intervals: x.intervals, Color: hue(x.Mode)})
		}
	}
	o := plot.Options{
		Title:    "Frame times beside background work",
		Subtitle: r.settings() + "; " + strings.Join(strings.Split(r.Env.String(), "\n")[:2], ", "),
		Target:   time.Duration(r.Settings.IntervalMS * float64(time.Millisecond)),
	}
	if r.Partial {
		o.Title += " (partial: interrupted)"
	}
	return plot.Render(w, o, series...)
}

// hue returns the colour of a mode in every picture, near the one that it has in the game. People with any of the usual
// colour blindnesses tell them apart.
func hue(m Mode) color.Color {
	switch m {
	case Idle:
		return color.NRGBA{0xc8, 0xce, 0xd6, 0xff} // grey
	case Inline:
		return color.NRGBA{0xf0, 0x6a, 0x2a, 0xff} // vermilion
	case Goroutines:
		return color.NRGBA{0xe6, 0x9f, 0x00, 0xff} // orange
	case Workers:
		return color.NRGBA{0x5d, 0x8f, 0xf5, 0xff} // blue
	case Errgroup:
		return color.NRGBA{0xe0, 0x8a, 0xbb, 0xff} // reddish purple
	case Balanced:
		return color.NRGBA{0x4f, 0xd8, 0xe8, 0xff} // sky
	case InlineBudget:
		return color.NRGBA{0xf0, 0xe4, 0x42, 0xff} // yellow
	}
	return color.NRGBA{0x1f, 0xc3, 0x96, 0xff} // Frameslice: bluish green
}
