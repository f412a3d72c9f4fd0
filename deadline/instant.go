package deadline

import (
	"math"
	"time"
)

// Instant is a point on the monotonic clock, in nanoseconds since a base that differs between processes. The earlier of
// two Instants is the lesser one: i < j. Arithmetic saturates and never wraps around. The zero Instant lies at or
// before the start of the process (in a testing/synctest bubble, in the future).
type Instant int64

// Never is later than every other Instant. Never plus or minus any Duration is Never.
const Never Instant = math.MaxInt64

// base never changes. Now is measured from it, so that an Instant fits a word.
var base = time.Now()

// Now returns the current Instant, in about 25 ns. Any goroutine. Within a testing/synctest bubble Now follows the
// bubble's clock: do not compare Instants from inside and outside.
func Now() Instant { return now() }

// Add returns i+d, or the nearest Instant if that is out of range.
func (i Instant) Add(d time.Duration) Instant {
	s := i + Instant(d)
	if i == Never || (i^s)&(Instant(d)^s) < 0 {
		return i.saturate(d)
	}
	return s
}

// saturate is Add when i is Never or the sum overflows; outlined so that Add is inlined.
func (i Instant) saturate(d time.Duration) Instant {
	if i == Never || d > 0 {
		return Never
	}
	return math.MinInt64
}

// Sub returns i-j, or the nearest Duration if that is out of range. Never less another Instant is the greatest
// Duration, another Instant less Never the least, and Never less Never 0.
func (i Instant) Sub(j Instant) time.Duration {
	d := i - j
	switch {
	case i == j:
		return 0
	case i == Never:
		return math.MaxInt64
	case j == Never:
		return math.MinInt64
	case (d > 0) == (i > j):
		return time.Duration(d)
	case i > j:
		return math.MaxInt64
	}
	return math.MinInt64
}
