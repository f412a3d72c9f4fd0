package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// listed is one that finishes when all its functions are called.
type listed []func()

func (l *listed) Notify(f func())    { *l = append(*l, f) }
func (*listed) Result() (int, error) { return 0, nil }

// The end of a timeout does not wait behind work that the coroutine would pass: here one that was raised by who waits
// for it, under more Normal work than there is time for.
func TestTimeoutOfARaisedCoroutine(t *testing.T) {
	s, now := virtual(t, scheduler.Options{Policy: deadline.ByPriority, MinShare: -1})
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
