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

func ended(t *testing.T, w *Worker) {
	t.Helper()
	for range 120_000 {
		if !w.alive.Load() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the worker did not leave within 2 min")
}

func closeNow(t *testing.T, p *Pool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
}

// A worker that left, as when GOMAXPROCS shrinks, and is started again is as safe as before.
func TestARestartedWorkerSurvivesItsJobs(t *testing.T) {
	if !threads {
		t.Skip("no workers where there is one thread")
	}
	p := New(Options{Workers: 1})
	defer closeNow(t, p)
	c := &p.classes[ordinary]
	for range 3 {
		p.resize(c, 0)
		ended(t, c.slots[0].Load())
		p.resize(c, 1)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		bad := Submit(p, deadline.Normal, func() (int, error) { panic("boom") })
		var pe *PanicError
		if _, err := bad.Wait(ctx); !errors.As(err, &pe) {
			t.Fatalf("a panic after a restart: %v", err)
		}
		exit := Submit(p, deadline.Normal, func() (int, error) { runtime.Goexit(); return 0, nil })
		if _, err := exit.Wait(ctx); !errors.Is(err, ErrGoexit) {
			t.Fatalf("a Goexit after a restart: %v", err)
		}
		knows := Submit(p, deadline.Normal, func() (bool, error) { return p.inside(), nil })
		if inside, err := knows.Wait(ctx); err != nil || !inside {
			t.Errorf("a job after a restart: inside %v, %v", inside, err)
		}
		cancel()
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

// A job that yielded where there were no workers is not forgotten when there are some.
func TestAYieldedJobEndsAfterTheFirstWorkerCame(t *testing.T) {
	p := New(Options{Workers: -1})
	n := 0
	j := Job{Func: func(w *Worker) { n++; w.Yield(); n++; w.Yield(); n++ }}
	p.Submit(&j)
	p.RunUntil(deadline.Deadline{})
	p.resize(&p.classes[ordinary], 1)
	closeNow(t, p)
	if n != 3 || j.State() != Finished || j.Err() != nil {
		t.Errorf("%d turns of 3, %v", n, j.State())
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
