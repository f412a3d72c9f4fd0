package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The delay begins with the call, however late the frame goroutine reads of it, and the timeout when it ends.
func TestAfterCountsFromTheCall(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.After(deadline.Normal, 10*ms, l.add("a"))
		w.s.After(deadline.UserBlocking, 300*ms, l.add("urgent"))
		time.Sleep(5 * ms)
		w.s.Post(deadline.Normal, l.add("posted"))
		w.drain()
		l.want(t, "posted")
		time.Sleep(5 * ms)
		w.s.Post(deadline.Normal, l.add("b")) // it starts when a does, and came later
		w.drain()
		l.want(t, "a b")
		if got := w.s.Stats().Expired; got != 0 {
			t.Errorf("%d were late", got)
		}
		time.Sleep(290*ms + 250*ms + 1)
		if r := w.s.RunUntil(deadline.Deadline{}); r.Expired != 1 {
			t.Errorf("%d were late, want the urgent one", r.Expired)
		}
		l.want(t, "urgent")
	})
}

// A delayed function has the states and the verbs of any other, in the inbox and in the queue.
func TestAfterIsCancelledMovedAndShifted(t *testing.T) {
	for name, read := range map[string]bool{"in the inbox": false, "in the queue": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, scheduler.Options{}, func(w *world) {
				drain := func() {
					if read {
						w.drain()
					}
				}
				var l log
				gone := w.s.After(deadline.Normal, 10*ms, l.add("gone"))
				w.s.After(deadline.Normal, 10*ms, l.add("normal"))
				up := w.s.After(deadline.Idle, 10*ms, l.add("up"))
				drain()
				if s := gone.State(); s != scheduler.Queued {
					t.Errorf("it is %v", s)
				}
				if !up.SetPriority(deadline.Immediate) || !gone.Cancel() || gone.Cancel() {
					t.Error("a verb failed, or succeeded twice")
				}
				w.s.Shift(time.Second) // with messages about two of them in the inbox
				if read {
					w.drain()
				}
				time.Sleep(10 * ms)
				w.drain()
				l.want(t, "")
				time.Sleep(time.Second)
				w.drain()
				l.want(t, "up normal")
				if up.SetPriority(deadline.Low) || up.Cancel() {
					t.Error("a verb worked on what had ended")
				}
				if _, left := w.s.Next(); left {
					t.Error("something is left")
				}
				w.s.Post(deadline.Normal, l.add("again")) // in the same storage, and with no delay
				w.drain()
				l.want(t, "again")
			})
		})
	}
}
