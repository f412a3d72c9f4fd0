package scheduler_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Whoever wants the frame back gets it when the running task ends, which the task can tell; an idle callback too.
func TestStopOnEndsTheSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var stop atomic.Bool
		w.s.StopOn(&stop)
		long, idle := w.row("long"), w.row("idle")
		w.s.Post(deadline.Normal, func() {
			for !w.s.ShouldYield() {
				w.spend(long, ms)
			}
		})
		w.s.Post(deadline.Normal, w.work("next", ms))
		w.s.Post(deadline.Normal, w.work("third", ms))
		w.s.WhenIdle(0, func(deadline.Deadline, bool) {
			for !w.s.ShouldYield() {
				w.spend(idle, ms)
			}
		})
		interrupt := func(after time.Duration) { time.AfterFunc(after, func() { stop.Store(true) }) }
		interrupt(2*ms + ms/2)
		w.frame(7 * ms)
		w.frame(7 * ms) // stopped from the first: one task, so that nothing starves
		w.frame(7 * ms) // the last task
		w.frame(7 * ms) // and no idle callback
		stop.Store(false)
		interrupt(3*ms + ms/2)
		w.frame(7 * ms)
		w.s.StopOn(nil)
		stop.Store(true)
		w.s.Post(deadline.Normal, w.work("a", ms))
		w.s.Post(deadline.Normal, w.work("b", ms))
		w.frame(7 * ms)
		w.want(`
			slice |===     =       =               ====    ==
			long  |###
			idle  |                                ####
			next  |        #
			third |                #
			a     |                                        #
			b     |                                         #
		`)
	})
}

// The slice runs beside a host that presents the frame and then wants to continue.
func ExampleScheduler_StopOn() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var stop atomic.Bool
	s.StopOn(&stop)
	for n := range 3 {
		s.Post(deadline.Normal, func() {
			fmt.Println("task", n)
			if n == 1 {
				stop.Store(true) // another goroutine would
			}
		})
	}
	left := s.RunUntil(deadline.Deadline{}).Ready
	fmt.Println(left, "left")
	// Output:
	// task 0
	// task 1
	// 1 left
}
