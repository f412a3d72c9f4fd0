package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/workers"
)

// small returns a pool whose only worker is busy until open is called, and which has room for n waiting jobs.
func small(t *testing.T, n int) (p *workers.Pool, open func()) {
	p = workers.New(workers.Options{Workers: 1, MaxWaiting: n})
	if !hasWorkers(p) {
		t.Cleanup(func() { mustClose(t, p) })
		return p, func() {}
	}
	open = sync.OnceFunc(occupy(p, deadline.Normal))
	t.Cleanup(func() { open(); mustClose(t, p) })
	return p, open
}

func TestFullPoolRejects(t *testing.T) {
	needsWorkers(t)
	p, open := small(t, 2)
	var ran atomic.Int32
	f := func() { ran.Add(1) }
	jobs := make([]workers.Job, 3)
	for i := range jobs {
		jobs[i].Func = func(*workers.Worker) { f() }
	}
	p.Submit(&jobs[0])
	p.Go(deadline.Low, f)
	p.Submit(&jobs[1])
	if err := jobs[1].Err(); err != workers.ErrFull {
		t.Errorf("Submit: %v", err)
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	if err := p.SubmitContext(ctx, &jobs[2]); err != context.Canceled || jobs[2].State() != workers.Fresh {
		t.Errorf("SubmitContext: %v, and the job is %v", err, jobs[2].State())
	}
	one := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 1, nil })
	if _, err := one.Result(); err != workers.ErrFull {
		t.Errorf("Future: %v", err)
	}
	p.Go(deadline.Normal, f)
	var s workers.Stats
	if p.Stats(&s); s.Refused != 4 {
		t.Errorf("%d refused, want 4", s.Refused)
	}
	// A canceled job makes room, at once.
	if !jobs[0].Cancel() {
		t.Error("not canceled")
	}
	p.Submit(&jobs[1])
	open()
	if err := jobs[1].Wait(background); err != nil {
		t.Error(err)
	}
	eventually(t, "what was taken has run", func() bool { return ran.Load() == 2 })
}

func TestFullPoolWaits(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1})
		step := make(chan struct{})
		p.Go(deadline.Normal, func() { <-step })
		synctest.Wait()
		p.Go(deadline.Normal, func() { <-step })
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		if err := goContext(p, ctx, deadline.Normal, func() {}); err != context.DeadlineExceeded {
			t.Errorf("SubmitContext: %v", err)
		}
		refused := func(want uint64) {
			var s workers.Stats
			if p.Stats(&s); s.Refused != want {
				t.Errorf("%d refused, want %d", s.Refused, want)
			}
		}
		refused(1)
		var third error = errors.New("not yet")
		go func() { third = goContext(p, background, deadline.Normal, func() {}) }()
		synctest.Wait()
		step <- struct{}{}
		synctest.Wait()
		if third != nil {
			t.Errorf("there is room, but: %v", third)
		}
		// Now one runs and one waits. Close ends the wait of a fourth, before anything else moves.
		var fourth error
		go func() { fourth = goContext(p, background, deadline.Normal, func() { t.Error("the fourth ran") }) }()
		synctest.Wait()
		closed := false
		go func() { mustClose(t, p); closed = true }()
		synctest.Wait()
		if fourth != workers.ErrClosed || closed {
			t.Errorf("within Close: the fourth's error is %v, the pool has ended: %v", fourth, closed)
		}
		step <- struct{}{} // the second; the third does not wait
		synctest.Wait()
		if !closed {
			t.Error("the pool has not ended")
		}
		refused(1) // that the pool is closed is another matter
	})
}

// Neither the frame goroutine nor a job nor a coroutine waits.
func TestFullPoolDoesNotLetAFrameWait(t *testing.T) {
	needsWorkers(t)
	p, open := small(t, 1)
	p.Go(deadline.Normal, func() {})
	p.BeginFrame()
	if err := goContext(p, background, deadline.Normal, func() {}); err != workers.ErrFull {
		t.Errorf("on the frame goroutine: %v", err)
	}
	var j workers.Job
	j.Func = func(*workers.Worker) {}
	p.Submit(&j)
	if err := j.Err(); err != workers.ErrFull {
		t.Errorf("Submit on the frame goroutine: %v", err)
	}
	var c carrier.Carrier
	defer c.Close()
	c.Run("", func() {
		if err := goContext(p, background, deadline.Normal, func() {}); err != workers.ErrFull {
			t.Errorf("on a coroutine of it: %v", err)
		}
	})
	open()
	done := make(chan error, 1)
	if err := goContext(p, background, deadline.Immediate, func() {}); err != nil && err != workers.ErrFull {
		t.Error(err)
	}
	eventually(t, "there is room", func() bool {
		return goContext(p, background, deadline.Immediate, func() {
			var err error
			for err == nil { // it keeps the worker, so that the second is too much
				err = goContext(p, background, deadline.Normal, func() {})
			}
			done <- err
		}) == nil
	})
	if err := <-done; err != workers.ErrFull {
		t.Errorf("within a job: %v", err)
	}
}

// A pool with a limit loses no place over many jobs, however they end.
func TestLimitIsGivenBack(t *testing.T) {
	const limit = 4
	no, cancel := context.WithCancel(background) // does not wait
	cancel()
	for _, n := range []int{-1, 1, 3} {
		p := workers.New(workers.Options{Workers: n, MaxWaiting: limit, OnPanic: func(*workers.PanicError) {}})
		submit := func(f func()) (*workers.Job, error) {
			j := &workers.Job{Func: func(*workers.Worker) { f() }}
			return j, p.SubmitContext(no, j)
		}
		var producers sync.WaitGroup
		for k := range 3 {
			producers.Go(func() {
				for i := range 2000 {
					j, err := submit(func() {
						if i%5 == 0 {
							panic("no")
						}
					})
					switch (i + k) % 4 {
					case 0:
						p.Go(deadline.Low, runtime.Goexit)
					case 1:
						j.Cancel()
					case 2:
						if err == nil {
							_ = j.Wait(background)
						}
					case 3:
						p.RunUntil(deadline.Deadline{})
					}
				}
			})
		}
		producers.Wait()
		var s workers.Stats
		eventually(t, "all have run", func() bool {
			p.RunUntil(deadline.Deadline{})
			p.Stats(&s)
			return s.Queued == [5]int{}
		})
		for i := range limit * max(0, -n) { // where no worker takes them
			if _, err := submit(func() {}); err != nil {
				t.Errorf("%d workers: place %d of %d is lost: %v", n, i, limit, err)
			}
		}
		if _, err := submit(func() {}); n < 0 && err != context.Canceled {
			t.Errorf("%d workers: one more: %v", n, err)
		}
		mustClose(t, p)
	}
}

func ExamplePool_SubmitContext() {
	p := workers.New(workers.Options{Workers: -1, MaxWaiting: 1})
	defer p.Close(background)
	ctx, cancel := context.WithTimeout(background, time.Millisecond)
	defer cancel()
	load := func(*workers.Worker) { fmt.Println("loaded") }
	fmt.Println(p.SubmitContext(ctx, &workers.Job{Func: load}))
	fmt.Println(p.SubmitContext(ctx, &workers.Job{Func: load}))
	p.RunUntil(deadline.Deadline{}) // as there are no workers
	// Output:
	// <nil>
	// context deadline exceeded
	// loaded
}
