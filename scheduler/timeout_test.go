package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// listed is one that finishes when all its functions are called.
type listed []func()

func (l *listed) Notify(f func())    { *l = append(*l, f) }
func (*listed) Result() (int, error) { return 0, nil }

// A clock of one's own is the clock of all that waits: in Allow and in AwaitContext too.
func TestClockOfAllowAndAwaitContext(t *testing.T) {
	now := deadline.Instant(1)
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
	defer s.Close()
	limit := flow.RateLimit{Every: time.Hour, Scheduler: s}
	if !limit.Allow() || limit.Allow() {
		t.Error("one token an hour")
	}
	now = now.Add(time.Hour)
	if !limit.Allow() {
		t.Error("an hour later by the scheduler's clock")
	}
	var err error
	task := s.Go(deadline.Normal, func(co *scheduler.Co) {
		ctx, cancel := s.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		_, err = scheduler.AwaitContext(ctx, co, silence{})
		if ctx.Err() != context.DeadlineExceeded {
			t.Errorf("the context says %v", ctx.Err())
		}
	})
	s.RunUntil(deadline.Deadline{})
	now = now.Add(time.Hour - 1)
	s.RunUntil(deadline.Deadline{})
	if task.State() != scheduler.Suspended {
		t.Errorf("before its time it is %v", task.State())
	}
	now++
	s.RunUntil(deadline.Deadline{}) // in this slice, without help of another goroutine
	if task.State() != scheduler.Done || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after an hour it is %v, with %v", task.State(), err)
	}
	ctx, cancel := s.WithTimeout(context.Background(), time.Hour)
	cancel()
	if ctx.Err() != context.Canceled {
		t.Errorf("canceled: %v", ctx.Err())
	}
}

// All coroutines in AwaitContext of one context go on in the slice in which it ends, in their order, and one that
// comes later does not wait for a goroutine of the context.
func TestManyAwaitOneTimeout(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	ctx, cancel := s.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var l log
	await := func(name string, a scheduler.Awaitable[int]) *scheduler.Task {
		return s.Go(deadline.Normal, func(co *scheduler.Co) {
			_, err := scheduler.AwaitContext(ctx, co, a)
			l.say("%s:%v", name, errors.Is(err, context.DeadlineExceeded))
		})
	}
	var early listed
	await("a", silence{})
	await("early", &early)
	gone := await("gone", silence{})
	await("b", silence{})
	s.RunUntil(deadline.Deadline{})
	early[0]()
	gone.Cancel()
	s.RunUntil(deadline.Deadline{})
	l.want(t, "early:false")
	*now += deadline.Instant(time.Second)
	s.RunUntil(deadline.Deadline{})
	l.want(t, "a:true b:true")
	await("late", silence{})
	s.RunUntil(deadline.Deadline{})
	l.want(t, "late:true")
}

// The end of a timeout does not wait behind work that the coroutine would pass: here one that was raised by who waits
// for it, under more Normal work than there is time for.
func TestTimeoutOfARaisedCoroutine(t *testing.T) {
	s, now := virtual(t, scheduler.Options{Policy: deadline.ByPriority})
	low := s.Go(deadline.Low, func(co *scheduler.Co) { _, _ = scheduler.AwaitTimeout(co, silence{}, 10*ms) })
	s.RunUntil(deadline.Deadline{})
	high := s.Go(deadline.UserBlocking, func(co *scheduler.Co) { _ = co.Wait(low) })
	s.RunUntil(deadline.Deadline{})
	for range 20 {
		for range 200 {
			s.Post(deadline.Normal, func() { *now += deadline.Instant(10 * time.Microsecond) })
		}
		s.RunUntil(deadline.At(now.Add(ms)))
	}
	if high.State() != scheduler.Done {
		t.Errorf("after 20 ms the wait of 10 ms is %v, who waits for it %v", low.State(), high.State())
	}
}

// There is no slice after Close in which the time could be over: nobody may wait for that.
func TestTimeoutsEndWithTheScheduler(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		before, cancel := w.s.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		w.drain()
		w.s.Close()
		after, cancel := w.s.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		synctest.Wait()
		for _, ctx := range []context.Context{before, after} {
			if ctx.Err() != context.Canceled || context.Cause(ctx) != scheduler.ErrClosed {
				t.Errorf("%v, because of %v", ctx.Err(), context.Cause(ctx))
			}
		}
	})
}

// The error of a prediction is by how much a run was longer, or shorter, than what admitted it.
func TestTimesHavePredictionErrors(t *testing.T) {
	s, now := virtual(t, scheduler.Options{Times: true})
	for _, cost := range []time.Duration{3 * ms, 5 * ms, 4 * ms} {
		s.Submit(&scheduler.Task{Cost: 4 * ms, Func: func() { *now += deadline.Instant(cost) }})
	}
	s.Post(deadline.Low, nop) // of an unknown kind
	s.RunUntil(deadline.Deadline{})
	var times scheduler.Times
	s.ReadTimes(&times)
	over, under := &times.Over[deadline.Normal.Lane()], &times.Under[deadline.Normal.Lane()]
	if over.Count() != 3 || over.Max() != ms || under.Max() != ms || over.Mean() != ms/3 {
		t.Errorf("%d, at most %v more and %v less", over.Count(), over.Max(), under.Max())
	}
	if n := times.Over[deadline.Low.Lane()].Count(); n != 0 {
		t.Errorf("%d errors of what was not predicted", n)
	}
}

// A hand-back is a coroutine whose wait has ended.
func TestStatsCountHandBacks(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	var job listed
	for range 2 {
		s.Go(deadline.Normal, func(co *scheduler.Co) { _, _ = scheduler.Await(co, &job) })
	}
	s.RunUntil(deadline.Deadline{})
	for _, f := range job {
		f()
	}
	s.RunUntil(deadline.Deadline{})
	if n := s.Stats().Resumed; n != 2 {
		t.Errorf("%d, want 2", n)
	}
}

func ExampleScheduler_WithTimeout() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		ctx, cancel := s.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_, err := scheduler.AwaitContext(ctx, co, silence{})
		fmt.Println(err)
	})
	for at, ok := s.Next(); ok; at, ok = s.Next() {
		time.Sleep(at.Sub(deadline.Now()))
		s.RunUntil(deadline.In(time.Second))
	}
	// Output:
	// context deadline exceeded
}
