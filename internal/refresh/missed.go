package refresh

import (
	"math"
	"time"
)

// Missed returns how many refreshes of r a frame of d left without a new picture: max(0, round(d/r)-1).
func Missed(d, r time.Duration) int64 {
	if r <= 0 || d <= r {
		return 0
	}
	return int64(math.Round(float64(d)/float64(r))) - 1
}

// Much returns what a part of a late frame of d must exceed to be the cause: half of the delay.
func Much(d, r time.Duration) time.Duration { return (d - r) / 2 }
