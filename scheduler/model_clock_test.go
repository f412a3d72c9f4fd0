package scheduler_test

import (
	"math"
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

// timeOf returns the time by which delays count in g, or without a group.
func (r *ref) timeOf(g *refGroup, now deadline.Instant) deadline.Instant {
	if g == nil {
		return now
	}
	return g.at(now.Add(-r.shifted))
}

// at returns the time of g by that without what Shift has taken out.
func (g *refGroup) at(base deadline.Instant) deadline.Instant {
	if g == nil {
		return base
	}
	return g.times.of(g.parent.at(base))
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
	if !g.changed {
		g.changed, g.before = true, g.times
		r.changed = append(r.changed, g)
	}
	g.paused, g.speed = paused, speed
	rate := speed
	if paused {
		rate = 0
	}
	outer := g.parent.at(r.now.Add(-r.shifted))
	g.times = refClock{outer, g.times.of(outer), rate}
	for _, t := range r.tasks {
		switch {
		case t == nil || t.group == nil:
		case t.group.stopped() != nil:
			r.park(t)
		case t.state == 'k':
			t.start, t.exp = r.now.Add(-t.age), t.exp.Add(r.now.Add(-t.age).Sub(t.start))
			t.state, t.age = 'q', r.now.Add(-r.shifted).Sub(t.parkedAt)
		}
	}
}

// forgetPaces is the beginning of a frame.
func (r *ref) forgetPaces() {
	for _, g := range r.changed {
		g.changed = false
	}
	r.changed = nil
}

// rewind takes a jump out of the groups that were changed after the jump, in this frame.
func (r *ref) rewind(g *refGroup, base deadline.Instant, d time.Duration) {
	if g == nil {
		return
	}
	r.rewind(g.parent, base, d)
	outer := g.parent.at(base)
	if !g.changed || g.times.at <= outer {
		return
	}
	g.times = refClock{outer, g.before.of(outer), g.times.rate}
	for _, t := range r.tasks {
		if t == nil || t.group != g && (t.group == nil || t.group.parent != g || t.group.changed) {
			continue
		}
		switch {
		case t.state == 'k' && t.parkedAt > base:
			t.age -= d
		case t.state == 'q' && t.parkedAt <= base && t.parkedAt.Add(t.age) > base:
			t.start, t.exp, t.passed = t.start.Add(-d), t.exp.Add(-d), false
		}
	}
}

// ring makes members queued that are due by the time of their group.
func (r *ref) ring() {
	for _, t := range r.tasks {
		if t == nil || t.state != 'l' || t.group.stopped() != nil || r.timeOf(t.group, r.now) < t.start {
			continue
		}
		t.rung = t.start
		d := r.outside(t.group, t.start).Sub(t.start)
		t.start, t.exp, t.state = t.start.Add(d), t.exp.Add(d), 'q'
	}
}

// delayAgain delays members again that a jump has made due, when the jump has been taken out.
func (r *ref) delayAgain() {
	for _, t := range r.tasks {
		if t == nil || t.group == nil || t.rung <= r.timeOf(t.group, r.now) {
			continue
		}
		if t.state == 'q' && t.start > r.now && !t.cont || t.state == 'k' && t.age < 0 {
			r.unstarve(t)
			t.skips, t.passed = 0, false
			d := t.rung.Sub(t.start)
			t.start, t.exp, t.state, t.parkedAt = t.start.Add(d), t.exp.Add(d), 'l', deadline.Never
		}
	}
}

// park sets t aside if it is ready and its group is paused.
func (r *ref) park(t *refTask) {
	if t.state != 'q' || t.group.stopped() == nil || t.unwind {
		return
	}
	r.unstarve(t)
	t.skips, t.passed, t.state = 0, false, 'k'
	t.age, t.parkedAt = r.now.Sub(t.start), r.now.Add(-r.shifted)
}
