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
