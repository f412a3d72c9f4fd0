package refresh

import (
	"testing"
	"time"
)

func TestMissedRoundsToRefreshes(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want int64
	}{{0, 0}, {5, 0}, {10, 0}, {14, 0}, {15, 1}, {24, 1}, {25, 2}, {100, 9}} {
		if got := Missed(c.d, 10); got != c.want {
			t.Errorf("%d at a target of 10: got %d missed, want %d", c.d, got, c.want)
		}
	}
}
