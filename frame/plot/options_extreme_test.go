package plot_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
	"github.com/frameslice/frameslice/internal/extreme"
)

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(o plot.Options) error {
		if o.Width == 0 && o.Height == 0 {
			o.Width, o.Height = 640, 360
		}
		intervals := []time.Duration{time.Millisecond, time.Second}
		err := plot.Render(io.Discard, o, plot.Series{Name: "a", Intervals: intervals})
		if err != nil && strings.Contains(err.Error(), "width or height") {
			return nil // refused by name
		}
		return err
	})
}
