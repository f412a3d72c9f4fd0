package load

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
)

// WritePNG draws the intervals of all modes that ran as one picture.
func (r *Report) WritePNG(w io.Writer) error {
	var series []plot.Series
	for _, x := range r.Modes {
		if x.Frames > 0 {
			series = append(series, plot.Series{Name: string(x.Mode), Intervals: x.intervals})
		}
	}
	s := &r.Settings
	o := plot.Options{
		Title:    "Frame times beside background work",
		Subtitle: fmt.Sprintf("%s; own work %.3g ms a frame; %s; %s", r.offer(), s.OwnRealMS, r.span(), r.Env),
		Target:   time.Duration(s.IntervalMS * float64(time.Millisecond)),
	}
	if r.Partial {
		o.Title += fmt.Sprintf(" (partial: %s)", cmp.Or(r.turns(), "interrupted"))
	}
	return plot.Render(w, o, series...)
}
