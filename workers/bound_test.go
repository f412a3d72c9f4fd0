package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/workers"
)

// boundShapes are the pools that bound jobs are tested on.
var boundShapes = map[string]workers.Options{
	"one":        {Workers: 1, Bound: 1},
	"all":        {Workers: 3, Bound: 3},
	"some":       {Workers: 3, Bound: 2},
	"instead":    {Workers: -1, Bound: 2},
	"channel":    {Workers: 2, Bound: 2, Park: workers.ParkChan},
	"syscall":    {Workers: 2, Bound: 1, Park: workers.ParkSyscall},
	"background": {Bound: 1, Background: 2},
}

func eachBound(t *testing.T, f func(t *testing.T, p *workers.Pool, n int)) {
	for name, o := range boundShapes {
		t.Run(name, func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			f(t, p, o.Bound)
		})
	}
}

// Bound jobs of one submitter run on their worker only, on one thread, in the order of submission.
func TestBoundJobsStayAndKeepTheirOrder(t *testing.T) {
	needsWorkers(t)
	eachBound(t, func(t *testing.T, p *workers.Pool, n int) {
		const jobs = 100
		var mu sync.Mutex
		threads := map[int]int{}
		got := make([][]int, n)
		var all []*workers.Job
		for i := range jobs {
			for k := range n {
				j := &workers.Job{Priority: deadline.Priorities()[i%5], Func: func(w *workers.Worker) {
					mu.Lock()
					defer mu.Unlock()
					if w.Index() != k {
						t.Errorf("worker %d runs what is bound to %d", w.Index(), k)
					}
					if id := osthread.ID(); threads[k] == 0 {
						threads[k] = id
					} else if threads[k] != id {
						t.Errorf("worker %d is on thread %d, was on %d", k, id, threads[k])
					}
					got[k] = append(got[k], i)
				}}
				all = append(all, j)
				p.SubmitTo(k, j)
				p.Go(deadline.Normal, func() {}) // lanes are served, too
			}
		}
		for _, j := range all {
			if err := j.Wait(background); err != nil {
				t.Error(err)
			}
		}
		for k := range got {
			if len(got[k]) != jobs || !slices.IsSorted(got[k]) {
				t.Errorf("worker %d ran %v", k, got[k])
			}
		}
	})
}

// The waits that would be circles if a worker that waits did not run what is bound to it.
func TestWaitsOnAWorkerLetBoundJobsIn(t *testing.T) {
	eachBound(t, func(t *testing.T, p *workers.Pool, n int) {
		to := func(k int, f func() (int, error)) (int, error) { return workers.SubmitTo(p, k, f).Wait(background) }
		deep := 0
		var dive func() (int, error)
		dive = func() (int, error) {
			if deep++; deep == 100 {
				return deep, nil
			}
			return to(deep%n, dive)
		}
		if v, err := to(0, dive); v != 100 || err != nil {
			t.Errorf("a hundred within one another: %d, %v", v, err)
		}
		// A bound job waits for one of a lane, that one for a bound one.
		v, err := to(0, func() (int, error) {
			return workers.Submit(p, deadline.Immediate, func() (int, error) {
				return to(0, func() (int, error) {
					return workers.Submit(p, deadline.Low, func() (int, error) {
						return to(n-1, func() (int, error) { return 7, nil })
					}).Wait(context.Background())
				})
			}).Wait(background)
		})
		if v != 7 || err != nil {
			t.Errorf("through lanes: %d, %v", v, err)
		}
		// In the loops and scopes of a bound job, whose pieces run on others too.
		v, err = to(n-1, func() (int, error) {
			var sum atomic.Int64
			add := func() error {
				v, err := to(n-1, func() (int, error) { return 1, nil })
				sum.Add(int64(v))
				return err
			}
			p.ParallelFor(20, 1, func(lo, hi int) {
				for range hi - lo {
					if err := add(); err != nil {
						t.Error(err)
					}
				}
			})
			err := p.Scope(background, func(s *workers.Scope) error {
				for range 20 {
					s.Go(func(context.Context) error { return add() })
				}
				return nil
			})
			return int(sum.Load()), err
		})
		if v != 40 || err != nil {
			t.Errorf("in loops and scopes: %d, %v", v, err)
		}
		// From every lane at once.
		var fs []*workers.Future[int]
		for i := range 50 {
			fs = append(fs, workers.Submit(p, deadline.Priorities()[i%5], func() (int, error) {
				return to(i%n, func() (int, error) { return i, nil })
			}))
		}
		for i, f := range fs {
			if v, err := f.Wait(context.Background()); v != i || err != nil {
				t.Errorf("%d: %d, %v", i, v, err)
			}
		}
	})
}

// What a job that waits has of its Worker is untouched by what its worker runs meanwhile.
func TestBoundJobWithinAWaitHasItsOwnForks(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Bound: 1})
	defer mustClose(t, p)
	var log []string
	fork := func(name string) *workers.Job {
		return &workers.Job{Func: func(*workers.Worker) { log = append(log, name) }}
	}
	outer := &workers.Job{Func: func(w *workers.Worker) {
		a := fork("outer")
		w.Fork(a)
		inner := &workers.Job{Func: func(v *workers.Worker) {
			if v == w || v.Index() != 0 {
				t.Error("the inner job has the outer one's Worker, or none")
			}
			b := fork("inner")
			v.Fork(b)
			v.Join(b)
		}}
		p.SubmitTo(0, inner)
		if err := inner.Wait(background); err != nil {
			t.Error(err)
		}
		w.Join(a)
	}}
	p.SubmitTo(0, outer)
	if err := outer.Wait(background); err != nil {
		t.Error(err)
	}
	if want := "[inner outer]"; fmt.Sprint(log) != want {
		t.Errorf("got %v, want %v", log, want)
	}
}

// An entry that a canceled job left behind cannot make it run elsewhere.
func TestStaleEntriesDoNotMoveABoundJob(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2, Bound: 2})
	defer mustClose(t, p)
	for range 200 {
		var free [2]chan struct{}
		for k := range free { // both workers are busy
			free[k] = make(chan struct{})
			begun := make(chan struct{})
			p.GoTo(k, func() { close(begun); <-free[k] })
			<-begun // now and then a worker looks at its lanes first
		}
		var where atomic.Int64
		j := &workers.Job{Func: func(w *workers.Worker) { where.Store(int64(w.Index())) }}
		p.Submit(j) // an entry in a lane
		if !j.Cancel() {
			t.Fatal("not canceled")
		}
		p.SubmitTo(0, j) // one in an inbox
		if j.State() != workers.Queued || !j.Cancel() {
			t.Fatal("not canceled")
		}
		p.SubmitTo(1, j)
		close(free[0]) // worker 0 meets both
		runtime.Gosched()
		close(free[1])
		if err := j.Wait(background); err != nil || where.Load() != 1 {
			t.Fatalf("ran on worker %d, %v", where.Load(), err)
		}
	}
}

func TestBoundJobsLeaveRoomForLanes(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Bound: 1})
	defer mustClose(t, p)
	var stop atomic.Bool
	var flood func()
	flood = func() {
		if !stop.Load() {
			p.GoTo(0, flood)
			p.GoTo(0, func() {})
		}
	}
	p.GoTo(0, flood)
	for _, prio := range deadline.Priorities() {
		done := make(chan struct{})
		p.Go(prio, func() { close(done) })
		<-done
	}
	stop.Store(true)
}

func TestBoundJobsAtTheEnd(t *testing.T) {
	needsWorkers(t)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	eachBound(t, func(t *testing.T, p *workers.Pool, n int) {
		started, free := make(chan struct{}), make(chan struct{})
		p.GoTo(0, func() { close(started); <-free })
		<-started
		var ran atomic.Int64
		jobs := make([]workers.Job, 10)
		for i := range jobs {
			jobs[i].Func = func(*workers.Worker) { ran.Add(1) }
			p.SubmitTo(0, &jobs[i])
		}
		var s workers.Stats
		if p.Stats(&s); s.Bound != 10 {
			t.Errorf("Stats.Bound is %d, want 10", s.Bound)
		}
		if err := p.Close(canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("Close: %v", err)
		}
		close(free)
		for i := range jobs {
			if err := jobs[i].Wait(background); err != workers.ErrClosed {
				t.Errorf("job %d: %v", i, err)
			}
		}
		late := &workers.Job{Func: func(*workers.Worker) { ran.Add(1) }}
		p.SubmitTo(n-1, late)
		if err := late.Err(); err != workers.ErrClosed || ran.Load() != 0 {
			t.Errorf("after Close: %v; ran %d", err, ran.Load())
		}
	})
}

// A bound job closes the pool: what waits behind it runs within Close.
func TestCloseWithinABoundJob(t *testing.T) {
	needsWorkers(t)
	eachBound(t, func(t *testing.T, p *workers.Pool, n int) {
		var ran atomic.Int64
		free, closed := make(chan struct{}), make(chan error, 1)
		p.GoTo(0, func() { <-free; closed <- p.Close(context.Background()) })
		for range 10 {
			p.GoTo(0, func() { ran.Add(1) })
			chain := &workers.Job{Func: func(w *workers.Worker) {
				w.SubmitTo(0, &workers.Job{Func: func(*workers.Worker) { ran.Add(1) }})
			}}
			p.SubmitTo(n-1, chain)
		}
		close(free)
		if err := <-closed; err != nil || ran.Load() != 20 {
			t.Errorf("Close: %v, ran %d of 20", err, ran.Load())
		}
	})
}

func TestBoundMisuse(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2, Bound: 1})
	defer mustClose(t, p)
	nobody := "workers: worker 1 takes no bound jobs: see Options.Bound"
	for want, f := range map[string]func(){
		nobody:                            func() { p.GoTo(1, func() {}) },
		"workers: GoTo of a nil function": func() { p.GoTo(0, nil) },
		"workers: Submit of a job without a Func": func() {
			p.SubmitTo(0, new(workers.Job))
		},
		"workers: Broadcast of a nil function": func() { p.Broadcast(nil) },
		"workers: New with Options.Bound of -1, less than 0": func() {
			workers.New(workers.Options{Bound: -1})
		},
	} {
		if v := panicOf(f); v != want {
			t.Errorf("got %v, want %s", v, want)
		}
	}
}

// The other ends of jobs: none costs the worker, and a panic not even the thread.
func TestBoundJobsThatPanicOrExit(t *testing.T) {
	eachBound(t, func(t *testing.T, p *workers.Pool, n int) {
		k := n - 1
		thread := func() int {
			id, _ := workers.SubmitTo(p, k, func() (int, error) { return osthread.ID(), nil }).Wait(background)
			return id
		}
		before := thread()
		_, err := workers.SubmitTo(p, k, func() (int, error) { panic("x") }).Wait(background)
		if pe := (*workers.PanicError)(nil); !errors.As(err, &pe) || pe.Value != "x" {
			t.Errorf("a panic: %v", err)
		}
		if after := thread(); after != before {
			t.Errorf("thread %d, was %d", after, before)
		}
		_, err = workers.SubmitTo(p, k, func() (int, error) { runtime.Goexit(); return 0, nil }).Wait(background)
		if err != workers.ErrGoexit {
			t.Errorf("a Goexit: %v", err)
		}
		thread()
	})
}

// Probes for a lost wake-up: the worker is about to sleep whenever the next job comes.
func TestStressBoundWakeUps(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	eachBound(t, func(t *testing.T, p *workers.Pool, n int) {
		var wg sync.WaitGroup
		for s := range 2 {
			wg.Go(func() {
				j := &workers.Job{Func: func(*workers.Worker) {}}
				for i := range rounds {
					for range (i * 37) % 400 {
						_ = s
					}
					p.SubmitTo((i+s)%n, j)
					if i%3 == 0 {
						p.Go(deadline.UserBlocking, func() {})
					}
					if err := j.Wait(background); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

func BenchmarkWaitThatSleeps(b *testing.B) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(background)
	j := &workers.Job{Func: func(*workers.Worker) {}}
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	for b.Loop() {
		p.Submit(j)
		if err := j.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
}
