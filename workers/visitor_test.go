package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

func waitFor(j *workers.Job) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_ = j.Wait(ctx)
	}()
	return done
}

// looking has a goroutine call RunUntil, too briefly for what is known to take 2 ms, until the function that it returns
// is called.
func looking(p *workers.Pool) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			default:
				p.RunUntil(deadline.In(ms))
			}
		}
	}()
	return func() { close(end); <-ended }
}

// A job that waits for one that RunUntil takes and puts back must not take it for running: it may be the only
// one who can run it.
func TestWaitForAJobThatRunUntilPutsBack(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	// Known to be too long.
	dear := workers.Job{Label: "dear", Func: func(*workers.Worker) { time.Sleep(2 * ms) }}
	p.Submit(&dear)
	if err := dear.Wait(background); err != nil {
		t.Error(err)
	}
	defer looking(p)()
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	var done atomic.Int64
	p.Submit(&workers.Job{Label: "waiter", Func: func(w *workers.Worker) {
		for range rounds {
			p.Submit(&dear)
			if dear.State() == workers.Running {
				t.Error("a job that only this worker will run is running")
			}
			for range 20 {
				runtime.Gosched()
			}
			if err := dear.Wait(background); err != nil {
				t.Error(err)
			}
			done.Add(1)
		}
	}})
	eventually(t, "all rounds", func() bool { return done.Load() == int64(rounds) })
}

// Cancel never takes a job that is only being looked at for one that runs.
func TestCancelOfAJobThatRunUntilPutsBack(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	dear := workers.Job{Label: "dear", Func: func(*workers.Worker) { time.Sleep(2 * ms) }}
	p.Submit(&dear)
	p.RunUntil(deadline.Deadline{})
	defer looking(p)()
	for range 20000 {
		p.Submit(&dear)
		if dear.Cancel() {
			continue
		}
		if s := dear.State(); s == workers.Queued { // else it has waited for so long that it may run
			t.Error("a job that is not running could not be canceled")
			break
		}
		_ = dear.Wait(background)
	}
}

// A handler that panics leaves the pool as it should be.
func TestPanicInOnPanic(t *testing.T) {
	o := workers.Options{Workers: -1, OnPanic: func(pe *workers.PanicError) { panic(pe) }}
	bubble(t, o, func(t *testing.T, p *workers.Pool) {
		s := bridge.Of(p).Runner(nil)
		for _, runUntil := range []func(deadline.Deadline) int{p.RunUntil, s.RunUntil} {
			p.Go(deadline.Normal, func() { panic("boom") })
			if testkit.Recovered(func() { runUntil(deadline.Deadline{}) }) == nil {
				t.Error("no panic")
			}
			ran := false
			p.Go(deadline.Normal, func() { ran = true })
			if runUntil(deadline.Deadline{}); !ran {
				t.Error("the job after the panic did not run")
			}
		}
		s.Close()
	})
}
