package workers

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/internal/where"
)

// An OnPanic that ends its goroutine, as one that calls testing.T.Fatal does, costs no worker, and Close returns.
func TestGoexitInOnPanicCostsNoWorker(t *testing.T) {
	NeedsWorkers(t)
	for _, o := range []Options{{Workers: 1}, {Workers: 1, Pin: PinThread}, {Workers: 1, Profile: -1}} {
		o.OnPanic = func(*PanicError) { runtime.Goexit() }
		p := New(o)
		for range 3 {
			p.Go(deadline.Normal, func() { panic("a job's") })
		}
		<-Submit(p, deadline.Low, func(context.Context) (int, error) { return 0, nil }).Done()
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// A goroutine that begins when a job has called Goexit may get the number of the worker's goroutine, which has ended.
// The new goroutine is not taken for the worker. Jobs on a coroutine of the worker, and forks, end like that, too.
func TestAGoroutineThatBeginsAfterAGoexitIsNoWorker(t *testing.T) {
	NeedsWorkers(t)
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	exit := func(*Worker) { runtime.Goexit() }
	jobs := []func(w *Worker){
		exit,
		func(w *Worker) { // on a coroutine, which ends first
			inner := Job{Func: exit}
			w.pool.Submit(&inner)
			_ = inner.Wait(context.Background())
			exit(w)
		},
		func(w *Worker) {
			joined, left := Job{Func: exit}, Job{Func: exit}
			w.Fork(&joined)
			w.Join(&joined)
			w.Fork(&left)
			exit(w)
		},
	}
	for name, o := range map[string]Options{
		"ordinary":   {Workers: 2},
		"locked":     {Workers: 2, Pin: PinThread},
		"pinned":     {Workers: 2, Pin: PinCPU},
		"background": {Workers: -1, Background: 2},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(o)
			var taken atomic.Int32
			for i := range rounds {
				j := Job{Func: jobs[i%len(jobs)]}
				p.Submit(&j)
				for !j.Finished() {
					runtime.Gosched()
				}
				var all sync.WaitGroup
				for range 20 {
					all.Go(func() {
						if p.workerHere() != nil {
							taken.Add(1)
						}
					})
				}
				all.Wait()
			}
			if n := taken.Load(); n > 0 {
				t.Errorf("%d of %d goroutines were taken for a worker", n, rounds*20)
			}
			MustClose(t, p)
			for i := range p.classes {
				for k := range p.classes[i].used.Load() {
					if w := p.classes[i].slots[k].Load(); w.goid.Load() != 0 || w.thread.Load() != 0 {
						t.Errorf("worker %d has ended: goroutine %d, thread %d", k, w.goid.Load(), w.thread.Load())
					}
				}
			}
		})
	}
}

// A Goexit in a loop's body ends the loop, and not the job whose stale entry the worker saw last.
func TestGoexitInALoopFinishesNoStaleJob(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 1})
	defer MustClose(t, p)
	release := Occupy(p, deadline.Immediate)
	stale := Job{Func: func(*Worker) {}}
	p.Submit(&stale)
	stale.Cancel()
	release()
	w := p.classes[ordinary].slots[0].Load()
	for p.classes[ordinary].sleep.Resting() == 0 || p.lanes.anyQueued() {
		time.Sleep(time.Millisecond)
	}
	testkit.Panics(t, "ParallelFor: panic: frameslice: runtime.Goexit called", func() {
		helped := make(chan struct{})
		p.ParallelFor(2, 1, func(lo, hi int) {
			if where.ID() == w.goid.Load() {
				close(helped)
				runtime.Goexit()
			}
			<-helped
		})
	})
	MustClose(t, p)
	if err := stale.Err(); !errors.Is(err, ErrCanceled) {
		t.Errorf("the canceled job's error is %v now", err)
	}
}

// What a job submits to an urgent lane from a lowered thread goes into a queue of its own, also when the job
// runs there only because a background job waits for it.
func TestANestedJobOnALowThreadSubmitsBelow(t *testing.T) {
	p := New(Options{Workers: -1, Background: 1})
	defer MustClose(t, p)
	if p.classes[background].want.Load() == 0 {
		t.Skip("no background workers here")
	}
	urgent := Job{Priority: deadline.Immediate, Func: func(w *Worker) { w.Go(deadline.Immediate, func() {}) }}
	low := Job{Priority: deadline.Low, Func: func(*Worker) {
		p.Submit(&urgent)
		if err := urgent.Wait(context.Background()); err != nil {
			t.Error(err)
		}
	}}
	p.Submit(&low)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := low.Wait(ctx); err != nil {
		t.Error(err)
	}
	if n := p.lanes[deadline.Immediate.Lane()].below.Size(); n != 1 {
		t.Errorf("%d items in the queue for lowered threads, want 1", n)
	}
}
