package workers_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Two goroutines wait for a job each, which yields again and again: neither misses its own while the other one, or a
// RunUntil, has it in its hands.
func TestWaitersFindTheirYieldingJobs(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	for range rounds {
		p := workers.New(workers.Options{Workers: -1})
		jobs := make([]*workers.Job, 4)
		for i := range jobs {
			jobs[i] = &workers.Job{Func: func(w *workers.Worker) {
				for range 50 {
					w.Yield()
				}
			}}
			p.Submit(jobs[i])
		}
		p.RunUntil(deadline.In(time.Millisecond)) // begins at least one
		ends(t, "waiting for jobs that yield", func() {
			var wg sync.WaitGroup
			for _, j := range jobs {
				wg.Go(func() {
					if err := j.Wait(background); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
		mustClose(t, p)
	}
}

// A job that keeps a worker without having its handle (it runs within a wait, or as a node) brings in a spare.
func TestBlockingWithinAJobBringsInASpare(t *testing.T) {
	needsWorkers(t)
	var blocked atomic.Bool
	block := func(p *workers.Pool, w *workers.Worker) {
		c := make(chan struct{})
		p.Go(deadline.Normal, func() { close(c) })
		w.Blocking(func() { <-c })
		blocked.Store(true)
	}
	for name, f := range map[string]func(p *workers.Pool, w *workers.Worker) error{
		"wait": func(p *workers.Pool, _ *workers.Worker) error {
			j := &workers.Job{Func: func(w *workers.Worker) { block(p, w) }}
			p.Submit(j)
			return j.Wait(background)
		},
		"node": func(p *workers.Pool, _ *workers.Worker) error {
			var g workers.Graph
			g.Add("a", func(w *workers.Worker) error {
				j := &workers.Job{Func: func(w *workers.Worker) { block(p, w) }}
				w.Fork(j)
				w.Join(j)
				return nil
			})
			return g.Run(background, p)
		},
		"scope": func(p *workers.Pool, _ *workers.Worker) error {
			return p.Scope(background, func(s *workers.Scope) error {
				s.Go(func(context.Context) error {
					j := &workers.Job{Func: func(w *workers.Worker) { block(p, w) }}
					p.Submit(j)
					return j.Wait(background)
				})
				return nil
			})
		},
		"left fork": func(p *workers.Pool, w *workers.Worker) error {
			w.Fork(&workers.Job{Func: func(w *workers.Worker) { block(p, w) }})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(workers.Options{Workers: 1})
			defer mustClose(t, p)
			blocked.Store(false)
			ends(t, "a job in Blocking", func() {
				err := onAWorker(p, &workers.Job{Func: func(w *workers.Worker) {
					if err := f(p, w); err != nil {
						t.Error(err)
					}
				}})
				if err != nil {
					t.Error(err)
				}
			})
			// The left fork may begin after the job that left it: Close would drop what it waits for.
			eventually(t, "the job has blocked", blocked.Load)
			var s workers.Stats
			eventually(t, "the spare leaves", func() bool { p.Stats(&s); return s.Workers == 1 })
		})
	}
}

// Close, in time or out of it, at every moment of every kind of work, some of which panics or exits: all ends.
func TestCloseAmongEverything(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for i := range rounds {
		p := workers.New(workers.Options{Workers: 2, OnPanic: func(*workers.PanicError) {}}.Standing(2))
		var futures []*workers.Future[int]
		var wg sync.WaitGroup
		var began atomic.Int32
		work := func() (int, error) {
			began.Add(1)
			defer func() { _ = recover() }()
			var g workers.Graph
			a := g.Add("a", func(w *workers.Worker) error {
				j := &workers.Job{Func: func(w *workers.Worker) { w.Blocking(runtime.Gosched) }}
				w.Fork(j)
				w.Join(j)
				return nil
			})
			for k := range 4 {
				g.Add("b", func(w *workers.Worker) error {
					switch (i + k) % 5 {
					case 0:
						panic("b")
					case 1:
						_, _ = workers.Submit(p, deadline.Normal, func() (int, error) {
							runtime.Goexit()
							return 0, nil
						}).Wait(background)
					case 2:
						p.ParallelFor(10, 1, func(int, int) { runtime.Gosched() })
					case 3:
						return p.Scope(background, func(s *workers.Scope) error {
							s.Go(func(context.Context) error { return errors.New("s") })
							return nil
						})
					}
					return nil
				}, a)
			}
			_ = g.Run(background, p)
			x := workers.Submit(p, deadline.Low, func() (int, error) { return 1, nil })
			return workers.Then(x, func(v int) (int, error) { return v, nil }).Wait(background)
		}
		ends(t, "Close among everything", func() {
			for k := range 6 {
				futures = append(futures, workers.Submit(p, deadline.Priorities()[k%5], work))
			}
			for _, ctx := range []context.Context{nil, canceled} {
				if i%2 == 0 && ctx == nil {
					continue
				}
				wg.Go(func() {
					for int(began.Load()) < i%4 {
						runtime.Gosched()
					}
					_ = p.Close(ctx)
				})
			}
			for _, f := range futures {
				_, _ = f.Wait(background)
			}
			wg.Wait()
			if err := p.Close(background); err != nil {
				t.Error(err)
			}
		})
	}
}

// Forks that exit or panic, stolen or not, cost no worker and hang nobody.
func TestForksThatExit(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	ends(t, "forks that exit", func() {
		for i := range rounds {
			end := []func(){runtime.Goexit, func() { panic("x") }, func() {}}[i%3]
			j := &workers.Job{Func: func(w *workers.Worker) {
				a := &workers.Job{Func: func(w *workers.Worker) {
					c := &workers.Job{Func: func(*workers.Worker) { runtime.Gosched(); end() }}
					w.Fork(c)
					runtime.Gosched()
					w.Join(c)
				}}
				w.Fork(a)
				runtime.Gosched()
				w.Join(a)
			}}
			err := onAWorker(p, j)
			if (i%3 == 2) != (err == nil) {
				t.Errorf("round %d: %v", i, err)
			}
		}
	})
}
