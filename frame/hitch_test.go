package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
)

// A display of any rate, each of whose frames begins exactly one period after the one before, has no hitch.
func TestARegularDisplayHasNoHitch(t *testing.T) {
	for _, hz := range []float64{20, 24.5, 49, 59, 59.94, 60, 61, 74, 119.88, 143.86, 250, 360, 500} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			period := time.Duration(float64(time.Second) / hz)
			w := &window{l: l, own: period / 8, period: period}
			for range 1200 {
				w.frame()
			}
			r := l.Report("regular")
			off := (r.Target - period).Abs()
			if r.Run.HitchRatio >= 0.2 || r.Run.Missed > 0 || off > period/2000 {
				t.Errorf("%v Hz: target %v, want %v; %.2f ms/s, missed %d", hz, r.Target, period, r.Run.HitchRatio,
					r.Run.Missed)
			}
		})
	}
}
