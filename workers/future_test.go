package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestFutureHasTheResult(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		boom := errors.New("boom")
		f := workers.Submit(p, deadline.UserBlocking, func() (string, error) { return "x", boom })
		if v, err := f.Wait(context.Background()); v != "x" || err != boom {
			t.Errorf("Wait = %q, %v", v, err)
		}
		if v, err := f.Result(); v != "x" || err != boom {
			t.Errorf("Result = %q, %v", v, err)
		}
		<-f.Done()
		<-f.Done()
		if f.Cancel() {
			t.Error("canceled after the end")
		}
	})
}

func TestFutureDoneWithoutWait(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	f := workers.Submit(p, deadline.Normal, func() (int, error) { return 7, nil })
	<-f.Done()
	if v, err := f.Result(); v != 7 || err != nil {
		t.Errorf("Result = %d, %v", v, err)
	}
}

func TestFutureNotifiesInOrder(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	var log []string
	note := func(s string) func() { return func() { log = append(log, s) } }
	f := workers.Submit(p, deadline.Normal, func() (int, error) { log = append(log, "run"); return 0, nil })
	if panicOf(func() { _, _ = f.Result() }) == nil {
		t.Error("Result of an unfinished future did not panic")
	}
	f.Notify(note("a"))
	f.Notify(note("b"))
	p.RunUntil(deadline.Deadline{})
	f.Notify(note("c"))
	if got := strings.Join(log, " "); got != "run a b c" {
		t.Errorf("log %q", got)
	}
}

func TestFutureCancel(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	f := workers.Submit(p, deadline.Normal, func() (int, error) { t.Error("ran"); return 1, nil })
	if !f.Cancel() {
		t.Error("not canceled")
	}
	v, err := f.Wait(background)
	if v != 0 || !errors.Is(err, context.Canceled) || !errors.Is(err, workers.ErrCanceled) {
		t.Errorf("Wait = %d, %v", v, err)
	}
	p.RunUntil(deadline.Deadline{})
}

// Jobs that wait for jobs, deeper than there are workers, also with a context that can be done.
func TestFuturesMayWaitForFutures(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var sum func(n int) (int, error)
		sum = func(n int) (int, error) {
			if n == 0 {
				return 0, nil
			}
			f := workers.Submit(p, deadline.UserBlocking, func() (int, error) { return sum(n - 1) })
			g := workers.Submit(p, deadline.Low, func() (int, error) { return n, nil })
			a, err := f.Wait(ctx)
			b, err2 := g.Wait(ctx)
			return a + b, errors.Join(err, err2)
		}
		top := workers.Submit(p, deadline.Normal, func() (int, error) { return sum(30) })
		if v, err := top.Wait(background); v != 465 || err != nil {
			t.Errorf("sum = %d, %v", v, err)
		}
	})
}

// How a job ended reaches its owner, costs no worker, and does not reach a waiter that ran it on its own
// goroutine.
func TestPanicsAndGoexitReachTheOwner(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		boom := errors.New("boom")
		for i := range 20 {
			prio := deadline.Priorities()[i%5]
			j := workers.Job{Label: "explode", Priority: prio, Func: func(*workers.Worker) { explode(boom) }}
			p.Submit(&j)
			if i%2 == 0 {
				p.RunUntil(deadline.Deadline{})
			}
			var pe *workers.PanicError
			if err := j.Wait(background); !errors.As(err, &pe) || !errors.Is(err, boom) || pe.Label != "explode" ||
				!strings.Contains(string(pe.Stack), "explode") {
				t.Fatalf("err %v", err)
			}
			f := workers.Submit(p, prio, func() (int, error) { explode(boom); return 1, nil })
			if v, err := f.Wait(background); v != 0 || !errors.As(err, &pe) || !errors.Is(err, boom) {
				t.Fatalf("Wait = %d, %v", v, err)
			}
			f = workers.Submit(p, prio, func() (int, error) { runtime.Goexit(); return 1, nil })
			if i%2 == 0 {
				p.RunUntil(deadline.Deadline{})
			}
			if v, err := f.Wait(background); v != 0 || err != workers.ErrGoexit {
				t.Fatalf("Wait = %d, %v", v, err)
			}
			j.Func = func(*workers.Worker) { runtime.Goexit() }
			p.Submit(&j)
			if err := j.Wait(background); err != workers.ErrGoexit {
				t.Fatalf("err %v", err)
			}
		}
		var s workers.Stats
		if p.Stats(&s); s.Panicked != 40 {
			t.Errorf("%d panics counted, want 40", s.Panicked)
		}
	})
}

//go:noinline
func explode(v any) { panic(v) }

func TestOnPanic(t *testing.T) {
	for name, n := range map[string]int{"none": -1, "one": 1} {
		t.Run(name, func(t *testing.T) {
			caught := make(chan *workers.PanicError, 10)
			p := workers.New(workers.Options{Workers: n, OnPanic: func(pe *workers.PanicError) { caught <- pe }})
			for i := range 3 {
				p.Go(deadline.Normal, func() { explode(i) })
				p.Go(deadline.Normal, runtime.Goexit) // ends a goroutine, and so a job
			}
			mustClose(t, p)
			close(caught)
			got := 0
			for pe := range caught {
				got++
				if _, ok := pe.Value.(int); !ok {
					t.Errorf("panic value %v", pe.Value)
				}
			}
			if got != 3 {
				t.Errorf("caught %d panics, want 3", got)
			}
		})
	}
}

func ExampleSubmit() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	f := workers.Submit(p, deadline.UserBlocking, func() (int, error) { return 6 * 7, nil })
	fmt.Println(f.Wait(context.Background()))
	// Output: 42 <nil>
}
