package workers

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/where"
)

// An OnPanic that ends its goroutine, as one that calls testing.T.Fatal does, costs no worker, and Close returns.
func TestGoexitInOnPanicCostsNoWorker(t *testing.T) {
	needsWorkers(t)
	for _, o := range []Options{{Workers: 1}, {Workers: 1, Pin: PinThread}, {Workers: 1, Insight: true},
		{Workers: 1, MaxWaiting: 9}} {
		o.OnPanic = func(*PanicError) { runtime.Goexit() }
		p := New(o)
		for range 3 {
			p.Go(deadline.Normal, func() { panic("a job's") })
		}
		<-Submit(p, deadline.Low, func() (int, error) { return 0, nil }).Done()
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// A Goexit in a loop's body ends the loop, and not the job whose stale entry the worker saw last.
func TestGoexitInALoopFinishesNoStaleJob(t *testing.T) {
	if !threads {
		t.Skip("no workers where there is one thread")
	}
	p := New(Options{Workers: 1})
	defer closeNow(t, p)
	begun, release := make(chan struct{}), make(chan struct{})
	p.Go(deadline.Immediate, func() { close(begun); <-release })
	<-begun
	stale := Job{Func: func(*Worker) {}}
	p.Submit(&stale)
	stale.Cancel()
	close(release)
	w := p.classes[ordinary].slots[0].Load()
	for p.classes[ordinary].sleep.Resting() == 0 || p.anyQueued() {
		time.Sleep(time.Millisecond)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("ParallelFor did not raise the Goexit")
			}
		}()
		helped := make(chan struct{})
		p.ParallelFor(2, 1, func(lo, hi int) {
			if where.ID() == w.goid.Load() {
				close(helped)
				runtime.Goexit()
			}
			<-helped
		})
	}()
	closeNow(t, p)
	if err := stale.Err(); !errors.Is(err, ErrCanceled) {
		t.Errorf("the canceled job's error is %v now", err)
	}
}

// What a job submits to an urgent lane from a lowered thread goes into a queue of its own, also when the job
// runs there only because a background job waits for it.
func TestANestedJobOnALowThreadSubmitsBelow(t *testing.T) {
	p := New(Options{Workers: -1, Background: 1})
	defer closeNow(t, p)
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
