package workers_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent")) // of GOOS=js
}

func TestCloseDrainsWhatJobsSubmit(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var ran atomic.Int64
		var spawn func(depth int) func(w *workers.Worker)
		spawn = func(depth int) func(w *workers.Worker) {
			return func(w *workers.Worker) {
				ran.Add(1)
				if depth > 0 {
					for i := range 3 {
						w.Submit(&workers.Job{Priority: deadline.Priorities()[(depth+i)%5], Func: spawn(depth - 1)})
					}
				}
			}
		}
		p.Submit(&workers.Job{Func: spawn(5)})
		mustClose(t, p)
		if want := int64(1 + 3 + 9 + 27 + 81 + 243); ran.Load() != want {
			t.Errorf("ran %d jobs, want %d", ran.Load(), want)
		}
	})
}

func TestCloseWhenTimeIsUp(t *testing.T) {
	for name, o := range map[string]workers.Options{
		"ordinary": {Workers: 1}, "background": {Workers: -1, Background: 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(o)
			var s workers.Stats
			if p.Stats(&s); s.Workers+s.Background == 0 {
				mustClose(t, p)
				t.Skipf("no background workers here: %v", s.Notes)
			}
			started, release := make(chan struct{}), make(chan struct{})
			stuck := workers.Job{Label: "stuck job", Func: func(*workers.Worker) { close(started); <-release }}
			p.Submit(&stuck)
			<-started
			queued := workers.Submit(p, deadline.Low, func() (int, error) { return 1, nil })
			p.Go(deadline.Low, func() { t.Error("a dropped function ran") })
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			err := p.Close(ctx)
			if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "stuck job") {
				t.Errorf("Close = %v, want one that wraps Canceled and names the stuck job", err)
			}
			if _, err := queued.Result(); !errors.Is(err, workers.ErrClosed) {
				t.Errorf("the queued future got %v, want ErrClosed", err)
			}
			close(release)
			mustClose(t, p) // waits for it
			if err := stuck.Err(); err != nil {
				t.Errorf("the stuck job ended with %v", err)
			}
			if p.Stats(&s); s.Dropped != 2 {
				t.Errorf("%d dropped, want 2", s.Dropped)
			}
		})
	}
}

func TestClosedPoolRefuses(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		mustClose(t, p)
		var none context.Context // nil is allowed
		if err := p.Close(none); err != nil {
			t.Error(err)
		}
		p.Go(deadline.Normal, func() { t.Error("ran on a closed pool") })
		j := workers.Job{Func: func(*workers.Worker) { t.Error("ran on a closed pool") }}
		p.Submit(&j)
		if err := j.Wait(none); !errors.Is(err, workers.ErrClosed) {
			t.Errorf("err %v, want ErrClosed", err)
		}
		if n := p.RunUntil(deadline.Deadline{}); n != 0 {
			t.Errorf("RunUntil ran %d", n)
		}
		n := 0
		p.ParallelFor(1000, 10, func(lo, hi int) { n += hi - lo })
		if n != 1000 {
			t.Errorf("ParallelFor did %d of 1000", n)
		}
	})
}

// Every future ends: with its value if it was accepted in time, with ErrClosed otherwise; what ran is what
// was accepted.
func TestCloseRacesSubmitters(t *testing.T) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				p := workers.New(o)
				const producers, each = 3, 100
				var ran atomic.Int64
				var futures [producers][each]*workers.Future[int]
				var wg sync.WaitGroup
				for k := range producers {
					wg.Go(func() {
						for i := range each {
							futures[k][i] = workers.Submit(p, deadline.Priorities()[i%5], func() (int, error) {
								return int(ran.Add(1)), nil
							})
						}
					})
				}
				for range 2 {
					wg.Go(func() { mustClose(t, p) })
				}
				wg.Wait()
				accepted := int64(0)
				for k := range producers {
					for _, f := range futures[k] {
						switch v, err := f.Wait(background); {
						case err == nil && v > 0:
							accepted++
						case !errors.Is(err, workers.ErrClosed):
							t.Fatalf("a future ended with %d, %v", v, err)
						}
					}
				}
				if accepted != ran.Load() {
					t.Fatalf("%d futures have a value, %d functions ran", accepted, ran.Load())
				}
			}
		})
	}
}

func TestCloseWithinAJob(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var others atomic.Int64
		closers := make([]workers.Job, 2)
		var errs [2]error
		for i := range closers {
			closers[i].Priority = deadline.Priority(2 - 2*i) // Immediate and Normal
			closers[i].Func = func(w *workers.Worker) { errs[i] = p.Close(background) }
		}
		for range 20 {
			p.Go(deadline.Normal, func() { others.Add(1) })
		}
		for i := range closers {
			p.Submit(&closers[i])
		}
		for i := range closers {
			// The second one may come too late.
			if err := closers[i].Wait(background); err != nil && !errors.Is(err, workers.ErrClosed) || errs[i] != nil {
				t.Errorf("closer %d: %v, %v", i, err, errs[i])
			}
		}
		mustClose(t, p)
		if others.Load() != 20 {
			t.Errorf("%d other jobs ran, want 20", others.Load())
		}
	})
}

// The only worker is within Close: what is queued, and what is submitted by those who still run, is the closer's.
func TestCloseOnTheOnlyWorker(t *testing.T) {
	for range 50 {
		p := workers.New(workers.Options{Workers: 1, Background: 1})
		var ran atomic.Int64
		queued := make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		closer := workers.Job{Priority: deadline.Immediate, Func: func(*workers.Worker) {
			<-queued
			if err := p.Close(ctx); err != nil {
				t.Error(err)
			}
		}}
		p.Submit(&closer)
		p.Submit(&workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) {
			<-queued
			w.Go(deadline.Immediate, func() { ran.Add(1) })
		}})
		for range 5 {
			p.Go(deadline.UserBlocking, func() { ran.Add(1) })
		}
		close(queued)
		if err := closer.Wait(ctx); err != nil {
			t.Error(err)
		}
		mustClose(t, p)
		cancel()
		if ran.Load() != 6 {
			t.Fatalf("%d jobs ran, want 6", ran.Load())
		}
	}
}

func TestCloseWithinRunUntil(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	ran := false
	p.Go(deadline.Immediate, func() { mustClose(t, p) })
	p.Go(deadline.Normal, func() { ran = true })
	p.RunUntil(deadline.Deadline{})
	mustClose(t, p)
	if !ran {
		t.Error("the job behind the closer was lost")
	}
}

// Pools come and go without leaving goroutines, threads or files behind.
func TestPoolsLeaveNothingBehind(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 50
	}
	options := []workers.Options{{Workers: 2}, {Workers: 1, Background: 2, RaiseProcs: true},
		{Workers: 2, Pin: workers.PinCPU}, workers.Options{Workers: 2}.Parking(park.Syscall)}
	once := func(i int) {
		p := workers.New(options[i%len(options)])
		var n atomic.Int64
		p.Go(deadline.Normal, func() { n.Add(1) })
		p.Go(deadline.Immediate, func() { n.Add(1); runtime.Goexit() })
		mustClose(t, p)
		if n.Load() != 2 {
			t.Fatalf("round %d: %d jobs of 2 ran", i, n.Load())
		}
	}
	for i := range 20 {
		once(i)
	}
	runtime.GC()
	procs, goroutines, threads, files := runtime.GOMAXPROCS(0), runtime.NumGoroutine(), osThreads(), openFiles()
	for i := range rounds {
		once(i)
	}
	if n := runtime.GOMAXPROCS(0); n != procs {
		t.Errorf("GOMAXPROCS %d, was %d", n, procs)
	}
	eventually(t, "goroutines gone", func() bool { return runtime.NumGoroutine() <= goroutines })
	if n := openFiles(); n > files+2 {
		t.Errorf("%d open files, were %d", n, files)
	}
	// The runtime keeps threads of its own; one more for each pool would be hundreds.
	eventually(t, "threads gone", func() bool { return osThreads() <= threads+8 })
}

func TestRaisedProcsAreGivenBackInAnyOrder(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	raised := func(n int) *workers.Pool {
		return workers.New(workers.Options{Workers: -1, Background: n, RaiseProcs: true})
	}
	a := raised(1)
	var s workers.Stats
	if a.Stats(&s); s.Background == 0 {
		mustClose(t, a)
		t.Skipf("no background workers here: %v", s.Notes)
	}
	spare := s.Procs - 1 // each pool adds that many more: 2, and one for each processor that is nudged
	if spare < 2 || spare > 2+runtime.NumCPU() {
		t.Errorf("%d more than there are background workers", spare)
	}
	b := raised(2)
	if b.Stats(&s); s.Procs != 2+spare || runtime.GOMAXPROCS(0) != before+3+2*spare {
		t.Errorf("raised by %d to %d, from %d", s.Procs, runtime.GOMAXPROCS(0), before)
	}
	mustClose(t, a)
	if n := runtime.GOMAXPROCS(0); n != before+2+spare {
		t.Errorf("GOMAXPROCS %d after the first close, want %d", n, before+2+spare)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { mustClose(t, raised(3)) })
	}
	wg.Wait()
	mustClose(t, b)
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("GOMAXPROCS %d at the end, was %d", n, before)
	}
}

func TestForNoWorkersNothingIsRaised(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	p := workers.New(workers.Options{Workers: -1, RaiseProcs: true})
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("GOMAXPROCS %d, was %d", n, before)
	}
	mustClose(t, p)
}

func TestWaitRespectsItsContext(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	release := make(chan struct{})
	defer close(release)
	f := workers.Submit(p, deadline.Normal, func() (int, error) { <-release; return 1, nil })
	g := workers.Submit(p, deadline.Normal, func() (int, error) { return 2, nil }) // behind f
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	for _, u := range []*workers.Future[int]{f, g} {
		if v, err := u.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || v != 0 {
			t.Errorf("Wait = %d, %v, want the context's error", v, err)
		}
	}
}

// Close within a job that has a goroutine of its own, and what that does afterwards.
func TestCloseWithinASlicedJob(t *testing.T) {
	bubble(t, workers.Options{Workers: -1}, func(t *testing.T, p *workers.Pool) {
		ran := 0
		other := workers.Job{Func: func(w *workers.Worker) { w.Yield(); ran++ }}
		p.Submit(&other)
		p.RunUntil(deadline.Deadline{}) // other has yielded
		j := workers.Job{Func: func(w *workers.Worker) { mustClose(t, p); ran++; w.Yield(); ran++ }}
		p.Submit(&j)
		p.RunUntil(deadline.Deadline{})
		if other.State() != workers.Finished || other.Err() != nil {
			t.Errorf("the other job is %v", other.State())
		}
		// There is nobody left to continue it.
		if j.State() != workers.Finished || !errors.Is(j.Err(), workers.ErrClosed) || ran != 2 {
			t.Errorf("the closer is %v after %d steps, want finished with ErrClosed after 2", j.State(), ran)
		}
	})
}

// Close says what did not run, and what still does.
func TestCloseSaysWhatWasLost(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("no time")
	cancel(why)
	p := workers.New(workers.Options{Workers: -1})
	for range 3 {
		p.Go(deadline.Normal, func() { t.Error("a dropped function ran") })
	}
	if err := p.Close(ctx); !errors.Is(err, why) || !strings.Contains(err.Error(), "3 jobs dropped") {
		t.Errorf("Close = %v, want one that wraps the cause and counts 3", err)
	}
	if err := p.Close(ctx); err != nil {
		t.Errorf("another Close = %v", err)
	}
	p = workers.New(workers.Options{Workers: -1})
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.Go(deadline.Normal, func() { close(started); <-release })
	go func() { defer close(ended); p.RunUntil(deadline.Deadline{}) }()
	<-started
	if err := p.Close(ctx); !errors.Is(err, why) || !strings.Contains(err.Error(), "1 in RunUntil") {
		t.Errorf("Close = %v, want one that names the RunUntil", err)
	}
	close(release)
	mustClose(t, p) // waits for it
	<-ended
}

// A job of one pool that runs within a job of another, because that waits for it, runs nonetheless.
func TestCloseCountsAJobNestedInAnotherPoolsJob(t *testing.T) {
	needsWorkers(t)
	outer, inner := workers.New(workers.Options{Workers: 1}), workers.New(workers.Options{Workers: -1})
	defer mustClose(t, outer)
	started, release := make(chan struct{}), make(chan struct{})
	j := workers.Job{Func: func(*workers.Worker) { close(started); <-release }}
	inner.Submit(&j)
	var err error
	waiter := workers.Job{Func: func(*workers.Worker) { err = j.Wait(background) }}
	outer.Submit(&waiter)
	<-started
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := inner.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close = %v while a job runs, want Canceled", err)
	}
	close(release)
	mustClose(t, inner)
	if <-waitFor(&waiter); err != nil {
		t.Error(err)
	}
}
