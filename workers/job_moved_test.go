package workers_test

import (
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// A Job that one pool had, and another has now, is run by that, whatever the first one does about the entry that it
// still has.
func TestAJobIsRunByThePoolItWasSubmittedTo(t *testing.T) {
	for name, does := range map[string]func(a *workers.Pool){
		"runs":   func(a *workers.Pool) { a.RunUntil(deadline.Deadline{}) },
		"closes": func(a *workers.Pool) { _ = a.Close(background) },
		"drops":  func(a *workers.Pool) { _ = a.Close(over) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := workers.New(workers.Options{Workers: -1}), workers.New(workers.Options{Workers: -1})
			defer mustClose(t, a)
			defer mustClose(t, b)
			var on *workers.Pool
			ran := 0
			j := workers.Job{Func: func(w *workers.Worker) { on, ran = w.Pool(), ran+1 }}
			for range 3 { // there and back: it leaves an entry in either
				a.Submit(&j)
				j.Cancel()
				b.Submit(&j)
				j.Cancel()
			}
			b.Submit(&j)
			does(a)
			if s := j.State(); s != workers.Queued {
				t.Fatalf("the job is %v", s)
			}
			b.RunUntil(deadline.Deadline{})
			if j.State() != workers.Finished || j.Err() != nil || on != b || ran != 1 {
				t.Errorf("%v, on the other pool: %v, ran %d times", j.State(), on == a, ran)
			}
			b.Submit(&j)
			if !j.Cancel() || j.Cancel() || j.Err() != workers.ErrCanceled {
				t.Error("it is canceled as any other, once")
			}
			b.Submit(&j)
			if err := j.Wait(background); err != nil || ran != 2 {
				t.Error("it is waited for as any other", err, ran)
			}
		})
	}
}

// A Job that was one for background workers, and is urgent now, is run by an ordinary one.
func TestAnUrgentJobIsNotRunOnALowThread(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1, Background: 1})
	defer mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Background == 0 || s.Workers == 0 {
		t.Skipf("no background workers here: %v", s.Notes)
	}
	freeLow, freeOrdinary := occupy(p, deadline.Low), occupy(p, deadline.Immediate)
	var low atomic.Bool
	j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) { low.Store(w.Low()) }}
	p.Submit(&j)
	j.Cancel()
	j.Priority = deadline.Immediate
	p.Submit(&j)
	behind := make(chan struct{})
	p.Go(deadline.Low, func() { close(behind) })
	freeLow()
	<-behind // the background worker has found the entry
	if j.State() != workers.Queued {
		t.Errorf("the job is %v, and no ordinary worker was free", j.State())
	}
	freeOrdinary()
	testkit.Eventually(t, "the job has run", func() bool { return j.State() == workers.Finished })
	if low.Load() || j.Err() != nil {
		t.Errorf("on a background worker: %v, %v", low.Load(), j.Err())
	}
}
