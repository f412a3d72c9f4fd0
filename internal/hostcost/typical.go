package hostcost

import (
	"slices"
	"time"
)

// typical keeps the latest lengths of a frame, or of a part of a frame.
type typical struct {
	ring  [latest]time.Duration
	n, at int
	high  time.Duration // the length that all but one in 32 do not exceed
}

const (
	latest  = 32 // lengths: half a second at 60 Hz
	extreme = 1  // of them may exceed high
)

// add adds a length.
func (t *typical) add(d time.Duration) {
	t.ring[t.at] = d
	t.at = (t.at + 1) % latest
	t.n = min(t.n+1, latest)
	var top [extreme + 1]time.Duration // the longest, in order
	for _, d := range t.ring[:t.n] {
		for i := range top {
			if d > top[i] {
				d, top[i] = top[i], d
			}
		}
	}
	t.high = top[t.n*extreme/latest]
}

// longest returns the greatest of the lengths.
func (t *typical) longest() time.Duration { return slices.Max(t.ring[:]) }
