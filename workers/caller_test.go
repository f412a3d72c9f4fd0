package workers_test

import (
	"context"
	"testing"

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
