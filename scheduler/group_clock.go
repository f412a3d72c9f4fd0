package scheduler

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// The time of a group. Outermost is the scheduler's clock, without the jumps that Shift takes out. Each group has a
// clock that goes at some rate of the clock around it: of its parent's, or of the scheduler's. So nested speeds
// multiply, and a change of one clock touches no member and no other clock.
//
// S49. Only the frame goroutine changes a clock. Other goroutines read copies (S47). No clock was changed after the
// present time around. Shift takes the time around back, perhaps to before a change of this frame. Such a change then
// counts from the present time: see rewind. Members that the jump has made due are delayed again: see delayAgain.
type pacing struct {
	order
	memberships

	alarms  taskqueue.Queue[*item] // the entries of groups that are in no other
	alarmAt deadline.Instant       // when the first of them is due; Never if there is none
	kept    []*Group               // with delayed or parked members
	changed []*Group               // whose clocks were changed since the frame began
	parked  int                    // members of paused groups

	// Groups some of whose members were released in this frame, and in the one before: see delayAgain.
	released, releasedBefore []*Group

	shifted atomic.Int64 // the sum of all calls of Shift
}

// groupClock is the part of a Group that knows its time. The frame goroutine's, except for shown.
type groupClock struct {
	times   clock // the group's time, by the time around it
	before  clock // what it was when the frame began; if changed
	changed bool  // in pacing.changed

	released bool  // in pacing.released
	shown    shown // a copy of times
	alarm    deadline.Instant
	later    *taskqueue.Queue[*item] // nil until needed

	parked list
	kept   int // place in pacing.kept plus one; 0 if it is not there
	paused bool
	speed  float64
}

// clock is derived from another one. It showed was when the other showed at, and has gone at that rate since.
type clock struct {
	at, was deadline.Instant
	rate    float64
}

// of returns what the clock shows when the outer one shows outer. Instants before the last change count as the change.
func (c *clock) of(outer deadline.Instant) deadline.Instant {
	d := max(outer.Sub(c.at), 0)
	if c.rate != 1 {
		d = time.Duration(min(float64(d)*c.rate, farAway))
	}
	return min(c.was.Add(d), maxTime)
}

// minTime is before any instant that is read. (In a testing/synctest bubble the clock starts decades before 0.) At
// maxTime, after 146 years, the time of a group stands still, so that delays that are added to it do not overflow.
const (
	minTime deadline.Instant = math.MinInt64 / 2
	maxTime deadline.Instant = math.MaxInt64 / 2
)

// greatestSpeed keeps maxTime away: at this speed it comes after 53 days.
const greatestSpeed = 1000

// farAway bounds products, so that they can be converted.
const farAway = 1 << 62

// when returns the first instant of the outer clock at which this one shows t, or more; Never if of shows it at none.
func (c *clock) when(t deadline.Instant) deadline.Instant {
	d := max(t.Sub(c.was), 0)
	switch {
	case c.rate == 0 || t > maxTime || d > farAway && c.rate != 1:
		return deadline.Never
	case c.rate == 1:
		return c.at.Add(d)
	}
	quotient := math.Ceil(float64(d) / c.rate)
	if quotient >= farAway {
		return deadline.Never
	}
	outer := c.at.Add(time.Duration(quotient))
	for step := time.Duration(1); c.of(outer) < t; step *= 2 { // the quotient was rounded
		outer = outer.Add(step)
	}
	return outer
}

// set changes the rate when the outer clock shows outer.
func (c *clock) set(outer deadline.Instant, rate float64) {
	c.at, c.was, c.rate = outer, c.of(outer), rate
}

// Now returns the group's time. It is [Scheduler.Now] as long as no group around was paused or changed its speed, and
// leaves out what Shift has left out. So it goes back at the Shift after a long frame. Compute animations from it: they
// stand still with the group. Any goroutine; on other goroutines it may be ahead for a moment while the speed changes.
func (g *Group) Now() deadline.Instant {
	now := g.s.Now() // before the clocks are read: see shown
	return g.shownAt(now.Add(-time.Duration(g.s.shifted.Load())))
}

func (g *Group) shownAt(outer deadline.Instant) deadline.Instant {
	if g.parent != nil {
		outer = g.parent.shownAt(outer)
	}
	c := g.shown.get()
	return c.of(outer)
}

// still reports whether the group's own clock stands still.
func (g *Group) still() bool { return g.paused || g.speed == 0 }

// stopped returns the group, or one around it, whose clock stands still; nil if all go.
func (g *Group) stopped() *Group {
	for ; g != nil; g = g.parent {
		if g.still() {
			return g
		}
	}
	return nil
}

// isWithin reports whether g is the other group or within it.
func (g *Group) isWithin(other *Group) bool {
	for ; g != nil; g = g.parent {
		if g == other {
			return true
		}
	}
	return false
}

// notePace notes that the group's clock is about to change in this frame.
func (c *pacing) notePace(g *Group) {
	if !g.changed {
		g.changed, g.before = true, g.times
		c.changed = append(c.changed, g)
	}
}

// forgetPaces forgets the changes of the last frame, and the releases of the frame before that, when a frame begins: a
// Shift from now on is for a later jump.
func (c *pacing) forgetPaces() {
	for _, g := range c.changed {
		g.changed = false
	}
	clear(c.changed)
	c.changed = c.changed[:0]
	for _, g := range c.released {
		g.released = false
	}
	clear(c.releasedBefore)
	c.released, c.releasedBefore = c.releasedBefore[:0], c.released
}

// base returns the time that groups count in: the clock without Shift, and in a testing/synctest bubble below 0.
func (c *pacing) base(now deadline.Instant) deadline.Instant { return now.Add(-c.lead()) }

// lead is what the frame goroutine's time is ahead of base.
func (c *pacing) lead() time.Duration {
	return time.Duration(c.skew) - time.Duration(c.backwards.Load()) + c.q.Shifted()
}

// timeOf returns the group's time.
func (c *pacing) timeOf(g *Group, now deadline.Instant) deadline.Instant {
	return g.timeAt(c.base(now))
}

func (g *Group) timeAt(base deadline.Instant) deadline.Instant { return g.times.of(g.outerAt(base)) }

// outerAt returns what the clock around the group's shows.
func (g *Group) outerAt(base deadline.Instant) deadline.Instant {
	if g.parent != nil {
		return g.parent.timeAt(base)
	}
	return base
}

// shown is a copy of a clock, for other goroutines.
//
// S47. The frame goroutine makes version odd, writes the three values, and makes version even. A reader that finds the
// same even version before and after has read three values of one clock. Nothing waits for a reader. A reader gives way
// while a change is under way, which takes a few nanoseconds, or has come between. A reader that reads the outer time
// before the copy may find the clock changed since. Then the clock shows the moment of the change, so time does not go
// back.
type shown struct {
	version atomic.Uint32
	at, was atomic.Int64
	rate    atomic.Uint64
}

func (v *shown) put(c clock) {
	v.version.Add(1)
	v.at.Store(int64(c.at))
	v.was.Store(int64(c.was))
	v.rate.Store(math.Float64bits(c.rate))
	v.version.Add(1)
}

func (v *shown) get() clock {
	for {
		version := v.version.Load()
		c := clock{
			deadline.Instant(v.at.Load()), deadline.Instant(v.was.Load()), math.Float64frombits(v.rate.Load()),
		}
		if version&1 == 0 && v.version.Load() == version {
			return c
		}
		atomic.Gosched()
	}
}
