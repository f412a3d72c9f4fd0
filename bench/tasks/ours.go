package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/bench/report"
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// slice is the budget of a slice: React's, which is fixed.
const slice = 5 * time.Millisecond

// A runner has what a workload needs before its clock starts. A workload counts its runs in ran, and want is how many
// there must be.
type runner struct {
	s         *scheduler.Scheduler
	n         int
	ran, want int
	unit      string // "µs" if the time is one wait, or empty if it is that of n tasks
}

// ours are the workloads by name. Each prepares a runner, and returns a function that does the workload once with n
// tasks and returns the time that it took.
var ours = map[string]func(r *runner) func() time.Duration{
	"schedule-run":     scheduleRun,
	"five-priorities":  fivePriorities,
	"schedule-cancel":  scheduleCancel,
	"delayed-due":      delayedDue,
	"delayed-tasks":    delayedTasks,
	"step":             step,
	"coroutine-yield":  coroutineYield,
	"coroutine-frames": coroutineFrames,
	"late-tasks":       lateTasks,
	"immediate":        immediate,
}

// measure does a workload three times, and takes the time of the third and the allocations of the last two. The first
// run fills the scheduler's storage.
func measure(prepare func(*runner) func() time.Duration, n int) ([]report.Value, error) {
	r := &runner{s: scheduler.New(scheduler.Options{}), n: n, want: n}
	defer r.s.Close()
	run := prepare(r)
	var before, after runtime.MemStats
	var took time.Duration
	for i := range 3 {
		if i == 1 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
		r.ran = 0
		if took = run(); r.ran != r.want {
			return nil, fmt.Errorf("%d tasks ran, not %d", r.ran, r.want)
		}
	}
	runtime.ReadMemStats(&after)
	if s := r.s.Stats(); s.Failed > 0 {
		return nil, errors.New("a task failed")
	}
	if r.unit == "µs" {
		return []report.Value{{Metric: "µs", V: float64(took) / 1e3, Unit: "µs"}}, nil
	}
	// To a thousandth, because the runtime allocates something for itself now and then.
	allocs := math.Round(float64(after.Mallocs-before.Mallocs)/float64(2*n)*1000) / 1000
	return []report.Value{
		{Metric: "ns/task", V: float64(took) / float64(n), Unit: "ns"},
		{Metric: "allocs/task", V: allocs, Unit: "allocs"},
	}, nil
}

// drain runs slices until nothing is ready, as a host does, and returns the longest.
func (r *runner) drain() (longest time.Duration) {
	for {
		t0 := deadline.Now()
		r.s.RunUntil(deadline.In(slice))
		longest = max(longest, since(t0))
		if at, more := r.s.Next(); !more || at > deadline.Now() {
			return longest
		}
	}
}

// count is the no-op, which counts itself.
func (r *runner) count() { r.ran++ }

func since(t0 deadline.Instant) time.Duration { return deadline.Now().Sub(t0) }

// timed is a workload that schedules and then runs what is left.
func (r *runner) timed(schedule func()) func() time.Duration {
	return func() time.Duration {
		t0 := deadline.Now()
		schedule()
		r.drain()
		return since(t0)
	}
}

func scheduleRun(r *runner) func() time.Duration {
	f := r.count
	return r.timed(func() {
		for range r.n {
			r.s.Post(deadline.Normal, f)
		}
	})
}

// priorities are what the tasks of five priorities have.
func (r *runner) priorities() []deadline.Priority {
	prios := make([]deadline.Priority, r.n)
	for i := range prios {
		prios[i] = deadline.Idle + deadline.Priority(rand.IntN(deadline.NumPriorities))
	}
	return prios
}

func fivePriorities(r *runner) func() time.Duration {
	f, prios := r.count, r.priorities()
	return r.timed(func() {
		for _, p := range prios {
			r.s.Post(p, f)
		}
	})
}

func scheduleCancel(r *runner) func() time.Duration {
	f, handles := r.count, make([]scheduler.Handle, r.n)
	r.want = 0
	return r.timed(func() {
		for i := range handles {
			handles[i] = r.s.Post(deadline.Normal, f)
		}
		for _, h := range handles {
			h.Cancel()
		}
	})
}

// delays are 1 to 2 s.
func (r *runner) delays() []time.Duration {
	delays := make([]time.Duration, r.n)
	for i := range delays {
		delays[i] = time.Second + time.Duration(rand.IntN(1000))*time.Millisecond
	}
	return delays
}

// due reads in the submitted tasks, and lets two seconds pass.
func (r *runner) due() {
	r.drain()
	r.s.Shift(-2 * time.Second)
}

func delayedDue(r *runner) func() time.Duration {
	f, delays := r.count, r.delays()
	return r.timed(func() {
		for _, d := range delays {
			r.s.After(deadline.Normal, d, f)
		}
		r.due()
	})
}

// delayedTasks is delayedDue with Tasks that the caller owns.
func delayedTasks(r *runner) func() time.Duration {
	tasks, f := make([]scheduler.Task, r.n), r.count
	for i, d := range r.delays() {
		tasks[i].Func, tasks[i].Delay = f, d
	}
	return r.timed(func() {
		for i := range tasks {
			r.s.Submit(&tasks[i])
		}
		r.due()
	})
}

func step(r *runner) func() time.Duration {
	task := &scheduler.Task{Step: func() bool { r.ran++; return r.ran < r.n }}
	return r.timed(func() { r.s.Submit(task) })
}

func coroutineYield(r *runner) func() time.Duration {
	task := &scheduler.Task{Co: func(co *scheduler.Co) {
		for r.ran++; r.ran < r.n; r.ran++ {
			co.Yield()
		}
	}}
	return r.timed(func() { r.s.Submit(task) })
}

// coroutineFrames keeps its coroutines: making them is not what it measures.
func coroutineFrames(r *runner) func() time.Duration {
	const coroutines = 1000
	r.want = r.n / coroutines * coroutines
	for range coroutines {
		r.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				co.NextFrame()
				r.ran++
			}
		})
	}
	return func() time.Duration {
		if r.s.Stats().Coroutines == 0 {
			r.s.RunUntil(deadline.Deadline{})
		}
		t0 := deadline.Now()
		for r.ran < r.want {
			r.s.RunUntil(deadline.Deadline{}) // a frame, since nobody calls BeginFrame
		}
		return since(t0)
	}
}

// lateTasks runs one task first. So the scheduler reads in the others, and Shift can make them late.
func lateTasks(r *runner) func() time.Duration {
	const tasks = 200
	r.want, r.unit = tasks+1, "µs"
	busy := func() {
		r.ran++
		for t0 := deadline.Now(); since(t0) < time.Millisecond; {
		}
	}
	return func() time.Duration {
		r.s.Post(deadline.Immediate, r.count)
		for range tasks {
			r.s.Post(deadline.UserBlocking, busy) // expires after 250 ms
		}
		r.s.RunUntil(deadline.In(0))
		r.s.Shift(-550 * time.Millisecond)
		return r.drain()
	}
}

func immediate(r *runner) func() time.Duration {
	f, delays := r.count, r.delays()
	r.want, r.unit = r.n+1, "µs"
	return func() time.Duration {
		for _, d := range delays {
			r.s.After(deadline.Normal, d, f)
		}
		r.due()
		var began deadline.Instant
		t0 := deadline.Now()
		r.s.Post(deadline.Immediate, func() { r.ran++; began = deadline.Now() })
		r.drain()
		return began.Sub(t0)
	}
}
