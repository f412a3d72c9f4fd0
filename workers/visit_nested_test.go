package workers_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// On a worker, Yield runs what is more urgent, there and then. Such jobs may wait in the worker's own queues.
func TestYieldOnAWorkerRunsTheUrgent(t *testing.T) {
	needsWorkers(t)
	for _, own := range []bool{false, true} { // from outside, or in the worker's own queues
		p := workers.New(workers.Options{Workers: 1})
		started, submitted := make(chan struct{}), make(chan struct{})
		var log []string
		submit := func(goes func(deadline.Priority, func())) {
			goes(deadline.Idle, func() { log = append(log, "idle") })
			goes(deadline.Immediate, func() { log = append(log, "immediate") })
			goes(deadline.Immediate, runtime.Goexit)
			goes(deadline.UserBlocking, func() { log = append(log, "user-blocking") })
		}
		j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
			if w.ShouldYield() {
				t.Error("ShouldYield with nothing queued")
			}
			close(started)
			if own {
				submit(w.Go)
			}
			<-submitted
			if !w.ShouldYield() {
				t.Error("ShouldYield is false with an urgent job queued")
			}
			w.Yield()
			if w.ShouldYield() {
				t.Error("ShouldYield with nothing urgent queued")
			}
			log = append(log, "low")
		}}
		p.Submit(&j)
		<-started
		if !own {
			submit(p.Go)
		}
		close(submitted)
		mustClose(t, p)
		if got, want := strings.Join(log, " "), "immediate user-blocking low idle"; got != want {
			t.Errorf("own %v: got %q, want %q", own, got, want)
		}
	}
}

// A job that Yield runs, and that waits for the job that yields, is suspended: neither hangs.
func TestYieldGoesOnBesideWhoWaitsForIt(t *testing.T) {
	needsWorkers(t)
	type pool = *workers.Pool
	type ended = <-chan struct{}
	wait := func(f func(a *workers.Job)) func(p pool, a *workers.Job) ended {
		return func(p pool, a *workers.Job) ended {
			return workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { f(a); return 0, nil }).Done()
		}
	}
	// Each has what runs in a's Yield wait for a.
	for name, start := range map[string]func(p pool, a *workers.Job) ended{
		"job": wait(func(a *workers.Job) { panicOn(a.Wait(background)) }),
		"loop": func(p pool, a *workers.Job) ended {
			return loopAfter(p, func() { panicOn(a.Wait(background)) })
		},
		"two": func(p pool, a *workers.Job) ended { // the first of them waits for the second, too
			u := &workers.Job{Priority: deadline.Normal, Func: func(*workers.Worker) { panicOn(a.Wait(background)) }}
			k := &workers.Job{Priority: deadline.Low, Func: func(*workers.Worker) {
				panicOn(a.Wait(background))
				panicOn(u.Wait(background))
			}}
			p.Submit(u)
			p.Submit(k)
			return after(k)
		},
		"then": func(p pool, a *workers.Job) ended {
			f := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 1, a.Wait(background) })
			g := workers.Then(f, func(_ context.Context, v int) (int, error) { return v, nil })
			return workers.Submit(p, deadline.Normal, func(context.Context) (int, error) {
				return g.Wait(background)
			}).Done()
		},
		"group": func(p pool, a *workers.Job) ended {
			return workers.Submit(p, deadline.Normal, func(context.Context) (int, error) {
				g := p.NewGroup(background, workers.GroupOptions{})
				g.Go(func(ctx context.Context) error { return a.Wait(ctx) })
				return 0, g.Wait()
			}).Done()
		},
		"goexit": wait(func(a *workers.Job) { _ = a.Wait(background); runtime.Goexit() }),
		"panics": wait(func(a *workers.Job) { _ = a.Wait(background); panic("after it") }),
	} {
		t.Run(name, func(t *testing.T) {
			for shape, o := range map[string]workers.Options{
				"one":        {Workers: 1},
				"background": {Workers: -1, Background: 1},
			} {
				for end, f := range map[string]func(){
					"returns": func() {}, "exits": runtime.Goexit, "panics": func() { panic("x") },
				} {
					if end != "returns" && name != "goexit" { // a.Wait has an error then
						continue
					}
					t.Run(shape+" "+end, func(t *testing.T) {
						p := workers.New(o)
						in, open := make(chan struct{}), make(chan struct{})
						a := &workers.Job{Priority: deadline.Idle, Func: func(w *workers.Worker) {
							close(in)
							<-open
							for range 20 {
								w.Yield()
								time.Sleep(100 * time.Microsecond)
							}
							f()
						}}
						p.Submit(a)
						<-in
						done := start(p, a)
						close(open)
						within(t, "who waits", func() { <-done; <-after(a) })
						mustClose(t, p)
						var s workers.Stats
						if p.Stats(&s); s.Panicked > 0 && name != "panics" && end != "panics" {
							t.Error(s.Panicked, "panics")
						}
					})
				}
			}
		})
	}
}

// after returns a channel that is closed when j has finished.
func panicOn(err error) {
	if err != nil {
		panic(err)
	}
}

func after(j *workers.Job) <-chan struct{} {
	c := make(chan struct{})
	j.Notify(func() { close(c) })
	return c
}

// loopAfter has a helper run f in a loop.
func loopAfter(p *workers.Pool, f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.ParallelFor(2, 1, func(lo, hi int) {
			if lo == 1 {
				f()
				return
			}
			time.Sleep(20 * time.Millisecond)
		})
	}()
	return done
}

// A suspended wait has its context looked at when the outer job yields again, or waits itself.
func TestASuspendedWaitWithAContext(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	for _, waits := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(background)
		in, open := make(chan struct{}), make(chan struct{})
		u := &workers.Job{}
		var inner error
		a := &workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
			close(in)
			<-open
			w.Yield() // u is suspended
			if waits {
				time.AfterFunc(10*time.Millisecond, func() { cancel(errBoom) })
				panicOn(u.Wait(background))
				return
			}
			cancel(errBoom)
			w.Yield()
			if u.State() != workers.Finished {
				t.Error("it is suspended though its context is done")
			}
		}}
		u.Func = func(*workers.Worker) { inner = a.Wait(ctx) }
		p.Submit(a)
		<-in
		p.Submit(u)
		close(open)
		within(t, "the job", func() { <-after(a) })
		if a.Err() != nil || !errors.Is(inner, errBoom) {
			t.Error(a.Err(), inner)
		}
	}
	mustClose(t, p)
}

// outerJob starts a job that yields once open is closed and then does the rest, and returns it when it runs.
func outerJob(p *workers.Pool, open chan struct{}, rest func(w *workers.Worker)) *workers.Job {
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

// A Goexit in OnPanic takes the worker's goroutine, and with it, one after the other, all that were suspended on it.
func TestManyThatAreSuspendedAndPanic(t *testing.T) {
	needsWorkers(t)
	var told atomic.Int32
	p := workers.New(workers.Options{Workers: 1, Pin: workers.PinThread, OnPanic: func(*workers.PanicError) {
		told.Add(1)
		runtime.Goexit()
	}})
	open := make(chan struct{})
	a := outerJob(p, open, func(w *workers.Worker) {
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
	eventually(t, "all that were suspended have ended", func() bool { return told.Load() == 5 })
	after := make(chan struct{})
	p.Go(deadline.Normal, func() { close(after) })
	<-after
	mustClose(t, p)
}

// A job that is resumed within a Close counts for every other Close, and may submit.
func TestWhatWasSuspendedGoesOnInClose(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	open, resumed, closing := make(chan struct{}), make(chan struct{}), make(chan struct{})
	late := workers.Job{Func: func(*workers.Worker) {}}
	var inside error
	a := outerJob(p, open, func(*workers.Worker) { close(closing); inside = p.Close(background) })
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

// A job that is resumed when the outer job has ended is seen as any other job.
func TestWhatWasSuspendedIsSeen(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	open, resumed, end := make(chan struct{}), make(chan struct{}), make(chan struct{})
	a := outerJob(p, open, func(*workers.Worker) {})
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
