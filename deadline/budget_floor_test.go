package deadline_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The least slice of a fast frame is no greater part of it than that of one at 250 Hz.
func TestBudgetFloorOfAFastFrame(t *testing.T) {
	for hz, want := range map[time.Duration]time.Duration{
		60: 500 * time.Microsecond, 250: 500 * time.Microsecond, 500: 250 * time.Microsecond,
		1000: 125 * time.Microsecond,
	} {
		now := deadline.Now()
		until, _ := deadline.Budget{Interval: time.Second / hz}.Slice(now.Add(-time.Second), now, 0).Instant()
		if got := until.Sub(now); got != want {
			t.Errorf("%d Hz: %v, want %v", hz, got, want)
		}
	}
}
