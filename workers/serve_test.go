package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// ends fails the test, with all stacks, if f does not return.
func ends(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		buf := make([]byte, 1<<16)
		t.Fatalf("%s does not end\n%s", what, buf[:runtime.Stack(buf, true)])
	}
}

// twoForks runs a job on two workers, whose fork is stolen, and forks in turn; that inner fork runs on the first
// worker, within its Join. The outer fork calls rest before it joins the inner one.
func twoForks(p *workers.Pool, inner, rest func(w *workers.Worker)) error {
	var began, innerBegan atomic.Bool
	b := &workers.Job{Label: "inner", Func: func(w *workers.Worker) {
		innerBegan.Store(true)
		inner(w)
	}}
	a := &workers.Job{Label: "outer", Func: func(w *workers.Worker) {
		began.Store(true)
		w.Fork(b)
		for !innerBegan.Load() { // who is hungry gets what is forked at the next fork
			c := &workers.Job{Func: func(*workers.Worker) {}}
			w.Fork(c)
			w.Join(c)
			runtime.Gosched()
		}
		rest(w)
		w.Join(b)
	}}
	j := &workers.Job{Func: func(w *workers.Worker) {
		w.Fork(a)
		for !began.Load() {
			c := &workers.Job{Func: func(*workers.Worker) {}}
			w.Fork(c)
			w.Join(c)
			runtime.Gosched()
		}
		w.Join(a)
	}}
	return onAWorker(p, j)
}

// onAWorker runs j on a worker, and not on the goroutine that waits for it.
func onAWorker(p *workers.Pool, j *workers.Job) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.Submit(j)
	return j.Wait(ctx)
}

// A fork within Join is within a job: its waits claim what nobody has begun.
func TestAForkWithinJoinIsWithinAJob(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ends(t, "a fork that waits", func() {
		err := twoForks(p, func(*workers.Worker) {
			f := workers.Submit(p, deadline.Normal, func() (int, error) { return 1, nil })
			if v, err := f.Wait(ctx); v != 1 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
		}, func(*workers.Worker) {})
		if err != nil {
			t.Error(err)
		}
	})
}

// A fork that its job has forgotten closes the pool: it does not wait for itself.
func TestCloseWithinAForgottenFork(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	ran := false
	p.Submit(&workers.Job{Func: func(w *workers.Worker) {
		w.Fork(&workers.Job{Func: func(*workers.Worker) {
			if err := p.Close(background); err != nil {
				t.Error(err)
			}
			ran = true
		}})
	}})
	ends(t, "Close within a fork", func() { p.RunUntil(deadline.Deadline{}) })
	if !ran {
		t.Error("the fork was not run")
	}
}
