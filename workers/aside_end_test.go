package workers_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// What has stood aside goes on in the end, whatever happens then.

// beneath starts a job that yields once open is closed and then does the rest, and returns it when it runs.
func beneath(p *workers.Pool, open chan struct{}, rest func(w *workers.Worker)) *workers.Job {
	in := make(chan struct{})
	a := &workers.Job{Label: "a", Priority: deadline.Low, Func: func(w *workers.Worker) {
		close(in)
		<-open
		w.Yield()
		rest(w)
	}}
	p.Submit(a)
	<-in
	return a
}

// A Goexit in OnPanic takes the worker's thread, and with it, one after the other, all that stood aside on it.
func TestManyThatStandAsideAndPanic(t *testing.T) {
	needsWorkers(t)
	for _, pin := range []workers.Pin{workers.PinNone, workers.PinThread} {
		var told atomic.Int32
		p := workers.New(workers.Options{Workers: 1, Pin: pin, OnPanic: func(*workers.PanicError) {
			told.Add(1)
			runtime.Goexit()
		}})
		open := make(chan struct{})
		a := beneath(p, open, func(w *workers.Worker) {
			for range 10 {
				w.Yield()
			}
		})
		for range 5 {
			p.Go(deadline.Normal, func() { _ = a.Wait(background); panic("x") })
		}
		close(open)
		if err := a.Wait(background); err != nil {
			t.Error(err)
		}
		eventually(t, "all that stood aside have ended", func() bool { return told.Load() == 5 })
		after := make(chan struct{})
		p.Go(deadline.Normal, func() { close(after) })
		<-after
		mustClose(t, p)
	}
}

// What goes on within a Close counts for every other Close, and may submit.
func TestWhatStoodAsideGoesOnInClose(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	open, resumed, closing := make(chan struct{}), make(chan struct{}), make(chan struct{})
	late := workers.Job{Func: func(*workers.Worker) {}}
	var inside error
	a := beneath(p, open, func(*workers.Worker) { close(closing); inside = p.Close(background) })
	u := &workers.Job{Func: func(w *workers.Worker) {
		_ = a.Wait(ctx)
		close(resumed)
		time.Sleep(50 * time.Millisecond) // in which nobody is to find the pool quiet
		w.Submit(&late)
	}}
	p.Submit(u)
	close(open)
	<-closing
	closed := make(chan error)
	go func() { closed <- p.Close(background) }()
	time.Sleep(10 * time.Millisecond)
	cancel()
	<-resumed
	if err := <-closed; err != nil || inside != nil {
		t.Errorf("Close: %v, and in the job %v", err, inside)
	}
	if err := late.Wait(background); err != nil {
		t.Errorf("what was submitted while the pool drained: %v", err)
	}
}

// What goes on when the job beneath has ended is seen as any other job.
func TestWhatStoodAsideIsSeen(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	open, resumed, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
	a := beneath(p, open, func(*workers.Worker) {})
	u := &workers.Job{Label: "u", Func: func(*workers.Worker) {
		_ = a.Wait(background)
		close(resumed)
		<-end
	}}
	p.Submit(u)
	close(open)
	<-resumed
	var s workers.Stats
	if p.Stats(&s); !s.PerWorker[0].Running || s.PerWorker[0].Label != "u" {
		t.Errorf("Stats: %+v", s.PerWorker)
	}
	if err := giveUp(p); err == nil || !strings.Contains(err.Error(), "still running: u") {
		t.Errorf("Close: %v", err)
	}
	close(end)
	mustClose(t, p)
}
