package deadline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/extreme"
)

// Every number of every struct of settings is taken or bounded.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(b deadline.Budget) error {
		for _, now := range []deadline.Instant{1, 1 << 40} {
			until, ok := b.Slice(1<<40, now, time.Millisecond).Instant()
			if left := until.Sub(now); ok && left < 0 {
				return fmt.Errorf("a slice of %v", left)
			}
		}
		return nil
	})
	extreme.Try(t, func(o deadline.Timeouts) error {
		for _, p := range deadline.Priorities() {
			o.Of(p) // a negative one is overdue at birth
		}
		return nil
	})
}
