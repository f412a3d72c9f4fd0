package play

import (
	"context"
	"runtime"

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

// loopJob keeps its two functions, so that handing over a job allocates nothing.
type loopJob struct {
	job    sim.Job
	prio   deadline.Priority
	run    func() // on a worker
	commit func() // in the slice

	alone workers.Job     // instead of run, where alone is true
	w     *workers.Worker // that of the run in progress
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
	var s *loopJob
	if n := len(x.free); n > 0 {
		s, x.free = x.free[n-1], x.free[:n-1]
	} else {
		s = &loopJob{}
		s.run = func() {
			s.job.Run()
			x.Loop.Post(s.prio, s.commit)
		}
		s.pause = func() {
			if s.w.ShouldYield() {
				s.w.Yield()
			}
		}
		s.alone.Func = s.runAlone(x.Loop)
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
	if alone {
		s.alone.Label, s.alone.Priority = kind, p
		x.Loop.Pool().Submit(&s.alone)
		return
	}
	x.Loop.Pool().Go(p, s.run)
}

// alone: there are never workers, and a job has ended when its commit runs, so that it can be submitted again.
const alone = runtime.GOARCH == "wasm"

// runAlone runs the job where the frame goroutine runs it.
func (s *loopJob) runAlone(l *frame.Loop) func(w *workers.Worker) {
	return func(w *workers.Worker) {
		if j, ok := s.job.(sim.Patient); ok {
			s.w = w
			j.RunPatiently(s.pause)
		} else {
			s.job.Run()
		}
		l.Post(s.prio, s.commit)
	}
}

// Close drops what has not started and waits for what has.
func (x *OnLoop) Close() {
	_ = x.Loop.Close()                            // its error says that jobs were dropped, which is what was asked for
	_ = x.Loop.Pool().Close(context.Background()) // the loop has no grace for those that run; they are short
}
