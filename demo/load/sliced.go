package load

import (
	"context"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

// sliced is a mode of ours. Jobs go to the pool, and results come back as tasks that commit them in the frame's
// slice. It keeps its jobs for the next use, so that none allocates.
type sliced struct {
	loop    *frame.Loop
	pool    *workers.Pool
	all     []*slicedJob
	free    fifo[*slicedJob]
	pending int
	closed  bool
}

type slicedJob struct {
	workers.Job
	work   sim.Job
	commit func() // in the slice
}

// RunsKept is how many of the latest runs of tasks, and of each worker's jobs, Config.Out keeps of a turn.
const RunsKept = 1 << 13

func newSliced(c Config, p frameslice.Preset) *sliced {
	o := p.Options()
	o.Workers.Insight = true
	o.Interval, o.Scheduler.Times = c.Interval, true
	if c.Out != "" {
		o.Timeline, o.Workers.Timeline = RunsKept, RunsKept
	}
	x := &sliced{pool: workers.New(o.Workers)} // its own, to close it before the loop
	o.Pool, o.Workers = x.pool, workers.Options{}
	x.loop = frame.New(o)
	return x
}

// Loop returns the loop, for the report.
func (x *sliced) Loop() *frame.Loop { return x.loop }

// Begin begins a frame.
func (x *sliced) Begin() { x.loop.Begin() }

func (x *sliced) End() {
	x.loop.Slice()
	x.loop.End()
}

func (x *sliced) Pending() int { return x.pending }

func (x *sliced) ParallelFor(n, grain int, body func(lo, hi int)) {
	x.pool.ParallelFor(n, grain, body)
}

func (x *sliced) Submit(kind string, p deadline.Priority, j sim.Job) {
	s := x.take()
	s.Label, s.Priority, s.work = kind, p, j
	x.pending++
	x.pool.Submit(&s.Job)
}

// take returns a job that may be submitted. A job that was committed need not have finished: its worker may have lost
// its CPU right after posting the commit, for long if its thread is of low priority.
func (x *sliced) take() *slicedJob {
	if x.free.len() > 0 && x.free.front().Finished() {
		return x.free.pop()
	}
	s := &slicedJob{}
	x.all = append(x.all, s)
	s.commit = func() {
		s.work.Commit()
		s.work = nil
		x.pending--
		x.free.push(s)
	}
	s.Func = func(*workers.Worker) {
		s.work.Run()
		x.loop.Post(s.Priority, s.commit)
	}
	return s
}

// Close cancels what has not started, so that closing the pool waits for what has and for nothing else.
func (x *sliced) Close() {
	if x.closed {
		return
	}
	x.closed = true
	for _, s := range x.all {
		s.Cancel()
	}
	_ = x.pool.Close(context.Background()) // fails only when its context ends
	_ = x.loop.Close()                     // its error would say that tasks were dropped, as was asked for
}
