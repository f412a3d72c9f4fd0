package scheduler_test

import (
	"math"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// The reference's groups that are paused, slow or fast: every member knows when it is due by the time of its group, and
// all are looked at.

// refClock is the time of a group by the time around it.
type refClock struct {
	at, was deadline.Instant
	rate    float64
}

func (c refClock) of(t deadline.Instant) deadline.Instant {
	if t <= c.at {
		return c.was
	}
	return c.was.Add(time.Duration(c.rate * float64(t.Sub(c.at))))
}

// refChange is a change of a group's clocks. from is without what Shift has taken out.
type refChange struct {
	from         deadline.Instant
	times, awake float64
}

// clocks returns what two clocks of g show, and those around it.
func (r *ref) clocks(g *refGroup, now deadline.Instant) (times, awake deadline.Instant) {
	if g == nil {
		return now.Add(-r.shifted), now.Add(-r.shifted)
	}
	times, awake = r.clocks(g.parent, now)
	return g.times.of(times), g.awake.of(awake)
}

// clocksAt is clocks for any time, without what Shift has taken out: from all changes until then.
func (g *refGroup) clocksAt(base deadline.Instant) (times, awake deadline.Instant) {
	if g == nil {
		return base, base
	}
	t, a := g.count(base)
	times, awake = g.parent.clocksAt(base)
	return t.of(times), a.of(awake)
}

// count returns the clocks that a group has at base, from all changes until then.
func (g *refGroup) count(base deadline.Instant) (times, awake refClock) {
	times, awake = refClock{rate: 1}, refClock{rate: 1}
	for _, c := range g.changes {
		if c.from <= base {
			t, a := g.parent.clocksAt(c.from)
			times, awake = refClock{t, times.of(t), c.times}, refClock{a, awake.of(a), c.awake}
		}
	}
	return times, awake
}

// timeOf returns the time by which delays count in g, or without a group.
func (r *ref) timeOf(g *refGroup, now deadline.Instant) deadline.Instant {
	if g == nil {
		return now
	}
	t, _ := r.clocks(g, now)
	return t
}

// lag returns for how long g was paused.
func (r *ref) lag(g *refGroup) time.Duration {
	_, awake := r.clocks(g, r.now)
	return r.now.Add(-r.shifted).Sub(awake)
}

// outside returns when the time of g is t, or first more.
func (r *ref) outside(g *refGroup, t deadline.Instant) deadline.Instant {
	for ; g != nil; g = g.parent {
		if t <= g.times.was {
			t = g.times.at.Add(t.Sub(g.times.was))
			continue
		}
		t = g.times.at.Add(time.Duration(math.Ceil(float64(t.Sub(g.times.was)) / g.times.rate)))
	}
	return t.Add(r.shifted)
}

func (g *refGroup) stopped() *refGroup {
	for ; g != nil; g = g.parent {
		if g.paused || g.speed == 0 {
			return g
		}
	}
	return nil
}

func (g *refGroup) isCanceled() bool {
	return g != nil && (g.canceled || g.parent.isCanceled())
}

func (r *ref) setPace(g *refGroup, paused bool, speed float64) {
	if paused == g.paused && speed == g.speed {
		return // what is older than a change counts as of then, so it matters that there is none
	}
	r.ring()
	g.paused, g.speed = paused, speed
	rate, runs := speed, 1.0
	if paused || speed == 0 {
		rate, runs = 0, 0
	}
	base := r.now.Add(-r.shifted)
	g.changes = append(g.changes, refChange{base, rate, runs})
	g.times, g.awake = g.count(base)
	for _, g := range r.groups {
		if g.stopped() == nil {
			for _, t := range g.parked {
				t.state = 'q'
			}
			g.parked = nil
		}
	}
	r.unlag()
}

// ring makes members queued that are due by the time of their group.
func (r *ref) ring() {
	for _, t := range r.tasks {
		if t == nil || t.state != 'l' || t.group.stopped() != nil || r.timeOf(t.group, r.now) < t.start {
			continue
		}
		d := r.outside(t.group, t.start).Sub(t.start)
		t.rung, t.rungAt = true, t.start
		t.start, t.exp, t.state, t.lag = t.start.Add(d), t.exp.Add(d), 'q', r.lag(t.group)
	}
}

// unlag moves those back that are queued and had a lag that Shift has taken out.
func (r *ref) unlag() {
	for _, t := range r.tasks {
		if t != nil && t.group != nil && t.state == 'q' && !t.unwind {
			if d := r.lag(t.group) - t.lag; d < 0 {
				t.lag, t.start, t.exp = t.lag+d, t.start.Add(d), t.exp.Add(d)
			}
		}
	}
}

// unring has those wait again that were due because of the jump which Shift has taken out, and have not begun.
func (r *ref) unring() {
	for _, t := range r.tasks {
		if t == nil || !t.rung || t.state != 'q' && t.state != 'k' {
			continue
		}
		if t.rungAt <= r.timeOf(t.group, r.now) && t.start <= r.now {
			continue
		}
		r.unpark(t)
		r.unforce(t)
		d := t.rungAt.Sub(t.start)
		t.start, t.exp, t.state, t.skips, t.passed = t.start.Add(d), t.exp.Add(d), 'l', 0, false
	}
}

// settle reports whether the task that comes first may be chosen.
func (r *ref) settle(t *refTask) bool {
	if t.group == nil || t.unwind {
		return true
	}
	if t.group.stopped() != nil && !t.group.isCanceled() {
		r.unforce(t)
		t.skips, t.state = 0, 'k'
		t.group.parked = append(t.group.parked, t)
		return false
	}
	return !r.rejuvenate(t)
}

// rejuvenate moves t by the time for which its group was paused meanwhile.
func (r *ref) rejuvenate(t *refTask) bool {
	d := r.lag(t.group) - t.lag
	if t.lag += d; d <= 0 {
		return false
	}
	t.start, t.exp = t.start.Add(d), t.exp.Add(d)
	return true
}

func (r *ref) unpark(t *refTask) {
	if t.state == 'k' {
		t.group.parked = slices.DeleteFunc(t.group.parked, func(x *refTask) bool { return x == t })
	}
}
