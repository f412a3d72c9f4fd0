package load

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
)

// WritePNG draws the intervals of all modes that ran as one picture.
func (r *Report) WritePNG(w io.Writer) error {
	var series []plot.Series
	for _, x := range r.Modes {
		if x.Frames > 0 {
			series = append(series, plot.Series{Name: x.turn().String(), Intervals: x.Intervals})
		}
	}
	paint(series)
	s, env := &r.Settings, strings.Split(r.Env.String(), "\n")
	o := plot.Options{
		Title: "Frame times beside background work",
		Subtitle: fmt.Sprintf("%s; own work %.3g ms a frame; %s; %s", r.offer(), s.OwnRealMS, r.span(),
			strings.Join(env[:2], ", ")),
		Target: time.Duration(s.IntervalMS * float64(time.Millisecond)),
	}
	if r.Partial {
		o.Title += fmt.Sprintf(" (partial: %s)", cmp.Or(r.turns(), "interrupted"))
	}
	return plot.Render(w, o, series...)
}

// hue is a colour, and the mode that has it in every picture, whatever stands beside it.
type hue struct {
	mode  Mode
	color color.NRGBA
}

// hues returns the colours of package plot, each for the mode whose colour in the demo's overlay is nearest. People
// with any of the usual colour blindnesses tell them apart.
func hues() []hue {
	return []hue{
		{Idle, color.NRGBA{0xc8, 0xce, 0xd6, 0xff}},         // grey
		{Inline, color.NRGBA{0xf0, 0x6a, 0x2a, 0xff}},       // vermilion
		{Goroutines, color.NRGBA{0xe6, 0x9f, 0x00, 0xff}},   // orange
		{Workers, color.NRGBA{0x5d, 0x8f, 0xf5, 0xff}},      // blue
		{Errgroup, color.NRGBA{0xe0, 0x8a, 0xbb, 0xff}},     // reddish purple
		{Frameslice, color.NRGBA{0x1f, 0xc3, 0x96, 0xff}},   // bluish green
		{LeaveOne, color.NRGBA{0x4f, 0xd8, 0xe8, 0xff}},     // sky
		{InlineBudget, color.NRGBA{0xf0, 0xe4, 0x42, 0xff}}, // yellow
	}
}

// paint gives each series the colour of its mode. Series whose mode has none get the colours that are left.
func paint(series []plot.Series) {
	left := hues()
	take := func(s *plot.Series, i int) {
		s.Color = left[i].color
		left = slices.Delete(left, i, i+1)
	}
	for k := range series {
		s := &series[k]
		if i := slices.IndexFunc(left, func(h hue) bool { return string(h.mode) == s.Name }); i >= 0 {
			take(s, i)
		}
	}
	for k := range series {
		if s := &series[k]; s.Color == nil && len(left) > 0 {
			take(s, len(left)-1)
		}
	}
}
