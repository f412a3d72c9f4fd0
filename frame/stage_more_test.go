package frame_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
	"github.com/frameslice/frameslice/workers"
)

// verbs are what a stage has of one scheduler beside functions and coroutines.
type verbs struct {
	group  atomic.Pointer[scheduler.Group]
	pulses [2]pulser
	latest *flow.Latest[int, int]
}

type pulser interface {
	Call()
	Flush()
	Cancel()
}

func (s *stage) newVerbs(sched *scheduler.Scheduler) *verbs {
	v := &verbs{}
	v.group.Store(sched.NewGroup("g"))
	in := s.onHost(sched, where{})
	pulse := func() { s.alone("a pulse", func() { s.acts(s.rng(), in) }) }
	v.pulses[0] = flow.NewThrottle(sched, flow.ThrottleOptions{Wait: 200 * time.Microsecond}, pulse)
	v.pulses[1] = flow.NewDebounce(sched, flow.DebounceOptions{Wait: 200 * time.Microsecond}, pulse)
	v.latest = flow.NewLatest(sched, flow.LatestOptions{Keys: 4}, func(key, value int) {
		s.alone("the latest", func() {
			if value%4 != key {
				s.fail("%d is the latest of key %d", value, key)
			}
			s.acts(s.rng(), in)
		})
	})
	return v
}

// more is what act does with the rest of what there is.
func (s *stage) more(r *rand.Rand, sched *scheduler.Scheduler, prio deadline.Priority, at where) {
	v := s.verbs[0]
	if sched == s.l.Host() {
		v = s.verbs[1]
	}
	in := s.onHost(sched, at)
	switch r.IntN(9) {
	case 0:
		s.every(r, sched, prio, in)
	case 1:
		d := s.deed("an idle callback")
		wait := time.Duration(1+r.IntN(2)) * time.Millisecond
		d.cancel = sched.WhenIdle(wait, func(scheduler.IdleTime) { s.run(d, in) }).Cancel
		s.share(r, d)
	case 2:
		s.inGroup(r, v.group.Load(), prio, in)
	case 3:
		switch g := v.group.Load(); r.IntN(7) {
		case 0:
			g.Cancel()
			v.group.Store(sched.NewGroup("g"))
		case 1:
			g.SetPriority(prio)
		}
	case 4:
		switch p := v.pulses[r.IntN(2)]; r.IntN(6) {
		case 0:
			p.Flush()
		case 1:
			p.Cancel()
		default:
			p.Call()
		}
	case 5:
		n := r.IntN(100)
		_ = v.latest.Post(n%4, n) // it may be full, or closed
	case 6:
		if at.host || at.task {
			s.inside(r, prio, at)
		}
	case 7:
		s.steps(r, sched, prio, in)
	case 8:
		s.loops(r)
	}
}

// every has a function run some times.
func (s *stage) every(r *rand.Rand, sched *scheduler.Scheduler, prio deadline.Priority, in where) {
	left, ready := r.IntN(4), make(chan *scheduler.Task, 1)
	t := sched.Every(prio, 200*time.Microsecond, func() {
		s.alone("a tick", func() {
			if left--; left < 0 {
				t := <-ready
				t.Cancel()
				ready <- t
				return
			}
			s.acts(s.rng(), in)
		})
	})
	ready <- t
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, t)
}

// inGroup gives g something.
func (s *stage) inGroup(r *rand.Rand, g *scheduler.Group, prio deadline.Priority, in where) {
	d := s.deed("a member")
	var state func() scheduler.State
	if r.IntN(2) == 0 {
		t := g.Go(prio, func(co *scheduler.Co) {
			s.begin(d)
			defer d.ended.Add(1)
			co.Yield()
			s.alone(d.what, func() { s.acts(s.rng(), in) })
		})
		state = t.State
	} else {
		state = g.After(prio, time.Duration(r.IntN(2))*200*time.Microsecond, func() { s.run(d, in) }).State
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d.gone = func() bool { st := state(); return st >= scheduler.Done || st == scheduler.Unsubmitted }
}

// inside does what only who holds the scheduler's turn may: a task, and the frame's own work with the host's.
func (s *stage) inside(r *rand.Rand, prio deadline.Priority, at where) {
	own := s.l.Scheduler()
	if at.host {
		own = s.l.Host()
	}
	in := s.onHost(own, at)
	switch r.IntN(2) {
	case 0:
		d := s.deed("a microtask")
		d.cancel = own.Microtask(func() { s.run(d, in) }).Cancel
		s.share(r, d)
	case 1:
		own.ShouldYield()
		own.Current()
	}
}

// steps submits a task in steps.
func (s *stage) steps(r *rand.Rand, sched *scheduler.Scheduler, prio deadline.Priority, in where) {
	left := r.IntN(5)
	t := &scheduler.Task{Priority: prio, Label: "steps", Step: func() bool {
		s.alone("a step", func() { s.acts(s.rng(), in) })
		left--
		return left > 0
	}}
	sched.Submit(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, t)
}

// loops has the pool help.
func (s *stage) loops(r *rand.Rand) {
	var sum atomic.Int64
	n := r.IntN(200)
	switch r.IntN(2) {
	case 0:
		s.l.Pool().ParallelFor(n, r.IntN(20), func(lo, hi int) { sum.Add(int64(hi - lo)) })
	case 1:
		n %= 5
		err := s.l.Pool().Scope(bg, func(c *workers.Scope) error {
			for range n {
				c.Go(func(context.Context) error { sum.Add(1); return nil })
			}
			return nil
		})
		if err != nil && !s.closed.Load() {
			s.fail("Scope returns %v", err)
		}
		if err != nil {
			return // the pool has closed meanwhile
		}
	}
	if sum.Load() != int64(n) {
		s.fail("%d of %d elements", sum.Load(), n)
	}
}
