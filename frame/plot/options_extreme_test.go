package plot_test

import (
	"io"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/plot"
	"github.com/frameslice/frameslice/internal/testkit"
)

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	testkit.Extremes(t, func(o plot.Options) error {
		intervals := []time.Duration{time.Millisecond, time.Second}
		return plot.Render(io.Discard, o, plot.Series{Name: "a", Intervals: intervals})
	})
}
