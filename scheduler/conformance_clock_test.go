package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Odd budgets, deadlines, clocks and jumps: progress is made, nothing runs twice, nothing is lost.

func TestClockOddDeadlinesMakeProgress(t *testing.T) {
	for name, d := range map[string]func() deadline.Deadline{
		"negative": func() deadline.Deadline { return deadline.At(-1 << 62) },
		"least":    func() deadline.Deadline { return deadline.At(-1 << 63) },
		"now":      func() deadline.Deadline { return deadline.At(deadline.Now()) },
		"past":     func() deadline.Deadline { return deadline.In(-time.Hour) },
	} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			var l log
			w.s.Post(deadline.Normal, l.cost("A", ms))
			w.s.Post(deadline.Normal, l.cost("B", ms))
			eq(t, name+": ran", w.s.RunUntil(d()).Ran, 1)
			eq(t, name+": ran", w.s.RunUntil(d()).Ran, 1)
			eq(t, name+": ran", w.s.RunUntil(d()).Ran, 0)
			l.want(t, "A B")
		})
	}
	for name, d := range map[string]func() deadline.Deadline{
		"never":      func() deadline.Deadline { return deadline.At(deadline.Never) },
		"nearly":     func() deadline.Deadline { return deadline.At(deadline.Never - 1) },
		"in forever": func() deadline.Deadline { return deadline.In(1<<63 - 1) },
		"zero":       func() deadline.Deadline { return deadline.Deadline{} },
	} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			for range 3 {
				w.s.Post(deadline.Idle, func() { time.Sleep(time.Minute) })
				time.Sleep(time.Minute)
				eq(t, name+": ran", w.s.RunUntil(d()).Ran, 1)
			}
		})
	}
}

func TestClockOddFrames(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n := 0
		task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				co.NextFrame()
				n++
			}
		})
		w.drain()
		frames := 0
		for _, at := range []deadline.Instant{0, -1 << 63, deadline.Never, deadline.Never - 1, deadline.Now(), 5} {
			w.s.BeginFrame(at)
			w.drain()
			w.drain() // of the same frame
			frames++
			eq(t, "frames seen", n, frames)
		}
		w.s.BeginFrame(deadline.Now())
		w.s.BeginFrame(deadline.Now()) // a frame without a slice
		w.drain()
		eq(t, "frames seen", n, frames+1)
		task.Cancel()
	})
}

// Shift after a jump: nothing is overdue that was not, delays go on where they were, also those of tasks that
// the frame goroutine has not read of.
func TestClockShiftAfterAJump(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.UserBlocking, l.add("posted"))
		w.submit(deadline.Normal, 100*ms, l.add("read"))
		w.s.RunPhase(scheduler.BeforeDraw)
		w.submit(deadline.Normal, 50*ms, l.add("unread"))
		time.Sleep(10 * time.Minute)
		w.s.Shift(10 * time.Minute)
		eq(t, "expired", w.drain().Expired, 0)
		l.want(t, "posted")
		if at, ok := w.s.Next(); !ok || at.Sub(deadline.Now()) != 50*ms {
			t.Errorf("Next is in %v (%v), want in 50ms", at.Sub(deadline.Now()), ok)
		}
		time.Sleep(50 * ms)
		w.drain()
		l.want(t, "unread")
		time.Sleep(50 * ms)
		w.drain()
		l.want(t, "read")
	})
	for _, d := range []time.Duration{1<<63 - 1, -1 << 63, -time.Hour, 0} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			n := 0
			w.s.Post(deadline.Normal, func() { n++ })
			w.submit(deadline.Normal, ms, func() { n++ })
			w.s.RunPhase(scheduler.BeforeDraw)
			w.s.Shift(d)
			w.s.Post(deadline.Normal, func() { n++ })
			w.drain()
			if n == 0 {
				t.Errorf("Shift by %v: what was posted afterwards does not run", d)
			}
		})
	}
}

// A clock that jumps back, or stands still, does not stop tasks, and a delay does not start anew.
func TestClockGoesBackwards(t *testing.T) {
	c := &fakeClock{now: 1e12}
	s := scheduler.New(scheduler.Options{})
	scheduler.SetClock(s, c.read)
	defer s.Close()
	var l log
	s.Submit(&scheduler.Task{Func: l.add("delayed"), Delay: 10 * ms})
	s.RunUntil(deadline.Deadline{})
	c.now -= 5e11
	s.Post(deadline.Normal, l.add("posted"))
	s.RunUntil(deadline.Deadline{})
	l.want(t, "posted")
	c.now += deadline.Instant(10 * ms)
	s.RunUntil(deadline.Deadline{})
	l.want(t, "delayed")
	r := s.RunUntil(deadline.At(c.now + 1e6))
	eq(t, "ran", r.Ran, 0)
}

// A task that is much too long is run, once in a while, and reported.
func TestClockATaskLongerThanEverySlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var at []int
		big := &scheduler.Task{Label: "big", Cost: 30 * ms, Func: func() {
			time.Sleep(30 * ms)
			at = append(at, 0)
		}}
		w.s.Submit(big)
		small := 0
		frames := 0
		for ; len(at) == 0 && frames < 20; frames++ {
			w.s.Post(deadline.UserBlocking, func() { small++ })
			w.frame(4 * ms)
		}
		if frames > 4 {
			t.Errorf("it ran after %d frames, want four at most", frames)
		}
		eq(t, "small ones", small, frames-1) // none beside the big one
		eq(t, "Stats.Offender", w.s.Stats().Offender, scheduler.Offender{Label: "big", Cost: 30 * ms})
	})
}
