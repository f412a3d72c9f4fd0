package scheduler_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/hostcost"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// Overdue work: it is ahead of its peers, and never floods a frame.

// React moves due timers to its task queue one by one before it looks at anything else.
func TestAFloodOfTimersDoesNotDelayAnUrgentTask(t *testing.T) {
	for _, late := range []time.Duration{0, time.Minute} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			n, many := 0, 100_000
			if testkit.UnderRace {
				many /= 5
			}
			tasks := make([]scheduler.Task, many)
			for i := range tasks {
				tasks[i] = scheduler.Task{Func: func() { n++ }, Delay: time.Duration(1+rand.N(1000)) * ms}
				w.s.Submit(&tasks[i])
			}
			w.drain()
			time.Sleep(time.Second + late)
			before := -1
			w.s.Post(deadline.Immediate, func() { before = n })
			w.s.RunUntil(deadline.In(-1))
			if late > 0 {
				// All are overdue and come first by the order; but their share of a slice without time is
				// one task.
				w.s.RunUntil(deadline.In(4 * ms))
			}
			if before < 0 || late == 0 && before > 0 {
				t.Errorf("%v late: %d of %d ran before the urgent one", late, before, len(tasks))
			}
			for r := w.drain(); r.Ready > 0; r = w.drain() {
			}
			if n != len(tasks) {
				t.Errorf("%d of %d ran", n, len(tasks))
			}
		})
	}
}

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

// What has a timeout of its own is overdue by that, wherever it is among its equals; and one that is never does not
// keep from its turn what is behind it.
func TestS11_OwnTimeoutsUnderByPriority(t *testing.T) {
	for _, byPriority := range []bool{false, true} {
		s, now := virtual(t, scheduler.Options{ByPriority: byPriority})
		work := func() { *now = now.Add(ms) }
		var ran [3]int
		frame := 0
		note := func(i int) func() { return func() { ran[i] = frame; work() } }
		s.Submit(&scheduler.Task{Timeout: 1 << 61, Func: work})
		behind := &scheduler.Task{Func: note(0)}
		s.Submit(behind)
		for range 100 {
			s.Post(deadline.Low, work)
		}
		s.Submit(&scheduler.Task{Priority: deadline.Low, Timeout: 10 * ms, Func: note(1)})
		s.WhenIdle(10*ms, func(deadline.Deadline, bool) { note(2)() })
		for frame = 1; frame < 1000 && behind.State() != scheduler.Done; frame++ {
			for range 5 {
				s.Post(deadline.UserBlocking, work)
			}
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(4 * ms)))
			*now = now.Add(12 * ms)
		}
		overdue := int(deadline.Timeouts{}.Of(deadline.Normal) / (16 * ms))
		if ran[0] < overdue-12 || ran[0] > overdue+88 || ran[1] > 3 || ran[2] > 3 {
			t.Errorf("by priority %v: after the default timeout, 10 ms and 10 ms, in the frames %d", byPriority, ran)
		}
	}
}

// costly submits a task that takes as long as it says, and again at its end if it is to continue.
func costly(s *scheduler.Scheduler, now *deadline.Instant, p deadline.Priority, d time.Duration, again bool, ran *int) {
	t := &scheduler.Task{Priority: p, Cost: d}
	t.Func = func() {
		*now = now.Add(d)
		*ran++
		if again {
			s.Submit(t)
		}
	}
	s.Submit(t)
}

var bothPolicies = []bool{false, true}

// Idle work behind more Normal work than there is time for has its turn by a timeout: without one it waits until
// nothing else is ready, and with one it is overdue work, which each slice begins with.
func TestIdleWorkWithATimeoutDoesNotStarve(t *testing.T) {
	for _, byPriority := range bothPolicies {
		for _, timeout := range []time.Duration{0, 10 * time.Second} {
			o := scheduler.Options{ByPriority: byPriority}
			o.Timeouts.Idle = timeout
			s, now := virtual(t, o)
			var normal, idle int
			for range 8 {
				costly(s, now, deadline.Normal, ms, true, &normal)
			}
			costly(s, now, deadline.Idle, 6*ms, true, &idle) // fits into no slice
			for range 5000 {
				s.BeginFrame(*now)
				s.RunUntil(deadline.At(now.Add(4 * ms)))
			}
			if (idle > 0) != (timeout > 0) || idle > 5 {
				t.Errorf("by priority %v, a timeout of %v: %d Idle runs beside %d", byPriority, timeout, idle, normal)
			}
		}
	}
}

// A task that was passed over and leaves the queue is forgotten. Its item may be another goroutine's before the slice
// ends, or be passed over again.
func TestNothingRemainsOfWhatWasPassedOverAndCanceled(t *testing.T) {
	s, now := virtual(t, scheduler.Options{})
	big := func() { *now += deadline.Instant(6 * ms) }
	for range 4 { // its cost is learned
		s.Post(deadline.Normal, big)
		s.RunUntil(deadline.Deadline{})
	}
	var h scheduler.Handle
	left := -1
	s.Post(deadline.Normal, func() { h = s.Post(deadline.UserBlocking, big) })
	s.Post(deadline.Low, func() { h.Cancel() })
	s.Post(deadline.Idle, func() { left = scheduler.PassedOver(s) })
	if r := s.RunUntil(deadline.At(*now + deadline.Instant(4*ms))); r.Ran != 3 || r.Deferred != 1 || left != 0 {
		t.Errorf("%+v, %d remain, want 3 runs, 1 deferred, and none", r, left)
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
		n, sorted := scheduler.Late(s)
		if !sorted {
			t.Fatalf("frame %d: the %d that are set aside are not in order", frame, n)
		}
		most = max(most, n)
	}
	if most < 100 {
		t.Errorf("at most %d were set aside", most)
	}
}
