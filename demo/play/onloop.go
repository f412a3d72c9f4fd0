package play

import (
	"context"
	"runtime"
	"slices"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

// OnLoop is the frameslice mode for a game that is wrapped: its frames are begun, sliced and ended by the
// loop around it, so Begin and End have nothing to do. A job goes to the pool, its commit comes back as a
// task of the slice. A job that can is stopped in its middle where the pool's jobs run in the slice, as in a browser.
type OnLoop struct {
	Loop    *frame.Loop
	free    []*loopJob
	pending int
}

// loopJob keeps its functions, so that handing over a job allocates nothing.
type loopJob struct {
	workers.Job
	work   sim.Job
	commit func() // in the slice

	w     *workers.Worker // that of the run in progress, for pause
	pause func()
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
func (x *OnLoop) Submit(kind string, p deadline.Priority, j sim.Job) {
	s := x.take()
	s.Label, s.Priority, s.work = kind, p, j
	x.pending++
	x.Loop.Pool().Submit(&s.Job)
}

// take returns a job that has ended, or a new one. A job that was committed may still be about to end, for long if its
// worker's thread is of low priority.
func (x *OnLoop) take() *loopJob {
	for i := len(x.free) - 1; i >= 0; i-- {
		if s := x.free[i]; s.Finished() {
			x.free = slices.Delete(x.free, i, i+1)
			return s
		}
	}
	s := &loopJob{}
	s.commit = func() {
		j := s.work
		s.work = nil
		x.pending--
		x.free = append(x.free, s)
		j.Commit()
	}
	s.pause = func() {
		if s.w.ShouldYield() {
			s.w.Yield()
		}
	}
	s.Func = func(w *workers.Worker) {
		if j, ok := s.work.(sim.Patient); ok && alone {
			s.w = w
			j.RunPatiently(s.pause)
		} else {
			s.work.Run()
		}
		x.Loop.Post(s.Priority, s.commit)
	}
	return s
}

// alone: there are never workers, so a job that can stops in its middle for the frame.
const alone = runtime.GOARCH == "wasm"

// Close drops what has not started and waits for what has.
func (x *OnLoop) Close() {
	_ = x.Loop.Close()                            // its error says that jobs were dropped, which is what was asked for
	_ = x.Loop.Pool().Close(context.Background()) // the loop has no grace for those that run; they are short
}
