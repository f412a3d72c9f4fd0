package workers

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

// A worker leaves although a loop is open, because the loop's caller runs what is left (E3).
func TestALoopKeepsNoWorker(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 1})
	w := p.classes[ordinary].slots[0].Load()
	first := true
	p.ParallelFor(2, 1, func(int, int) {
		if p.inside() || !first {
			return // the worker's piece, or that which it left to the caller
		}
		first = false
		p.ShrinkTo(0)
		testkit.Eventually(t, "the worker leaves", func() bool { return !w.alive.Load() })
	})
	MustClose(t, p)
}

// Where somebody calls RunUntil the worker goes when it has run as much as was there.
func TestTheLastWorkerHandsOver(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 1})
	defer MustClose(t, p)
	release := Occupy(p, deadline.Immediate)
	p.pump.last.Store(int64(deadline.Now().Add(time.Hour)))
	left := 0
	var again func()
	again = func() { left++; p.Go(deadline.Normal, again) }
	for range 3 {
		p.Go(deadline.Normal, again)
	}
	p.ShrinkTo(0)
	release()
	testkit.Eventually(t, "the worker leaves", func() bool { return !p.classes[ordinary].slots[0].Load().alive.Load() })
	if left < 3 {
		t.Errorf("it left after %d jobs", left)
	}
	again = func() {}
	p.RunUntil(deadline.Deadline{})
}

// A runner that rests meanwhile is woken for what is left so, although it was there before the rest, and before there
// were to be no workers.
func TestTheLastWorkerWakesRunnersForWhatItLeaves(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 1})
	defer MustClose(t, p)
	release := Occupy(p, deadline.Immediate)
	p.pump.last.Store(int64(deadline.Now().Add(time.Hour)))
	var rings atomic.Int32
	runner := (*internals)(p).Runner(func() { rings.Add(1) })
	defer runner.Close()
	p.Submit(&Job{Func: func(w *Worker) {
		for range 8 { // the worker's own, which it runs before the others
			w.Go(deadline.Normal, func() {})
		}
	}})
	for range 2 {
		p.Go(deadline.Normal, func() {})
	}
	runner.Rest()
	p.ShrinkTo(0)
	release()
	testkit.Eventually(t, "the worker leaves", func() bool { return !p.classes[ordinary].slots[0].Load().alive.Load() })
	testkit.Eventually(t, "a call of Wake", func() bool { return rings.Load() == 1 })
	if p.RunUntil(deadline.Deadline{}) == 0 {
		t.Error("the worker has left nothing")
	}
}

// A job within Blocking has a stand-in, also when there are to be no workers: before, and after.
func TestBlockingHasASpareWhereThereAreToBeNoWorkers(t *testing.T) {
	NeedsWorkers(t)
	for _, early := range []bool{true, false} {
		p := New(Options{Workers: 1})
		c := &p.classes[ordinary]
		in, go1, out := make(chan struct{}), make(chan struct{}), make(chan struct{})
		p.Submit(&Job{Func: func(w *Worker) {
			if !early {
				close(in)
				<-go1
			}
			w.Blocking(func() {
				if early {
					close(in)
				}
				<-out
			})
		}})
		<-in
		p.ShrinkTo(0)
		close(go1)
		p.Go(deadline.Normal, func() { close(out) })
		select {
		case <-out:
		case <-time.After(2 * time.Minute):
			t.Fatalf("early %v: nobody stands in", early)
		}
		testkit.Eventually(t, "nobody is left", func() bool {
			return c.want.Load() == 0 && !c.slots[0].Load().alive.Load() && !c.slots[1].Load().alive.Load()
		})
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
