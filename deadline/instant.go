package deadline

import (
	"math"
	"time"
)

// Instant is a point on the monotonic clock: nanoseconds since an arbitrary base, which differs between
// processes. Only the order and the difference of two Instants mean something. It fits a register and
// compares with <, where a time.Time takes 24 bytes and a method call, and costs almost twice as much to read
// from the clock.
//
// The zero Instant lies at or before the start of the process (but long after the beginning of a
// testing/synctest bubble, whose clock starts in the year 2000). Arithmetic saturates: it never wraps around.
type Instant int64

// Never is later than every other Instant. Adding to it or subtracting from it leaves it where it is.
const Never Instant = math.MaxInt64

// base is never changed after the package's initialization. Now is measured from it, so that an Instant fits
// a word although the operating system's clock may start anywhere.
var base = time.Now()

// Now returns the current Instant. Any goroutine may call it; it takes about 25 ns (time.Now takes 45), more
// than a push and a pop of the Queue together, so a scheduler reads it once per task and hands it around.
//
// Within a testing/synctest bubble it follows the bubble's clock. An Instant from outside a bubble must not
// be compared with one from inside.
//
// On Windows it reads the performance counter, because time.Now moves in steps of 0.5 to 16 ms there, and takes as
// long as a call of the system.
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

// Sub returns i-j, or the nearest Duration if that is out of range. Never less anything else is the greatest Duration,
// anything else less Never the least, and the difference of Never and Never is 0.
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
