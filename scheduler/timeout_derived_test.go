package scheduler_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

type contextKey struct{}

// What is derived from a context of WithTimeout ends with it, at once, with its error and its cause.
func TestContextsDerivedFromATimeout(t *testing.T) {
	gone := errors.New("the scene is gone")
	for _, c := range []struct {
		name       string
		end        func(s *scheduler.Scheduler, now *deadline.Instant, cancel, parent func())
		err, cause error
	}{
		{"time", func(s *scheduler.Scheduler, now *deadline.Instant, _, _ func()) {
			*now += deadline.Instant(ms)
			s.RunUntil(deadline.Deadline{})
		}, context.DeadlineExceeded, context.DeadlineExceeded},
		{"cancel", func(_ *scheduler.Scheduler, _ *deadline.Instant, cancel, _ func()) { cancel() },
			context.Canceled, context.Canceled},
		{"parent", func(_ *scheduler.Scheduler, _ *deadline.Instant, _, parent func()) { parent() },
			context.Canceled, gone},
		{"close", func(s *scheduler.Scheduler, _ *deadline.Instant, _, _ func()) { s.Close() },
			context.Canceled, scheduler.ErrClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, now := virtual(t, scheduler.Options{})
				parent, endParent := context.WithCancelCause(context.WithValue(t.Context(), contextKey{}, 7))
				ctx, cancel := s.WithTimeout(parent, ms)
				defer cancel()
				child, endChild := context.WithCancel(ctx)
				defer endChild()
				grandchild, endGrandchild := context.WithTimeout(child, time.Hour)
				defer endGrandchild()
				early, endEarly := context.WithCancel(ctx)
				endEarly()
				var told atomic.Int32
				context.AfterFunc(ctx, func() { told.Add(1) })
				context.AfterFunc(ctx, func() { told.Add(8) })()
				_, ok := ctx.Deadline()
				if ok || ctx.Err() != nil || child.Err() != nil || ctx.Value(contextKey{}) != 7 {
					t.Errorf("before: %v, %v, a deadline: %v", ctx.Err(), child.Err(), ok)
				}
				c.end(s, now, cancel, func() { endParent(gone) })
				if c.name == "close" {
					synctest.Wait() // a goroutine sees to it
				} else if ctx.Err() == nil || c.name != "parent" && child.Err() == nil {
					t.Errorf("at once: %v, derived: %v", ctx.Err(), child.Err())
				}
				late, endLate := context.WithCancel(ctx)
				defer endLate()
				for name, x := range map[string]context.Context{
					"itself": ctx, "derived": child, "derived from that": grandchild, "derived late": late,
				} {
					<-x.Done()
					if x.Err() != c.err || context.Cause(x) != c.cause {
						t.Errorf("%s: %v, because of %v, want %v, %v", name, x.Err(), context.Cause(x), c.err, c.cause)
					}
				}
				synctest.Wait()
				if early.Err() != context.Canceled || told.Load() != 1 {
					t.Errorf("canceled before: %v; told %d", early.Err(), told.Load())
				}
				endParent(nil)
			})
		})
	}
}

// One derived from a context of WithTimeout that is dropped leaves nothing, and takes no goroutine while it lasts.
func TestDerivedContextsLeaveNothing(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	ctx, cancel := s.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	goroutines, before := runtime.NumGoroutine(), heap()
	for range 200 {
		var ends []context.CancelFunc
		for range 50 {
			_, end := context.WithCancel(ctx)
			ends = append(ends, end)
		}
		if n := runtime.NumGoroutine(); n > goroutines+2 {
			t.Fatalf("%d goroutines more", n-goroutines)
		}
		for _, end := range ends {
			end()
		}
	}
	if left := heap() - before; left > 1<<19 {
		t.Errorf("%d bytes are left", left)
	}
	runtime.KeepAlive(ctx)
}

// Its end comes from four sides while others derive from it and leave.
func TestStressDerivedContexts(t *testing.T) {
	for range 50 {
		s, now := virtual(t, scheduler.Options{})
		parent, endParent := context.WithCancel(t.Context())
		ctx, cancel := s.WithTimeout(parent, ms)
		s.RunUntil(deadline.Deadline{})
		*now += deadline.Instant(ms)
		var g sync.WaitGroup
		for range 4 {
			g.Go(func() {
				for i := range 20 {
					child, end := context.WithCancel(ctx)
					if i%2 == 0 {
						end()
						continue
					}
					g.Go(func() {
						defer end()
						if <-child.Done(); child.Err() != ctx.Err() {
							t.Errorf("%v, derived from %v", child.Err(), ctx.Err())
						}
					})
				}
			})
		}
		g.Go(cancel)
		g.Go(endParent)
		s.RunUntil(deadline.Deadline{})
		s.Close()
		g.Wait()
	}
}

// A parent that is canceled with the cause of a timeout is canceled all the same.
func TestAParentWithTheCauseOfATimeout(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	parent, cancel := context.WithCancelCause(context.Background())
	ctx, stop := s.WithTimeout(parent, time.Hour)
	defer stop()
	cancel(context.DeadlineExceeded)
	<-ctx.Done()
	if err, cause := ctx.Err(), context.Cause(ctx); err != context.Canceled || cause != context.DeadlineExceeded {
		t.Errorf("%v, cause %v", err, cause)
	}
}
