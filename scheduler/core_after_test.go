package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

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
