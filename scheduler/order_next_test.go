package scheduler_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/hostcost"
	"github.com/frameslice/frameslice/scheduler"
)

// Overdue work: it is ahead of its peers, and never floods a frame.

// The bound of S11: with k tasks ahead of it by expiration, an overdue task starts within k+1 slices,
// whatever their budget and whatever else is submitted, and sooner if the slices have time.
func TestStarvationBound(t *testing.T) {
	for _, byPriority := range []bool{false, true} {
		for _, budget := range []time.Duration{0, 2 * ms, 8 * ms} {
			inWorld(t, scheduler.Options{ByPriority: byPriority}, func(w *world) {
				const k = 20
				for range k {
					w.s.Submit(&scheduler.Task{Cost: ms, Delay: 1, Func: func() { time.Sleep(ms) }})
				}
				started := false
				w.s.Submit(&scheduler.Task{Cost: 40 * ms, Delay: 1, Func: func() { started = true }})
				w.drain()
				time.Sleep(deadline.Timeouts{}.Of(deadline.Normal) + 1)
				var urgent func()
				urgent = func() { time.Sleep(ms); w.s.Post(deadline.UserBlocking, urgent) }
				for range 10 {
					w.s.Post(deadline.UserBlocking, urgent)
				}
				slices := 0
				for ; !started && slices < 100; slices++ {
					w.frame(budget)
				}
				bound := k + 1
				if !byPriority && budget > 0 {
					bound = k/int(budget/ms/2) + 1
				}
				if slices > bound {
					t.Errorf("priority %v, budget %v: started in slice %d, want %d", byPriority, budget, slices, bound)
				}
			})
		}
	}
}

// Overdue work that is set aside stays in the order of expiration, although work that was passed over goes back to the
// queue after each slice and is set aside again, some of it is cancelled, and tasks come with timeouts of their own.
func TestOverdueWorkStaysInOrder(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	spend := func(d time.Duration) func() { return func() { *now = now.Add(d) } }
	long, brief := spend(ms/4), spend(ms/128)
	var tasks []*scheduler.Task
	most := 0
	for frame := range 600 {
		for range 20 + rand.N(20) {
			task := &scheduler.Task{Label: "brief", Func: brief, Timeout: time.Duration(1+rand.N(1000)) * ms}
			if rand.N(2) == 0 {
				task.Label, task.Func = "long", long
			}
			tasks = append(tasks, task)
			s.Submit(task)
		}
		s.Post(deadline.Low, brief) // not overdue: it has the rest of the slice
		if rand.N(2) == 0 {
			tasks[rand.N(len(tasks))].Cancel()
		}
		bridge.Of(s).NoteHost(hostcost.Frame{Interval: 33 * ms, Busy: 2 * ms, Due: 16 * ms})
		if frame > 20 && frame%3 > 0 {
			bridge.Of(s).ControlHost() // then the first overdue task need not run, either
		}
		s.BeginFrame(*now)
		s.RunUntil(deadline.At(now.Add(2 * ms)))
		*now = now.Add(14 * ms)
		n, sorted := scheduler.OverdueAside(s)
		if !sorted {
			t.Fatalf("frame %d: the %d that are set aside are not in order", frame, n)
		}
		most = max(most, n)
	}
	if most < 100 {
		t.Errorf("at most %d were set aside", most)
	}
}
