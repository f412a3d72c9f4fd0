package scheduler_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func ExampleCo_WaitTimeout() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		answer := s.Go(deadline.Low, func(co *scheduler.Co) { co.Sleep(time.Hour) })
		if err := co.WaitTimeout(answer, time.Millisecond); errors.Is(err, scheduler.ErrTimeout) {
			fmt.Println("no answer yet:", answer.Err())
		}
	})
	for range 3 {
		s.RunUntil(deadline.In(time.Millisecond))
		time.Sleep(2 * time.Millisecond)
	}
	// Output: no answer yet: <nil>
}

// WaitTimeout ends with the task or with the time, whichever is first, and leaves nothing behind.
func TestWaitTimeout(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		s, now := virtual(t, scheduler.Options{Policy: policy})
		var l log
		pass := func(d time.Duration) {
			*now = now.Add(d)
			s.RunUntil(deadline.At(now.Add(ms)))
		}
		slow := &scheduler.Task{Priority: deadline.Low, Delay: 25 * ms}
		slow.Func = func() { l.say("slow:%v", s.Current().Priority) }
		s.Submit(slow)
		s.Go(deadline.UserBlocking, func(co *scheduler.Co) {
			l.say("%v", co.WaitTimeout(slow, 10*ms))
			_, err := scheduler.AwaitTimeout(co, &handoff{}, 10*ms)
			l.say("%v", err)
			l.say("%v", co.WaitTimeout(slow, 10*ms))
			l.say("%v", co.WaitTimeout(slow, 0))
			l.say("%v", co.WaitTimeout(s.Go(deadline.Normal, func(*scheduler.Co) {}), 0))
		})
		pass(0)
		pass(9 * ms)
		l.want(t, "")
		pass(ms)
		l.want(t, "scheduler: timed out (context deadline exceeded)")
		pass(10 * ms)
		l.want(t, "scheduler: timed out (context deadline exceeded)")
		pass(5 * ms)
		l.want(t, "slow:user-blocking <nil> <nil> scheduler: timed out (context deadline exceeded)")
		if at, ok := s.Next(); ok {
			t.Error("something is left, at", at)
		}
	}
}

// What is cancelled in the wait, or awaits what is, takes its timer along.
func TestWaitTimeoutIsCancelled(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	var l log
	pass := func(d time.Duration) {
		*now = now.Add(d)
		s.RunUntil(deadline.At(now.Add(ms)))
	}
	sleeper := s.Go(deadline.Low, func(co *scheduler.Co) { co.Sleep(time.Hour) })
	call := scheduler.Call(s, deadline.Low, func(co *scheduler.Co) (int, error) { co.Sleep(5 * ms); return 7, nil })
	waiter := s.Go(deadline.Normal, func(co *scheduler.Co) {
		defer l.add("unwound")()
		_ = co.WaitTimeout(sleeper, time.Minute)
	})
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		_, err := call.WaitTimeout(co, 2*ms)
		l.say("%v", errors.Is(err, scheduler.ErrTimeout))
		v, err := call.WaitTimeout(co, 9*ms)
		l.say("%v %v", v, err)
		err = co.WaitTimeout(sleeper, time.Minute)
		l.say("%v", errors.Is(err, scheduler.ErrCanceled))
	})
	pass(0)
	waiter.Cancel()
	pass(2 * ms)
	pass(3 * ms)
	l.want(t, "unwound true 7 <nil>")
	sleeper.Cancel()
	pass(0)
	l.want(t, "true")
	if at, ok := s.Next(); ok {
		t.Error("something is left, at", at)
	}
	// Both in one moment: the time is Immediate, so it comes first, and the end of the task is not heard of.
	late := &scheduler.Task{Delay: 5 * ms, Func: func() {}}
	s.Submit(late)
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		err := co.WaitTimeout(late, 5*ms)
		l.say("%v %v", errors.Is(err, scheduler.ErrTimeout), co.Wait(late))
	})
	pass(0)
	pass(5 * ms)
	l.want(t, "true <nil>")
	end := make(chan error, 1)
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		defer func() { end <- nil }()
		_ = co.WaitTimeout(s.Go(deadline.Low, func(co *scheduler.Co) { co.NextFrame() }), time.Hour)
	})
	s.RunUntil(deadline.At(*now))
	s.Close()
	<-end
}
