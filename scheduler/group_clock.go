package scheduler

import (
	"math"
	"slices"
	"sync/atomic"
	"time"
	"weak"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/taskqueue"
)

// The time of a group. Outermost is the scheduler's clock, without the jumps that Shift takes out. Each group has a
// clock that goes at some rate of the clock around it: of its parent's, or of the scheduler's. So nested speeds
// multiply, and a change of one clock touches no member and no other clock.
//
// S49. Only the frame goroutine changes a clock. Other goroutines read copies (S47). No clock was changed after the
// present time around. Shift takes the time around back, perhaps to before a change. Such a change was made after the
// jump that Shift takes out, so the change moves back by the length of the jump. If that is more than the jump was, as
// in a slow frame, the change does not move to before the frame began. Then the clocks are computed again, from the
// last change before the jump, and so are the clocks of the groups within.
type pacing struct {
	alarms  taskqueue.Queue[*item] // the anchors of groups that are in no other
	alarmAt deadline.Instant       // when the first of them is due; Never if there is none
	kept    []*Group               // with delayed or parked members
	timed   []weak.Pointer[Group]  // those that Shift looks at, and some that are gone
	paused  bool                   // a group was paused once
	parked  int                    // members of paused groups
	shifted atomic.Int64           // the sum of all calls of Shift
	began   deadline.Instant       // the last BeginFrame, by base
}

// groupClock is the part of a Group that knows its time. The frame goroutine's, except for shown.
type groupClock struct {
	times clock // the group's time, by the time around it
	awake clock // the same with each speed 1
	shown shown // a copy of times
	alarm deadline.Instant
	later *taskqueue.Queue[*item] // nil until needed

	parked list
	kept   int // place in Scheduler.kept plus one; 0 if it is not there
	paused bool
	timed  bool // in Scheduler.timed
	speed  float64

	paces []pace           // the last changes of the clocks, the latest last; the first stands for all before
	moved deadline.Instant // from when on the last Shift has changed the clocks, by base; Never if it has not
	aged  deadline.Instant // see noteAged; by base
}

// pace is what the clocks of a group were from one change to the next.
type pace struct {
	from         deadline.Instant // when the change was, by base
	times, awake clock
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
	return min(c.was.Add(d), dusk)
}

// dawn is before any instant that is read. (In a testing/synctest bubble the clock starts decades before 0.) At dusk,
// after 146 years, the time of a group stands still. So delays that are added to it do not overflow.
const (
	dawn deadline.Instant = math.MinInt64 / 2
	dusk deadline.Instant = math.MaxInt64 / 2
)

// greatestSpeed keeps dusk away: at this speed it comes after 53 days.
const greatestSpeed = 1000

// farAway bounds products, so that they can be converted.
const farAway = 1 << 62

// when returns the first instant of the outer clock at which this one shows t, or more; Never if of shows it at none.
func (c *clock) when(t deadline.Instant) deadline.Instant {
	d := max(t.Sub(c.was), 0)
	switch {
	case c.rate == 0 || t > dusk || d > farAway && c.rate != 1:
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

// noteTimed has Shift find g, as long as the program has it.
func (c *pacing) noteTimed(g *Group) {
	if g.timed {
		return
	}
	g.timed = true
	if len(c.timed) == cap(c.timed) {
		c.timed = slices.DeleteFunc(c.timed, func(p weak.Pointer[Group]) bool { return p.Value() == nil })
		c.timed = slices.Grow(c.timed, len(c.timed)/2+1)
	}
	c.timed = append(c.timed, weak.Make(g))
}

// notePace adds a change. Of several at one moment the last one counts.
func (g *Group) notePace(p pace) {
	last := len(g.paces) - 1
	if p.from == g.paces[last].from {
		g.paces[last] = p
		return
	}
	if len(g.paces) == paceLimit {
		g.paces = append(g.paces[:0], g.paces[paceLimit/2:]...)
	}
	g.paces = append(g.paces, p)
}

// rewind moves the changes that are later than base, the present time, back by d, but not to before the frame began.
func (g *Group) rewind(base, began deadline.Instant, d time.Duration) {
	first := len(g.paces)
	for first > 1 && g.paces[first-1].from > base {
		first--
	}
	g.moved = deadline.Never
	for i := first; i < len(g.paces); i++ {
		p := &g.paces[i]
		p.from = min(max(p.from.Add(-d), began, g.paces[i-1].from), base)
		g.moved = min(g.moved, p.from)
	}
}

// clocksAt returns what the two clocks showed at an earlier time, as far as paces reach.
func (g *Group) clocksAt(base deadline.Instant) (times, awake deadline.Instant) {
	if g == nil {
		return base, base
	}
	times, awake = g.parent.clocksAt(base)
	for i := len(g.paces) - 1; i >= 0; i-- {
		if p := &g.paces[i]; i == 0 || p.from <= base {
			return p.times.of(times), p.awake.of(awake)
		}
	}
	return g.times.of(times), g.awake.of(awake)
}

// base returns the time that groups count in: the clock without Shift, and in a testing/synctest bubble below 0.
func (s *Scheduler) base(now deadline.Instant) deadline.Instant { return now.Add(-s.lead()) }

// lead is what the frame goroutine's time is ahead of base.
func (s *Scheduler) lead() time.Duration {
	return time.Duration(s.skew) - time.Duration(s.backwards.Load()) + s.q.Shifted()
}

// timeOf returns the group's time.
func (s *Scheduler) timeOf(g *Group, now deadline.Instant) deadline.Instant {
	return g.timeAt(s.base(now))
}

func (g *Group) timeAt(base deadline.Instant) deadline.Instant {
	if g.parent != nil {
		base = g.parent.timeAt(base)
	}
	return g.times.of(base)
}

func (g *Group) awakeAt(base deadline.Instant) deadline.Instant {
	if g.parent != nil {
		base = g.parent.awakeAt(base)
	}
	return g.awake.of(base)
}

// lag returns how long the group was paused until now. The last reading of the clock counts, so only Shift shrinks it.
func (s *Scheduler) lag(g *Group) time.Duration {
	if !s.paused {
		return 0
	}
	base := s.base(s.lastRead)
	return base.Sub(g.awakeAt(base))
}

// stamp notes that the start of a member that is about to be queued refers to this moment.
func (s *Scheduler) stamp(it *item) {
	if m := s.memberOf(it); m != nil && m.g != nil {
		s.setLag(m, s.lag(m.g))
	}
}

// setLag gives a member the lag of its group.
func (s *Scheduler) setLag(m *member, lag time.Duration) {
	m.lag = lag
	if lag > 0 {
		s.noteAged(m.g)
	}
}

// noteAged notes that members of g have changed in a way that a Shift of an earlier jump takes back: see unage.
func (s *Scheduler) noteAged(g *Group) {
	g.aged = s.base(s.lastRead)
	s.noteTimed(g)
}

// shown is a copy of a clock, for other goroutines.
//
// S47. The frame goroutine makes version odd, writes the three values, and makes version even. A reader that finds the
// same even version before and after has read three values of one clock. Nothing waits for a reader. A reader waits
// only while the frame goroutine is between the two, which takes a few nanoseconds. A reader that reads the outer time
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
	}
}
