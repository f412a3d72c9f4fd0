package scheduler_test

import (
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

// clocks returns what two clocks of g show, and those around it.
func (r *ref) clocks(g *refGroup, now deadline.Instant) (times, awake deadline.Instant) {
	if g == nil {
		return now.Add(-r.shifted), now.Add(-r.shifted)
	}
	times, awake = r.clocks(g.parent, now)
	return g.times.of(times), g.awake.of(awake)
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

// outside returns when the time of g is t.
func (r *ref) outside(g *refGroup, t deadline.Instant) deadline.Instant {
	for ; g != nil; g = g.parent {
		if t <= g.times.was {
			t = g.times.at.Add(t.Sub(g.times.was))
			continue
		}
		t = g.times.at.Add(time.Duration(float64(t.Sub(g.times.was)) / g.times.rate))
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
	times, awake := r.clocks(g.parent, r.now)
	t, a := g.times.of(times), g.awake.of(awake)
	g.paused, g.speed = paused, speed
	rate, runs := speed, 1.0
	if paused || speed == 0 {
		rate, runs = 0, 0
	}
	g.times = refClock{times, t, rate}
	if runs != g.awake.rate {
		g.awake = refClock{awake, a, runs}
	}
	for _, g := range r.groups {
		if g.stopped() == nil {
			for _, t := range g.parked {
				t.state = 'q'
			}
			g.parked = nil
		}
	}
}

// ring makes members queued that are due by the time of their group.
func (r *ref) ring() {
	for _, t := range r.tasks {
		if t == nil || t.state != 'l' || t.group.stopped() != nil || r.timeOf(t.group, r.now) < t.start {
			continue
		}
		d := r.outside(t.group, t.start).Sub(t.start)
		t.start, t.exp, t.state, t.lag = t.start.Add(d), t.exp.Add(d), 'q', r.lag(t.group)
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
