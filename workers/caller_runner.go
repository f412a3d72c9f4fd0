package workers

import (
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/bridge"
)

// A runner implements bridge.Runner.
type runner struct {
	wake   func() // nil: Rest does nothing
	pool   *Pool
	caller *caller     // nil until there is a job to run, and after Close
	known  atomic.Bool // the runner is in Pool.runners
	rests  atomic.Bool // wake must be called
}

// Runner returns a new Runner, which costs nothing until it runs a job. Its function wake, which may be nil, is called
// once after each Rest, when there is a job that no worker takes. It runs on the submitting goroutine, must not block
// or panic, and must not call the pool.
func (p *internals) Runner(wake func()) bridge.Runner { return &runner{pool: (*Pool)(p), wake: wake} }

func (s *runner) RunUntil(d deadline.Deadline) (ran int) {
	p := s.pool
	if p.state.Load() == gone || !p.anyQueued() {
		if s.caller != nil {
			s.caller.longest, s.caller.longestKind = 0, nil
		}
		return 0
	}
	p.callerEnters()
	defer p.callerLeaves() // deferred, as OnPanic may panic
	if s.caller == nil {
		s.caller = p.borrowCaller()
		s.caller.w.role = runnerRole
	}
	return s.caller.drain(d)
}

func (s *runner) Longest() (name string, d time.Duration) {
	if s.caller == nil || s.caller.longestKind == nil {
		return "", 0
	}
	return s.caller.longestKind.Name(), s.caller.longest
}

func (s *runner) Rest() {
	if s.wake == nil {
		return
	}
	if s.known.CompareAndSwap(false, true) {
		s.pool.changeRunners(func(all []*runner) []*runner { return append(all, s) })
	}
	s.rests.Store(true)
	s.pool.wakeRunners()
}

func (s *runner) Close() {
	if s.caller != nil {
		s.pool.returnCaller(s.caller)
		s.caller = nil
	}
	if s.known.CompareAndSwap(true, false) {
		s.rests.Store(false)
		s.pool.changeRunners(func(all []*runner) []*runner {
			return slices.DeleteFunc(all, func(o *runner) bool { return o == s })
		})
	}
}

// RunUntil runs queued jobs on the calling goroutine, the most urgent lane first, and returns how many it ran. It ends
// when d is reached, or nothing is queued, or four jobs of each lane do not fit. With the zero Deadline it runs all
// that is queued. It must not be called within a job.
//
// A job begins only if its cost fits before d: Job.Cost, or that of earlier runs of its kind.
//
// Beside workers of its lane a job begins only if its kind is never long: at least 256 runs are known, and none of the
// latest 4,096 was longer than the time until d, and than five times the guess. A run with a wait counts with the wait,
// and a long run that is under way counts as well. Linux tells whether other threads kept a run off the processor,
// which does not count. So a call may meet a long run only of a kind of which no worker has met one in so many runs.
//
// Where there are no workers, each call tries one job of a kind that has never run, which may overrun d. There,
// too, a job that has not fitted for 100 ms goes first. Under a CPU quota below one processor a job may be left for
// later.
//
// RunUntil takes about 60 ns if nothing is queued. Otherwise it takes about 700 ns and eight small allocations, plus
// 150 ns for each job. The slice of a frame.Loop saves the allocations.
func (p *Pool) RunUntil(d deadline.Deadline) (ran int) {
	s := runner{pool: p}
	defer s.Close() // deferred, as OnPanic may panic
	return s.RunUntil(d)
}
