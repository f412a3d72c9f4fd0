package play

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/load"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

// OnLoop is the frameslice mode for a wrapped game: the loop around the game begins, slices and ends its frames. Each
// kind of job runs on the verb that a game would use for it:
//
//   - A Loader loads pictures and terrain. They are decoded on the pool, a bounded number ahead, and committed in the
//     slice.
//   - A Stream returns lines of text in the order of their submission.
//   - Other jobs go to the pool as they are, and their commits are posted to the slice.
//
// In a browser the pool's jobs run in the slice. There a job that can (sim.Patient) stops in its middle for the frame,
// which no decode of a loader does.
type OnLoop struct {
	Loop *frameslice.Loop

	ways    map[string]way // by kind; a kind that is not there runs as a Job
	texts   *par.Stream[sim.Job]
	free    []*loopJob
	pending int
}

// A way is how the jobs of a kind run.
type way struct {
	verb   string
	submit func(p deadline.Priority, j sim.Job) error
}

// mostTexts is more than there are lines in the world.
const mostTexts = 256

// NewOnLoop returns the mode on the loop.
func NewOnLoop(l *frameslice.Loop) *OnLoop {
	x := &OnLoop{Loop: l, texts: par.NewStream[sim.Job](l.Pool(), frameslice.Low, mostTexts)}
	x.ways = map[string]way{sim.KindTerrain: x.loads(sim.KindTerrain), sim.KindText: {"Stream, in order", x.write}}
	if !alone {
		x.ways[sim.KindDecode] = x.loads(sim.KindDecode)
	}
	l.Scheduler().Submit(&scheduler.Task{Label: "commit of text", Priority: frameslice.Low, Co: x.read})
	return x
}

// Verb returns which verb runs the jobs of a kind.
func (x *OnLoop) Verb(kind string) string {
	if w, ok := x.ways[kind]; ok {
		return w.verb
	}
	return "Job"
}

// loads returns the way of a Loader, whose keys are jobs: the worlds of all modes have the same.
func (x *OnLoop) loads(kind string) way {
	ld := frameslice.NewLoader(x.Loop, frameslice.LoadOptions{Label: kind},
		func(_ context.Context, j sim.Job, _ *frameslice.Meter) (sim.Job, error) {
			j.Run()
			return j, nil
		})
	return way{"Loader", func(p deadline.Priority, j sim.Job) error {
		ld.Load(context.Background(), j, x.commit).SetPriority(p)
		return nil
	}}
}

// write submits a line to the stream. It returns an error if the stream has no room.
func (x *OnLoop) write(_ deadline.Priority, j sim.Job) error {
	return x.texts.TrySubmit(func(out *sim.Job) error {
		j.Run()
		*out = j
		return nil
	})
}

// read commits what comes out of the stream.
func (x *OnLoop) read(co *frameslice.Co) {
	for ; ; co.NextFrame() {
		for j, err := x.texts.TryNext(); j != nil; j, err = x.texts.TryNext() {
			x.commit(*j, err)
			co.Yield()
		}
	}
}

// commit ends a job. An error says that Run has panicked. Then there is nothing to commit.
func (x *OnLoop) commit(j sim.Job, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		return
	}
	x.pending--
	j.Commit()
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

// ParallelFor shares the pieces with the workers.
func (x *OnLoop) ParallelFor(n, grain int, body func(lo, hi int)) {
	x.Loop.ParallelFor(n, grain, body)
}

// Submit gives j to the pool, and its commit to the slice.
func (x *OnLoop) Submit(kind string, p deadline.Priority, j sim.Job) {
	x.pending++
	if w, ok := x.ways[kind]; ok && w.submit(p, j) == nil {
		return
	}
	s := x.take()
	s.Label, s.Priority, s.work = kind, p, j
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
		x.free = append(x.free, s)
		x.commit(j, nil)
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

// alone says that there are never workers. A job that can stop in its middle does so for the frame.
const alone = runtime.GOARCH == "wasm"

// Close drops what has not started and waits for what has.
func (x *OnLoop) Close() {
	_ = x.Loop.Close()                            // its error says that jobs were dropped, which is what was asked for
	_ = x.Loop.Pool().Close(context.Background()) // the loop has no grace for those that run; they are short
}
