package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestSubmissionDoesNotAllocate(t *testing.T) {
	needsWorkers(t)
	for _, o := range []workers.Options{{Workers: 1}, {Workers: 2}, {Workers: 1, Background: 1}} {
		p := workers.New(o)
		var done atomic.Int64
		f := func() { done.Add(1) }
		jobs := make([]workers.Job, 100)
		for i := range jobs {
			jobs[i].Label = "count"
			jobs[i].Func = func(*workers.Worker) { done.Add(1) }
		}
		round := func() {
			done.Store(0)
			for i := range jobs {
				p.Go(deadline.Immediate, f)
				p.Submit(&jobs[i])
			}
			for i := range jobs {
				for jobs[i].State() != workers.Finished || done.Load() < 200 {
					runtime.Gosched()
				}
			}
		}
		round()
		if n := allocsPerRun(50, round); n >= 1 {
			t.Errorf("%+v: %v allocations for 200 jobs", o, n)
		}
		mustClose(t, p)
	}
}

func TestLocalWorkDoesNotAllocate(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	err := run(p, func(w *workers.Worker) {
		var fork workers.Job
		fork.Func = func(*workers.Worker) {}
		f := func() {}
		if n := allocsPerRun(100, func() {
			w.Fork(&fork)
			w.Join(&fork)
		}); n != 0 {
			t.Errorf("Fork and Join: %v allocations", n)
		}
		// The queue grows once, to what is needed.
		for range 1 << 12 {
			w.Go(deadline.Normal, f)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// Where there are no workers, a job in RunUntil has a goroutine of its own, which is kept.
func TestASlicedJobDoesNotAllocate(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	turns := 0
	j := workers.Job{Label: "slice", Func: func(w *workers.Worker) {
		turns++
		w.Yield()
		turns++
	}}
	round := func() {
		p.Submit(&j)
		for j.State() != workers.Finished {
			p.RunUntil(deadline.Deadline{})
		}
	}
	for range 50 {
		round()
	}
	if n := allocsPerRun(100, round); n != 0 {
		t.Errorf("a job of two turns allocates %v times", n)
	}
	if want := 2 * (50 + 101); turns != want {
		t.Errorf("%d turns, want %d", turns, want)
	}
}

// A kept goroutine does not outlive what a job did to it.
func TestASlicedJobLeavesNothingToTheNext(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	ends := []func(){
		runtime.Goexit,
		func() { panic("boom") },
		func() { defer func() { panic("hides the Goexit") }(); runtime.Goexit() },
		func() {},
	}
	jobs := make([]workers.Job, 40)
	for i := range jobs {
		jobs[i].Func = func(w *workers.Worker) { w.Yield(); ends[i%len(ends)]() }
		p.Submit(&jobs[i])
		if i%8 == 7 { // more at once than are kept
			for p.RunUntil(deadline.Deadline{}); jobs[i].State() != workers.Finished; {
				p.RunUntil(deadline.Deadline{})
			}
		}
	}
	for i := range jobs {
		if err := jobs[i].Err(); (err == nil) != (i%len(ends) == 3) {
			t.Errorf("job %d: %v", i, err)
		}
	}
}

// A scope whose functions spawn one another, one at a time, is run through by its caller on one coroutine.
func TestScopeOfAChainAllocatesItsJobs(t *testing.T) {
	const links = 100
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	n := allocsPerRun(20, func() {
		must(p.Scope(background, func(s *workers.Scope) error {
			var next func(left int)
			next = func(left int) {
				s.Go(func(context.Context) error {
					if left > 1 {
						next(left - 1)
					}
					return nil
				})
			}
			next(links)
			return nil
		}))
	})
	if n > 4*links { // two for each, and those of the scope; a new coroutine for each makes it 1200
		t.Errorf("%v allocations for %d functions", n, links)
	}
}
