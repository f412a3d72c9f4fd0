package workers_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// What every system that can do it says about the threads that jobs run on.

func TestBackgroundJobsRunAtALowerPriority(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1, Background: 1})
	defer mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Background != 1 {
		t.Skipf("no background workers here: %v", s.Notes)
	}
	class := func(priority deadline.Priority) (c osthread.Class, err error) {
		f := workers.Submit(p, priority, func(context.Context) (osthread.Class, error) { return osthread.Lowered() })
		<-f.Done() // Wait may run the job on this thread
		return f.Result()
	}
	if c, err := class(deadline.Immediate); c != osthread.Ordinary || err != nil {
		t.Skipf("this process is lowered itself: %v, %v", c, err)
	}
	if c, err := class(deadline.Idle); c == osthread.Ordinary || err != nil {
		t.Errorf("a background job runs at %v, %v", c, err)
	}
}

// A loop of a background worker's job takes no ordinary worker, wherever on that worker the job runs, and the job is
// told that it is a background worker's.
func TestLoopsWithinJobsOfBackgroundWorkers(t *testing.T) {
	needsWorkers(t)
	for how, run := range map[string]func(p *workers.Pool, w *workers.Worker, loop func(w *workers.Worker)){
		"the job itself": func(_ *workers.Pool, w *workers.Worker, loop func(w *workers.Worker)) { loop(w) },
		"a job that it waits for": func(_ *workers.Pool, w *workers.Worker, loop func(w *workers.Worker)) {
			k := workers.Job{Func: loop}
			w.Submit(&k)
			k.Wait(background)
		},
		"a job that it yields to": func(_ *workers.Pool, w *workers.Worker, loop func(w *workers.Worker)) {
			w.Submit(&workers.Job{Priority: deadline.Normal, Func: loop})
			w.Yield()
		},
	} {
		p := workers.New(workers.Options{Workers: 2, Background: 1})
		var taken, loops atomic.Int32
		j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
			run(p, w, func(w *workers.Worker) {
				if loops.Add(1); !w.Low() {
					t.Errorf("%s: it is not told that it is a background worker's", how)
				}
				w.ParallelFor(8, 1, func(int, int) {
					time.Sleep(2 * time.Millisecond) // for the others to come
					var s workers.Stats
					p.Stats(&s)
					for _, other := range s.PerWorker {
						if other.Label == "ParallelFor" && !other.Low {
							taken.Add(1)
						}
					}
				})
			})
		}}
		p.Submit(&j)
		testkit.Eventually(t, how, func() bool { return j.State() == workers.Finished })
		if loops.Load() != 1 || taken.Load() != 0 {
			t.Errorf("%s: %d loops, which ordinary workers helped in %d pieces", how, loops.Load(), taken.Load())
		}
		mustClose(t, p)
	}
}

// A job within another one has no index of its own to keep things by.
func TestIndexWithinAnotherJob(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	waited := 0
	j := workers.Job{Func: func(w *workers.Worker) {
		k := workers.Job{Func: func(w *workers.Worker) { waited = w.Index() }}
		w.Submit(&k)
		k.Wait(background)
	}}
	p.Submit(&j)
	testkit.Eventually(t, "the job", func() bool { return j.State() == workers.Finished })
	if waited != -1 {
		t.Errorf("it has the index %d", waited)
	}
	mustClose(t, p)
}
