package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// park suspends n coroutines in each place for which Stats has a count, and queues n idle callbacks with a
// timeout and n without. It returns all of them.
func park(s *scheduler.Scheduler, n int) (tasks []*scheduler.Task) {
	target := &scheduler.Task{Delay: time.Hour, Func: func() {}}
	s.Submit(target)
	for range n {
		tasks = append(tasks,
			s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame() }),
			s.Go(deadline.Normal, func(co *scheduler.Co) { co.AfterDraw() }),
			s.Go(deadline.Normal, func(co *scheduler.Co) { co.Wait(target) }),
			s.WhenIdle(0, func(deadline.Deadline, bool) {}),
			s.WhenIdle(time.Hour, func(deadline.Deadline, bool) {}))
	}
	s.RunUntil(deadline.At(0)) // one task
	for s.Stats().Waiting < n {
		s.RunUntil(deadline.At(0))
	}
	return append(tasks, target)
}

// frameless makes NextFrame wait, and RunUntil have no time for idle callbacks and no phases.
func frameless(s *scheduler.Scheduler) {
	s.BeginFrame(0)
	s.RunPhase(scheduler.AfterDraw)
}

func TestStatsCountsWhatWaits(t *testing.T) {
	counts := func(s *scheduler.Scheduler) string {
		st := s.Stats()
		return fmt.Sprint("frame ", st.Frame, " draw ", st.Drawing, " wait ", st.Waiting, " idle ", st.Idle)
	}
	for _, c := range []struct {
		name string
		do   func(s *scheduler.Scheduler, tasks []*scheduler.Task)
		want string
	}{
		{"as they are", func(*scheduler.Scheduler, []*scheduler.Task) {}, "frame 3 draw 3 wait 3 idle 6"},
		{"a frame begins", func(s *scheduler.Scheduler, _ []*scheduler.Task) { s.BeginFrame(0) },
			"frame 0 draw 3 wait 3 idle 6"},
		{"a frame is drawn", func(s *scheduler.Scheduler, _ []*scheduler.Task) { s.RunPhase(scheduler.AfterDraw) },
			"frame 3 draw 0 wait 3 idle 6"},
		{"the target ends", func(s *scheduler.Scheduler, tasks []*scheduler.Task) {
			tasks[len(tasks)-1].Cancel()
			s.RunUntil(deadline.At(0))
		}, "frame 3 draw 3 wait 0 idle 6"},
		{"there is time", func(s *scheduler.Scheduler, _ []*scheduler.Task) {
			s.RunUntil(deadline.In(time.Minute))
		}, "frame 3 draw 3 wait 3 idle 0"},
		{"all is cancelled", func(s *scheduler.Scheduler, tasks []*scheduler.Task) {
			for _, t := range tasks {
				t.Cancel()
			}
			s.RunUntil(deadline.At(0))
		}, "frame 0 draw 0 wait 0 idle 0"},
		{"it is closed", func(s *scheduler.Scheduler, _ []*scheduler.Task) { s.Close() },
			"frame 0 draw 0 wait 0 idle 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			frameless(s)
			c.do(s, park(s, 3))
			if got := counts(s); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
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

// The totals tell runs that were overdue or had to wait for room, as the results of the slices do.
func TestTotalsOfSlices(t *testing.T) {
	o := scheduler.Options{}
	o.Timeouts.Low = 300 * ms
	inWorld(t, o, func(w *world) {
		w.s.Submit(&scheduler.Task{Label: "big", Cost: 8 * ms, Func: func() {}})
		w.s.Post(deadline.UserBlocking, func() {})
		first := w.s.RunUntil(deadline.In(2 * ms))
		w.s.Post(deadline.Low, func() {})
		w.s.Post(deadline.Immediate, func() {})
		w.s.RunUntil(deadline.In(0)) // runs the second, and so reads the first
		time.Sleep(400 * ms)
		last := w.s.RunUntil(deadline.In(20 * ms))
		st := w.s.Stats()
		if first.Deferred != 1 || last.Expired == 0 || st.Deferred < 1 || st.Expired < 1 {
			t.Errorf("first slice %+v, last %+v, totals %+v", first, last, st)
		}
	})
}
