package frame

import (
	"testing"
	"time"
)

// The dose that does the most work for each missed refresh is found within a second and kept, beside any host.
func TestTheBestDose(t *testing.T) {
	const due = time.Second / 60
	for _, c := range []struct {
		name     string
		alone    time.Duration // until the work begins, and after it
		share    time.Duration
		from, to int // levels
		display  bool
	}{
		{"room for two quarters", 24 * milli, 500 * micro, 2, 2, true},
		{"room for none", 28 * milli, 4700 * micro, 0, 0, true},
		{"the share costs a refresh, which has room", 31 * milli, 4 * milli, 3, 3, true},
	} {
		var d doses
		counts := [doseLevels]int{}
		for i := range 400 {
			u := c.share + d.nextDose(due)
			frame := (c.alone + u + due - 1) / due * due
			alone := (c.alone + due - 1) / due * due
			d.respond(u, frame, due, alone)
			if i > 60 {
				counts[d.level]++
			}
		}
		n := 0
		for l := c.from; l <= c.to; l++ {
			n += counts[l]
		}
		if n < 310 {
			t.Errorf("%s: doses %v, want nearly all from %d to %d", c.name, counts, c.from, c.to)
		}
	}
}
