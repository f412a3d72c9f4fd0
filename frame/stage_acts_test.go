package frame_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// run is what a function does that runs once.
func (s *stage) run(d *testkit.Deed) {
	d.Run(&s.Cast, func() { s.alone(d.String(), func() { s.acts(s.Rand()) }) })
}

// acts are those of a task.
func (s *stage) acts(r *rand.Rand) {
	for range r.IntN(3) {
		s.act(r, true)
	}
	switch r.IntN(24) {
	case 0:
		panic(errOnPurpose)
	case 1:
		runtime.Goexit()
	}
}

// act does one thing at random. within says that a task, a callback or a job does it.
func (s *stage) act(r *rand.Rand, within bool) {
	if s.Left.Add(-1) < 0 {
		return
	}
	if s.other != nil && r.IntN(6) == 0 {
		s.other.act(r, false)
		return
	}
	sched := s.l.Scheduler()
	if r.IntN(3) == 0 {
		sched = s.l.Host()
	}
	prio := deadline.Priorities()[r.IntN(deadline.NumPriorities)]
	switch r.IntN(10) {
	case 0, 1:
		d := s.Deed("a function")
		d.Cancel = sched.After(prio, time.Duration(r.IntN(3))*200*time.Microsecond, func() { s.run(d) }).Cancel
		s.Share(r, d)
	case 2, 3:
		d := s.Deed("a coroutine")
		d.Mild = true
		d.Cancel = sched.Go(prio, func(co *scheduler.Co) { s.coroutine(d, co) }).Cancel
		s.Share(r, d)
	case 4:
		d := s.Deed("a callback")
		d.Cancel = s.l.Host().Once(anyPhase(r), func() { s.run(d) }).Cancel
		s.Share(r, d)
	case 5:
		s.each(r)
	case 6:
		s.CancelKnown(r)
	case 7:
		s.look(r)
	case 8:
		s.l.Pool().Go(prio, func() { s.act(s.Rand(), true) })
	case 9:
		s.stop(r, within)
	}
}

// stop asks for the end of the loop, seldom.
func (s *stage) stop(r *rand.Rand, within bool) {
	switch r.IntN(30) {
	case 0:
		s.closed.Store(true)
		s.l.Stop()
	case 1:
		if within {
			s.closed.Store(true)
			if err := s.l.Close(); err != nil {
				s.Fail("Close within returns %v", err)
			}
		}
	default:
		s.l.Scheduler().RequestDraw()
	}
}

// look is for what asks and sets.
func (s *stage) look(r *rand.Rand) {
	switch r.IntN(6) {
	case 0:
		s.l.SetInterval(time.Duration(200+r.IntN(800)) * time.Microsecond)
	case 1:
		s.l.Recorder().Snapshot()
	case 2:
		s.l.Recorder().Reset()
	case 3:
		s.l.Recorder().Recent(make([]record.Record, 10))
	case 4:
		s.l.Pressure()
	case 5:
		if s.closed.Load() != s.l.Closing() && !s.closed.Load() {
			s.Fail("Closing, and nobody has closed")
		}
	}
}

func anyPhase(r *rand.Rand) scheduler.Phase {
	all := scheduler.Phases()
	return all[r.IntN(len(all))]
}

// each adds a callback that runs once in each frame until it is canceled.
func (s *stage) each(r *rand.Rand) {
	phase, left := anyPhase(r), r.IntN(6)
	number := uint64(0)
	ready := make(chan scheduler.Handle, 1)
	ready <- s.l.Host().Each(phase, func() {
		n := s.l.Stats().Frames
		if n == number {
			s.Fail("a callback of phase %v runs twice in frame %d", phase, n)
		}
		number = n
		s.alone("a callback", func() {
			if left--; left < 0 {
				h := <-ready
				h.Cancel()
				ready <- h
				return
			}
			s.acts(s.Rand())
		})
	})
}

// coroutine is what a coroutine does.
func (s *stage) coroutine(d *testkit.Deed, co *scheduler.Co) {
	d.Run(&s.Cast, func() { s.stretches(co) })
}

func (s *stage) stretches(co *scheduler.Co) {
	r := s.Rand()
	for range r.IntN(4) {
		switch r.IntN(5) {
		case 0:
			co.Yield()
		case 1:
			co.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
		case 2:
			co.NextFrame()
		case 3:
			job := workers.Submit(s.l.Pool(), co.Priority(), func(context.Context) (int, error) { return 3, nil })
			if v, err := scheduler.Await(co, job); err == nil && v != 3 {
				s.Fail("Await returns %v", v)
			}
		case 4:
			s.alone("a coroutine", func() { s.acts(r) })
		}
	}
}
