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

// run runs f as a job, on a worker if there is one, and returns how it ended.
func run(p *workers.Pool, f func(w *workers.Worker)) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel() // a context that can be done keeps Wait from running the job itself
	j := workers.Job{Priority: deadline.Immediate, Func: f}
	p.Submit(&j)
	return j.Wait(ctx)
}

// A fork is unforked, joined where it was offered, or joined after it was stolen: each runs once.
func TestForksAreUnforkedOrJoined(t *testing.T) {
	for _, unfork := range []bool{false, true} {
		each(t, func(t *testing.T, p *workers.Pool) {
			var fib func(w *workers.Worker, n int) int
			fib = func(w *workers.Worker, n int) int {
				if n < 2 {
					return n
				}
				a := 0
				j := workers.Job{Func: func(w *workers.Worker) { a = fib(w, n-1) }}
				w.Fork(&j)
				b := fib(w, n-2)
				if unfork && w.Unfork(&j) {
					return b + fib(w, n-1)
				}
				w.Join(&j)
				return a + b
			}
			for range 3 {
				got := 0
				if err := run(p, func(w *workers.Worker) { got = fib(w, 16) }); got != 987 || err != nil {
					t.Errorf("fib(16) = %d, %v, want 987", got, err)
				}
			}
		})
	}
}

// forkStolen forks f from a job, lets another worker have it, and joins it.
func forkStolen(p *workers.Pool, f func(w *workers.Worker)) (err error, stolen bool) {
	err = run(p, func(w *workers.Worker) {
		me := w.Index()
		var begun atomic.Bool
		j := workers.Job{Label: "stolen", Func: func(w *workers.Worker) {
			stolen = w.Index() != me
			begun.Store(true)
			f(w)
		}}
		w.Fork(&j) // shared at once if the other worker is hungry
		for range 1000 {
			if begun.Load() {
				break
			}
			runtime.Gosched()
		}
		w.Join(&j)
	})
	return err, stolen
}

func TestStolenForkRaisesInTheJoiner(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	boom := errors.New("boom")
	for name, f := range map[string]func(*workers.Worker){
		"panic":  func(*workers.Worker) { explode(boom) },
		"goexit": func(*workers.Worker) { runtime.Goexit() },
	} {
		seen := false
		for tries := 0; !seen && tries < 5000; tries++ {
			err, stolen := forkStolen(p, f)
			seen = stolen
			switch {
			case name == "panic":
				if !errors.Is(err, boom) {
					t.Fatalf("panic in a fork: the job ended with %v", err)
				}
			case !errors.Is(err, workers.ErrGoexit):
				t.Fatalf("Goexit in a fork: the job ended with %v", err)
			}
		}
		if !seen {
			t.Errorf("%s: no fork was stolen in 5000 tries", name)
		}
	}
}

func TestForgottenForksRun(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var ran atomic.Int64
	forks := make([]workers.Job, 3)
	for i := range forks {
		forks[i].Func = func(*workers.Worker) { ran.Add(1) }
	}
	err := run(p, func(w *workers.Worker) {
		w.Fork(&forks[0])
		w.Fork(&forks[1])
		w.Fork(&forks[2])
		w.Join(&forks[0]) // the wrong one first: the others run, too
		w.Fork(&forks[1])
		panic("before the join")
	})
	if err == nil {
		t.Error("no error from a job that panicked")
	}
	eventually(t, "the forgotten fork", func() bool { return ran.Load() == 4 })
}

// What a job that panics, or calls Goexit, leaves behind and nobody has stolen has run when the job ends.
func TestLeftForksRunBeforeTheEnd(t *testing.T) {
	needsWorkers(t)
	for _, pin := range []workers.Pin{0, workers.PinThread} {
		p := workers.New(workers.Options{Workers: 1, Pin: pin})
		defer mustClose(t, p)
		ends := map[string]func(){"panic": func() { panic("before the join") }, "Goexit": runtime.Goexit}
		for name, end := range ends {
			var ran atomic.Int64
			leaf := func(*workers.Worker) { ran.Add(1) }
			fork, bad := workers.Job{Func: leaf}, workers.Job{Func: func(w *workers.Worker) {
				inner := workers.Job{Func: leaf}
				w.Fork(&inner)
				end()
			}}
			j := workers.Job{Func: func(w *workers.Worker) {
				w.Fork(&fork)
				w.Fork(&bad)
				end()
			}}
			done := make(chan int64, 1)
			j.Notify(func() { done <- ran.Load() })
			p.Submit(&j)
			if n := <-done; n != 2 || fork.Err() != nil || bad.Err() == nil || j.Err() == nil {
				t.Errorf("%s: %d have run; %v, %v, %v", name, n, fork.Err(), bad.Err(), j.Err())
			}
		}
	}
}

// The same of a node: when Run has returned, nothing of the graph runs any more, on whatever worker it was.
func TestLeftForksOfANodeRunBeforeItsEnd(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	for range 50 {
		begun := make(chan struct{})
		var ran atomic.Bool
		fork := workers.Job{Func: func(*workers.Worker) {
			runtime.Gosched() // Run's caller, if it needs not wait for this
			ran.Store(true)
		}}
		var g workers.Graph
		g.Add("keeps the caller", func(*workers.Worker) error { <-begun; return nil })
		g.Add("forks", func(w *workers.Worker) error {
			w.Fork(&fork)
			close(begun)
			panic("before the join")
		})
		within(t, "Run", func() {
			if v := panicOf(func() { _ = g.Run(background, p) }); v == nil || !ran.Load() {
				t.Fatalf("%v, the fork has run: %t", v, ran.Load())
			}
		})
	}
}

func TestForkOfAQueuedJobPanics(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	j := workers.Job{Func: func(*workers.Worker) {}}
	p.Submit(&j)
	err := run(p, func(w *workers.Worker) { w.Fork(&j) })
	if err == nil || !strings.Contains(err.Error(), "workers: Fork of a job that is queued") {
		t.Errorf("err %v", err)
	}
	err = run(p, func(w *workers.Worker) { w.Join(new(workers.Job)) })
	if err == nil || !strings.Contains(err.Error(), "not forked here") {
		t.Errorf("err %v", err)
	}
}

// All the work is in a fork that was stolen: its thief shares it with the joiner, who may be asleep by then.
func TestThiefSharesWithTheJoiner(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	for range 20 {
		helped := false
		for tries := 0; !helped && tries < 1000; tries++ {
			if err, _ := forkStolen(p, func(w *workers.Worker) {
				me := w.Index()
				var by atomic.Int32
				by.Store(-1)
				inner := workers.Job{Func: func(w *workers.Worker) { by.Store(int32(w.Index())) }}
				if tries%2 == 1 {
					time.Sleep(time.Millisecond) // the joiner sleeps by now
				}
				w.Fork(&inner)
				for range 100 {
					if by.Load() >= 0 {
						break
					}
					time.Sleep(10 * time.Microsecond)
				}
				w.Join(&inner)
				helped = int(by.Load()) != me
			}); err != nil {
				t.Fatal(err)
			}
		}
		if !helped {
			t.Fatal("the joiner never took a fork of its thief in 1000 tries")
		}
	}
}
