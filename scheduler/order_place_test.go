package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestDelay(t *testing.T) {
	for name, after := range map[string]func(s *scheduler.Scheduler, d time.Duration, f func()){
		"a Task": func(s *scheduler.Scheduler, d time.Duration, f func()) {
			s.Submit(&scheduler.Task{Func: f, Delay: d})
		},
		"After": func(s *scheduler.Scheduler, d time.Duration, f func()) { s.After(deadline.Normal, d, f) },
	} {
		t.Run(name, func(t *testing.T) { checkDelay(t, after) })
	}
}

func checkDelay(t *testing.T, after func(s *scheduler.Scheduler, d time.Duration, f func())) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		after(w.s, 20*ms, l.add("late"))
		after(w.s, 10*ms, l.add("soon"))
		after(w.s, -1, l.add("now"))
		after(w.s, 0, l.add("too"))
		w.drain()
		l.want(t, "now too")
		at, ok := w.s.Next()
		if !ok || at.Sub(deadline.Now()) != 10*ms {
			t.Errorf("Next = in %v, %v, want in 10ms", at.Sub(deadline.Now()), ok)
		}
		time.Sleep(10*ms - 1)
		w.drain()
		l.want(t, "")
		time.Sleep(time.Nanosecond)
		w.drain()
		l.want(t, "soon")
		time.Sleep(time.Second)
		if at, ok := w.s.Next(); !ok || at != deadline.Now() {
			t.Errorf("Next = %v, %v with work that is due, want now", at, ok)
		}
		w.drain()
		l.want(t, "late")
		if _, ok := w.s.Next(); ok {
			t.Error("Next reports work where there is none")
		}
	})
}

func TestProducersOrderIsKept(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		var a, b scheduler.Task
		a.Func, b.Func = l.add("a"), l.add("b")
		w.s.Submit(&a)
		w.s.Submit(&b)
		a.Cancel() // a's link is still in the inbox, ahead of b's ...
		w.s.Post(deadline.Normal, l.add("c"))
		w.s.Submit(&a) // ... but this comes after c
		b.Cancel()
		w.s.Submit(&b)
		a.Cancel()
		w.s.Submit(&a)
		w.drain()
		l.want(t, "c b a")
	})
}

func TestShiftMovesEverything(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Submit(&scheduler.Task{Func: l.add("delayed"), Delay: 10 * ms})
		w.s.Post(deadline.Normal, func() {})
		w.drain()
		for range 3 {
			w.s.Post(deadline.UserBlocking, func() { time.Sleep(ms) })
		}
		w.s.RunUntil(deadline.In(0))
		time.Sleep(time.Hour) // the machine sleeps
		w.s.Shift(time.Hour)
		at, _ := w.s.Next()
		if at != deadline.Now() {
			t.Error("Next is not now, with ready work")
		}
		r := w.drain()
		if r.Expired != 0 || r.Ran != 2 {
			t.Errorf("%+v, want 2 runs and none overdue", r)
		}
		l.want(t, "")
		time.Sleep(8 * ms) // 1 ms went by before the jump, 2 ms in drain
		w.drain()
		l.want(t, "delayed")
	})
}

// The head of the timers is cancelled, and the next one must still wake the host.
func TestNextBehindACancelledTimer(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		a := w.submit(deadline.Normal, 10*ms, l.add("A"))
		w.submit(deadline.Normal, 20*ms, l.add("B"))
		w.drain()
		a.Cancel()
		w.drain()
		if at, ok := w.s.Next(); !ok || at.Sub(deadline.Now()) != 20*ms {
			t.Errorf("Next is in %v (%v), want in 20ms", at.Sub(deadline.Now()), ok)
		}
		time.Sleep(20 * ms)
		w.drain()
		l.want(t, "B")
	})
}

// A task that was cancelled and submitted again before anybody read of it is in the inbox more than once. Shift
// moves its delay once.
func TestShiftMovesARelayedDelayOnce(t *testing.T) {
	for lives := range 4 {
		s, now := virtual(t, scheduler.Options{})
		var l log
		task := &scheduler.Task{Delay: 100 * ms, Func: l.add("ran")}
		s.Submit(task)
		for range lives {
			task.Cancel()
			s.Submit(task)
		}
		*now += deadline.Instant(time.Hour)
		s.Shift(time.Hour)
		s.RunUntil(deadline.Deadline{})
		*now += deadline.Instant(100*ms) - 1
		s.RunUntil(deadline.Deadline{})
		l.want(t, "")
		*now++
		s.RunUntil(deadline.Deadline{})
		l.want(t, "ran")
	}
}
