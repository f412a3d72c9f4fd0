package workers_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// What runs on top of a job that yields, and waits for it, stands aside: neither hangs.
func TestYieldGoesOnBesideWhoWaitsForIt(t *testing.T) {
	needsWorkers(t)
	type pool = *workers.Pool
	type ended = <-chan struct{}
	wait := func(f func(a *workers.Job)) func(p pool, a *workers.Job) ended {
		return func(p pool, a *workers.Job) ended {
			return workers.Submit(p, deadline.Normal, func() (int, error) { f(a); return 0, nil }).Done()
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
			f := workers.Submit(p, deadline.Normal, func() (int, error) { return 1, a.Wait(background) })
			g := workers.Then(f, func(v int) (int, error) { return v, nil })
			return workers.Submit(p, deadline.Normal, func() (int, error) { return g.Wait(background) }).Done()
		},
		"scope": func(p pool, a *workers.Job) ended {
			return workers.Submit(p, deadline.Normal, func() (int, error) {
				return 0, p.Scope(background, func(s *workers.Scope) error {
					s.Go(func(ctx context.Context) error { return a.Wait(ctx) })
					return nil
				})
			}).Done()
		},
		"goexit": wait(func(a *workers.Job) { _ = a.Wait(background); runtime.Goexit() }),
		"panics": wait(func(a *workers.Job) { _ = a.Wait(background); panic("after it") }),
	} {
		t.Run(name, func(t *testing.T) {
			for shape, o := range map[string]workers.Options{
				"one":        {Workers: 1},
				"thread":     {Workers: 1, Pin: workers.PinThread},
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
						ends(t, "who waits", func() { <-done; <-after(a) })
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

// Who stands aside has its context looked at when the job beneath yields again; and Close waits for it.
func TestWhoStandsAside(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	ctx, cancel := context.WithCancelCause(background)
	in, open := make(chan struct{}), make(chan struct{})
	var u *workers.Future[int]
	var inside error
	a := &workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
		close(in)
		<-open
		w.Yield() // u stands aside
		over, stop := context.WithTimeout(background, 10*time.Millisecond)
		defer stop()
		inside = p.Close(over)
		cancel(errBoom)
		w.Yield()
		if _, err := u.Result(); !errors.Is(err, errBoom) {
			t.Error("after its context:", err)
		}
	}}
	p.Submit(a)
	<-in
	u = workers.Submit(p, deadline.Normal, func() (int, error) { return 0, a.Wait(ctx) })
	close(open)
	ends(t, "the job", func() { <-after(a) })
	if a.Err() != nil {
		t.Error(a.Err())
	}
	if !errors.Is(inside, context.DeadlineExceeded) {
		t.Error("Close in the job beneath:", inside)
	}
	mustClose(t, p)
}

// The job beneath may wait for who stands aside, if that gives up.
func TestWaitForWhoStandsAside(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	ctx, cancel := context.WithTimeout(background, 20*time.Millisecond)
	defer cancel()
	in, open := make(chan struct{}), make(chan struct{})
	u := &workers.Job{}
	a := &workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
		close(in)
		<-open
		w.Yield() // u stands aside
		panicOn(u.Wait(background))
	}}
	u.Func = func(*workers.Worker) { _ = a.Wait(ctx) }
	p.Submit(a)
	<-in
	p.Submit(u)
	close(open)
	ends(t, "the job", func() { <-after(a) })
	if err := a.Err(); err != nil {
		t.Error(err)
	}
}
