package counter

import (
	"math"
	"time"
)

const (
	// window is for how long the counter speaks after an anchor, and reads how often.
	window = 250 * time.Microsecond
	reads  = 256

	// A measurement of the rate takes from shortest to longest.
	shortest = 4 * time.Millisecond
	longest  = time.Second

	// maxGap is how many ticks an anchor may take.
	maxGap = 512

	// Two measurements agree if they differ by less than one in 1<<agreeShift, and 1<<-marginShift of the rate is
	// left out so that the time is not ahead of the clock.
	agreeShift  = 11
	marginShift = 10

	// The rate is in ns per tick, times 1<<rateShift. Whatever is not between the bounds (62 MHz and 16 GHz) is none.
	rateShift = 32
	leastRate = 1 << (rateShift - 4)
	mostRate  = 1 << (rateShift + 4)

	// giveUp is how many doubts in a row are enough.
	giveUp = 16

	// An anchor is made at the early-th reading, because few readings are not worth one, and tried again after
	// later ones, because it takes as long as four readings.
	early = 3
	later = 64
)

// Clock tells the time by the counter, between readings of the system's clock. The zero Clock has no anchor. It is
// for one goroutine at a time. It does not read anything itself: counts and times are arguments.
type Clock struct {
	base  int64  // the system's clock at the anchor, in ns
	count uint64 // the counter there
	span  uint64 // how many ticks window has
	rate  uint64 // in use, less the margin
	left  int    // how many readings; 0 without an anchor
	skip  int    // how many readings of the system's clock are not worth an anchor

	markBase  int64 // where the present measurement began
	markCount uint64
	marked    bool
	measured  uint64 // the last rate
	agreed    bool   // with the one before
	doubts    int    // since they agreed last
}

// Ready reports whether At may know the time.
func (c *Clock) Ready() bool { return c.left > 0 }

// At returns the time at count, in ns of the system's clock, if the anchor reaches as far as that. Only if Ready.
func (c *Clock) At(count uint64) (ns int64, ok bool) {
	d := count - c.count
	if d > c.span { // also if the counter went back
		return 0, false
	}
	c.left--
	return c.base + int64(d*c.rate>>rateShift), true
}

// Begin forgets the anchor: what follows is read on another goroutine, or after a while, or it is another clock.
func (c *Clock) Begin() { c.left, c.skip = 0, early }

// Stop is Begin, and there is no other anchor before the next one.
func (c *Clock) Stop() { c.left, c.skip = 0, math.MaxInt }

// Due reports, before a reading of the system's clock, whether it is to be noted.
func (c *Clock) Due() bool {
	c.skip--
	return c.skip < 0 && c.doubts < giveUp
}

// Note makes an anchor of a reading of the system's clock, if it is a good one: ns is its time, before and after
// are the counter around it.
func (c *Clock) Note(ns int64, before, after uint64) {
	c.left, c.skip = 0, later
	if after-before > maxGap {
		c.doubt()
		return
	}
	c.measure(ns, after)
	if c.agreed {
		c.base, c.count, c.left, c.skip = ns, after, reads, 0
	}
}

// measure ends a measurement of the rate and begins the next one, when it is time.
func (c *Clock) measure(ns int64, count uint64) {
	d, n := ns-c.markBase, count-c.markCount
	if c.marked && d >= 0 && d < int64(shortest) {
		return
	}
	sound := c.marked && d >= 0 && d <= int64(longest)
	c.markBase, c.markCount, c.marked = ns, count, true
	if !sound {
		c.agreed = false // too long ago to be sure of anything, which is nobody's fault
		return
	}
	rate := uint64(0)
	if n > 0 {
		rate = uint64(d) << rateShift / n
	}
	last := c.measured
	c.measured = rate
	if rate < leastRate || rate > mostRate || max(rate, last)-min(rate, last) > last>>agreeShift {
		c.agreed = false
		c.doubt()
		return
	}
	c.agreed, c.doubts = true, 0
	c.rate = rate - rate>>marginShift
	c.span = uint64(window) << rateShift / c.rate
}

func (c *Clock) doubt() { c.doubts = min(c.doubts+1, giveUp) }
