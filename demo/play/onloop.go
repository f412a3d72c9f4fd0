package play

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/frame"
)

// OnLoop is the frameslice mode for a game that is wrapped: its frames are begun, sliced and ended by the
// loop around it, so Begin and End have nothing to do. A job goes to the pool, its commit comes back as a
// task of the slice.
type OnLoop struct {
	Loop    *frame.Loop
	free    []*loopJob
	pending int
}

// loopJob keeps its two functions, so that handing over a job allocates nothing.
type loopJob struct {
	job    sim.Job
	prio   deadline.Priority
	run    func() // on a worker
	commit func() // in the slice
}

var _ load.Executor = (*OnLoop)(nil)

// Begin does nothing: the loop around the game has begun the frame.
func (x *OnLoop) Begin() {}

// End does nothing: the loop around the game has the slice.
func (x *OnLoop) End() {}

// Pending returns how many jobs were submitted and are not committed.
func (x *OnLoop) Pending() int { return x.pending }

// ParallelFor forks on the pool.
func (x *OnLoop) ParallelFor(n, grain int, body func(lo, hi int)) {
	x.Loop.Pool().ParallelFor(n, grain, body)
}

// Submit gives j to the pool, and its commit to the slice.
func (x *OnLoop) Submit(_ string, p deadline.Priority, j sim.Job) {
	var s *loopJob
	if n := len(x.free); n > 0 {
		s, x.free = x.free[n-1], x.free[:n-1]
	} else {
		s = &loopJob{}
		s.run = func() {
			s.job.Run()
			x.Loop.Post(s.prio, s.commit)
		}
		s.commit = func() {
			j := s.job
			s.job = nil
			x.pending--
			x.free = append(x.free, s)
			j.Commit()
		}
	}
	s.job, s.prio = j, p
	x.pending++
	x.Loop.Pool().Go(p, s.run)
}

// Close drops what has not started and waits for what has.
func (x *OnLoop) Close() {
	_ = x.Loop.Close()                            // its error says that jobs were dropped, which is what was asked for
	_ = x.Loop.Pool().Close(context.Background()) // the loop has no grace for those that run; they are short
}
