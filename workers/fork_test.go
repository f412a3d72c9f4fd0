package workers_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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
			base, later := workers.Job{Func: leaf}, workers.Job{Func: leaf}
			j := workers.Job{Func: func(w *workers.Worker) {
				w.Fork(&base)
				w.Fork(&later)
				w.Join(&base) // the wrong one: the other runs, too
				w.Fork(&fork)
				w.Fork(&bad)
				end()
			}}
			done := make(chan int64, 1)
			j.Notify(func() { done <- ran.Load() })
			p.Submit(&j)
			if n := <-done; n != 4 || fork.Err() != nil || bad.Err() == nil || j.Err() == nil {
				t.Errorf("%s: %d have run; %v, %v, %v", name, n, fork.Err(), bad.Err(), j.Err())
			}
		}
	}
}

// handOver forks f on w, and returns when another worker has begun the fork: who is hungry gets a fork at the next one.
func handOver(w *workers.Worker, f func(w *workers.Worker)) *workers.Job {
	var begun atomic.Bool
	j := &workers.Job{Func: func(w *workers.Worker) { begun.Store(true); f(w) }}
	for w.Fork(j); !begun.Load(); runtime.Gosched() {
		c := &workers.Job{Func: func(*workers.Worker) {}}
		w.Fork(c)
		w.Join(c)
	}
	return j
}

// A fork within Join is within a job: its waits claim what nobody has begun. Who joins the fork learns how it ends.
func TestAForkWithinJoinIsWithinAJob(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	for name, end := range map[string]func(){
		"returns": func() {}, "panics": func() { panic(errBoom) }, "exits": runtime.Goexit,
	} {
		testkit.Within(t, "a fork that waits", func() {
			err := run(p, func(w *workers.Worker) {
				w.Join(handOver(w, func(w *workers.Worker) { // on the other worker
					w.Join(handOver(w, func(w *workers.Worker) { // on the first one, within Join
						w.Join(handOver(w, func(*workers.Worker) {})) // on the other one, within Join
						f := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 1, nil })
						if v, err := f.Wait(t.Context()); v != 1 || err != nil {
							t.Errorf("%d, %v", v, err)
						}
						end()
					}))
				}))
			})
			want := map[string]error{"panics": errBoom, "exits": workers.ErrGoexit}[name]
			if !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// No function of a Join waits behind another one while somebody is idle: here the first ends when all others have.
func TestJoinIsOnePieceEach(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	join := func(l workers.Looper) {
		var left atomic.Int32
		rest := make(chan struct{})
		fs := []func(){func() { <-rest }}
		for range 20 {
			left.Add(1)
			fs = append(fs, func() {
				if left.Add(-1) == 0 {
					close(rest)
				}
			})
		}
		workers.Join(l, fs...)
	}
	testkit.Within(t, "of a pool", func() { join(p) })
	testkit.Within(t, "of a worker", func() {
		j := workers.Job{Func: func(w *workers.Worker) { join(w) }}
		p.Submit(&j)
		must(j.Wait(t.Context()))
	})
}

// After a panic nothing is begun, and the panic names the call.
func TestJoinBeginsNothingAfterAPanic(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var begun atomic.Int32
	both := make(chan struct{})
	meet := func() {
		if begun.Add(1) == 2 {
			close(both)
		}
		<-both
		panic("no")
	}
	join := func() { workers.Join(p, meet, meet, meet, meet, meet, meet, meet, meet) }
	pe := testkit.Recovered(join).(*workers.PanicError)
	if pe.Value != "no" || pe.Label != "Join" || begun.Load() != 2 {
		t.Errorf("%v, and %d were begun", pe, begun.Load())
	}
}
