package deadline

import (
	"math"
	"time"
)

// Instant is a point on the monotonic clock: nanoseconds since a base that differs between processes. Only the order
// and the difference of two Instants have a meaning. Arithmetic saturates and never wraps around.
//
// The zero Instant lies at or before the start of the process. (A testing/synctest bubble starts in the year 2000, so
// there it lies in the future.)
type Instant int64

// Never is later than every other Instant. To add to Never or to subtract from Never gives Never.
const Never Instant = math.MaxInt64

// base never changes. Now is measured from it, so that an Instant fits a word.
var base = time.Now()

// Now returns the current Instant. Any goroutine; it takes about 25 ns.
//
// Within a testing/synctest bubble Now follows the bubble's clock. Do not compare an Instant from outside a bubble with
// one from inside. On Windows Now reads the performance counter, because time.Now moves in steps of 0.5 to 16 ms there.
func Now() Instant { return now() }

// Add returns i+d, or the nearest Instant if that is out of range. Never stays Never.
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
// Duration, another Instant less Never is the least, and Never less Never is 0.
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

// Before reports whether i is earlier than j.
func (i Instant) Before(j Instant) bool { return i < j }
