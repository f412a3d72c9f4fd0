package frame

import (
	"testing"
	"time"
)

func TestGapsPutTimersOff(t *testing.T) {
	const p = 16 * milli
	for _, c := range []struct {
		name            string
		after           time.Duration
		row             int // gaps before
		outside, inside time.Duration
		border          bool
		skips, jump     bool
		shift           time.Duration
	}{
		{"a frame", 0, 0, 10 * milli, 6 * milli, false, false, false, 0},
		{"a gap", 0, 0, 300 * milli, 6 * milli, false, true, false, 290 * milli},
		{"a gap with a long frame", 0, 0, 300 * milli, 100 * milli, false, true, false, 300 * milli},
		{"a long frame is no gap", 0, 0, 2 * milli, 2 * time.Second, false, false, false, 0},
		{"a jump", 0, 0, 6 * time.Second, 10 * milli, false, true, true, 6*time.Second - 6*milli},
		{"a jump in a frame", 0, 0, 0, 6 * time.Second, false, true, true, 6*time.Second - p},
		{"between two Runs", 0, 0, 300 * milli, 0, true, true, true, 300*milli - p},
		{"a slow host", 0, rateGaps, 300 * milli, 6 * milli, false, false, false, 0},
		{"JumpAfter", 20 * milli, 0, 30 * milli, 2 * milli, false, true, true, p},
		{"JumpAfter is negative", -1, 0, time.Hour, time.Hour, false, false, false, 0},
	} {
		g := gaps{after: c.after, row: c.row}
		skips, jump, shift := g.take(c.outside, c.inside, p, c.border)
		jumped := map[bool]time.Duration{true: c.outside + c.inside}[c.jump]
		if skips != c.skips || jump != c.jump || shift != c.shift || g.jumpTime != jumped || (g.jumps == 1) != jump {
			t.Errorf("%s: skips %v, jump %v, shift %v, jumps %d of %v; want %v, %v, %v, %v",
				c.name, skips, jump, shift, g.jumps, g.jumpTime, c.skips, c.jump, c.shift, jumped)
		}
		if g.take(p, 0, p, false); g.after >= 0 && g.row != 0 {
			t.Errorf("%s: %d gaps in a row after a frame without one", c.name, g.row)
		}
	}
}
