package load

import (
	"context"
	"runtime"
	"slices"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

// OnLoop is a mode of ours: jobs go to the pool of a loop, and come back as tasks that commit them in the frame's
// slice. It keeps its jobs for the next use, so that none allocates.
//
// In a browser the pool's jobs run in the slice. There a job that can (sim.Patient) stops in its middle for the frame.
type OnLoop struct {
	loop    *frame.Loop
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

// NewOnLoop returns the mode on a loop whose frames somebody else begins and ends. Options.CloseTimeout of the loop is
// negative, because Close has nothing to wait for but jobs that are running.
func NewOnLoop(l *frame.Loop) *OnLoop { return &OnLoop{loop: l} }

// Loop returns the loop, for the report.
func (x *OnLoop) Loop() *frame.Loop { return x.loop }

// Begin does nothing: the loop's frame has begun.
func (x *OnLoop) Begin() {}

// End does nothing: the loop's slice comes by itself.
func (x *OnLoop) End() {}

// Pending returns how many jobs were submitted and are not committed.
func (x *OnLoop) Pending() int { return x.pending }

// ParallelFor shares the pieces with the workers.
func (x *OnLoop) ParallelFor(n, grain int, body func(lo, hi int)) { x.loop.ParallelFor(n, grain, body) }

// Submit gives j to the pool, and its commit to the slice.
func (x *OnLoop) Submit(kind string, p deadline.Priority, j sim.Job) {
	x.pending++
	s := x.take()
	s.Label, s.Priority, s.work = kind, p, j
	x.loop.Pool().Submit(&s.Job)
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
		x.free = append(x.free, s)
		x.pending--
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
			s.w = nil
		} else {
			s.work.Run()
		}
		x.loop.Post(s.Priority, s.commit)
	}
	return s
}

// alone says that there are never workers. A job that can stop in its middle does so for the frame.
const alone = runtime.GOARCH == "wasm"

// Close drops what has not started and waits for what has.
func (x *OnLoop) Close() {
	_ = x.loop.Close()                            // its error says that jobs were dropped, which is what was asked for
	_ = x.loop.Pool().Close(context.Background()) // the loop does not wait for those that run; they are short
}

// sliced is the mode on a loop of its own, whose frames it begins and ends.
type sliced struct{ *OnLoop }

// RunsKept is how many of the latest runs of tasks, and of each worker's jobs, Config.Out keeps of a turn.
const RunsKept = 1 << 13

func newSliced(c Config, p frameslice.Preset) sliced {
	o := p.Options()
	o.CloseTimeout, o.Interval = -1, c.Interval
	o.Profile = -1
	if c.Out != "" {
		o.Profile = RunsKept
	}
	return sliced{NewOnLoop(frameslice.NewWith(o))}
}

func (x sliced) Begin() { x.loop.Begin() }

func (x sliced) End() {
	x.loop.Slice()
	x.loop.End()
}
