package scheduler_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Overdue work: it is ahead of its peers, and never floods a frame.

// 200 UserBlocking tasks of 1 ms, all late: React runs them in one turn of 200 ms.
func TestABacklogDoesNotFloodAFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n := 0
		for range 200 {
			w.s.Submit(&scheduler.Task{Priority: deadline.UserBlocking, Delay: ms, Func: func() {
				n++
				time.Sleep(ms)
			}})
		}
		w.drain()
		time.Sleep(time.Second)
		longest, frames := time.Duration(0), 0
		for ; n < 200; frames++ {
			r := w.frame(4 * ms)
			longest = max(longest, r.Used)
			if r.Expired != r.Ran {
				t.Errorf("%+v: all of them are overdue", r)
			}
		}
		if longest > 5*ms {
			t.Errorf("the longest slice took %v, want at most the budget and one task, 5ms", longest)
		}
		if frames > 200/3+1 {
			t.Errorf("the backlog took %d frames", frames)
		}
	})
}

// React moves due timers to its task queue one by one before it looks at anything else.
func TestAFloodOfTimersDoesNotDelayAnUrgentTask(t *testing.T) {
	for _, late := range []time.Duration{0, time.Minute} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			n, many := 0, 100_000
			if scheduler.RaceEnabled {
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

func TestOverdueWorkLeavesHalfOfTheSliceToFreshWork(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for range 12 {
			w.s.Submit(&scheduler.Task{Cost: ms, Delay: 1, Func: w.work("old", ms)})
		}
		w.drain()
		time.Sleep(8*time.Second - 1)
		w.base = time.Now()
		for _, r := range w.rows {
			r.line = nil
		}
		w.row("fresh")
		fresh := &scheduler.Task{Cost: ms, Priority: deadline.Low}
		n := 0
		fresh.Step = func() bool { w.spend(w.row("fresh"), ms); n++; return n < 6 }
		w.s.Submit(fresh)
		w.s.Submit(&scheduler.Task{Priority: deadline.Idle, Cost: ms, Func: w.work("idle", ms)})
		var sum scheduler.Result
		for range 5 {
			r := w.frame(4 * ms)
			sum.Expired += r.Expired
			sum.Ran += r.Ran
		}
		// Idle work is not what overdue work makes way for.
		w.want(`
			slice |====    ====    ====    ====    ===
			old   |##      ##      ##      ####    ##
			fresh |  ##      ##      ##
			idle  |                                  #
			`)
		if sum.Expired != 12 || sum.Ran != 19 {
			t.Errorf("%d of %d runs were overdue, want 12 of 19", sum.Expired, sum.Ran)
		}
		if n := scheduler.Late(w.s); n != 0 {
			t.Errorf("%d tasks are still set aside", n)
		}
	})
}

func TestOverdueShareOption(t *testing.T) {
	for share, want := range map[float64]int{-1: 1, 0.25: 2, 0.75: 6, 1: 8} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			scheduler.SetShare(w.s, share)
			for range 20 {
				w.s.Submit(&scheduler.Task{Cost: ms, Delay: 1, Func: func() { time.Sleep(ms) }})
			}
			w.drain()
			time.Sleep(6 * time.Second)
			for range 20 {
				w.costs("fresh", deadline.UserBlocking, ms)
			}
			if r := w.s.RunUntil(deadline.In(8 * ms)); r.Expired != want || r.Ran != 8 {
				t.Errorf("share %v: %d of %d runs overdue, want %d of 8", share, r.Expired, r.Ran, want)
			}
		})
	}
}

// The bound of S11: with k tasks ahead of it by expiration, an overdue task starts within k+1 slices,
// whatever their budget and whatever else is submitted, and sooner if the slices have time.
func TestStarvationBound(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		for _, budget := range []time.Duration{0, 2 * ms, 8 * ms} {
			inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
				const k = 20
				for range k {
					w.s.Submit(&scheduler.Task{Cost: ms, Delay: 1, Func: func() { time.Sleep(ms) }})
				}
				started := false
				w.s.Submit(&scheduler.Task{Cost: 40 * ms, Delay: 1, Func: func() { started = true }})
				w.drain()
				time.Sleep(5*time.Second + 1)
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
				if policy == deadline.ByExpiration && budget > 0 {
					bound = k/int(budget/ms/2) + 1
				}
				if slices > bound {
					t.Errorf("%v, budget %v: started in slice %d, want %d", policy, budget, slices, bound)
				}
			})
		}
	}
}

// The share of overdue work is no limit for the continuations of what is in time.
func TestContinuationsInTimeDoNotDependOnTheOverdueShare(t *testing.T) {
	for _, share := range []float64{-1, 0.01, 0.5, 1} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			scheduler.SetShare(w.s, share)
			var l log
			w.s.Submit(&scheduler.Task{Step: l.steps(ms, "a1", "a2", "a3")})
			w.s.Submit(&scheduler.Task{Step: l.steps(ms, "b1", "b2", "b3")})
			w.frame(20 * ms)
			l.want(t, "a1 a2 a3 b1 b2 b3")
		})
	}
}

// A coroutine that is overdue when it starts and never ends leaves room to what expires after it, whatever
// the share.
func TestAnOverdueCoroutineDoesNotKeepTheShareToItself(t *testing.T) {
	for _, share := range []float64{-1, 0.1, 0.5, 1} {
		inWorld(t, scheduler.Options{}, func(w *world) {
			scheduler.SetShare(w.s, share)
			w.s.Submit(&scheduler.Task{Delay: 1, Co: func(co *scheduler.Co) {
				for {
					time.Sleep(200 * time.Microsecond)
					co.Yield()
				}
			}})
			const k = 5
			n := 0
			for range k {
				w.s.Submit(&scheduler.Task{Cost: ms, Delay: 1, Func: func() { n++; time.Sleep(ms) }})
			}
			w.drain()
			time.Sleep(6 * time.Second)
			var urgent func()
			urgent = func() { time.Sleep(ms); w.s.Post(deadline.UserBlocking, urgent) }
			w.s.Post(deadline.UserBlocking, urgent)
			for range k + 1 {
				w.frame(4 * ms)
			}
			if n != k {
				t.Errorf("share %v: %d of %d tasks behind it ran in %d slices", share, n, k, k+1)
			}
		})
	}
}

func TestShiftTakesBackWhatWasSetAside(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		for _, name := range []string{"a", "b", "c"} {
			w.s.Submit(&scheduler.Task{Cost: ms, Delay: 1, Func: func() { l.add(name)(); time.Sleep(ms) }})
		}
		w.drain()
		time.Sleep(6 * time.Second)
		w.s.Submit(&scheduler.Task{Cost: ms, Priority: deadline.UserBlocking, Func: func() { time.Sleep(ms) }})
		w.frame(2 * ms)
		if n := scheduler.Late(w.s); n != 2 {
			t.Fatalf("%d tasks are set aside, want 2", n)
		}
		w.s.Shift(6 * time.Second)
		w.s.Post(deadline.UserBlocking, l.add("user"))
		if r := w.drain(); r.Expired != 0 || scheduler.Late(w.s) != 0 {
			t.Errorf("%+v, %d set aside, want nothing overdue", r, scheduler.Late(w.s))
		}
		l.want(t, "a user b c")
	})
}

// Under ByPriority an overdue task of steps gets one step in each slice that more urgent work fills, and none if its
// timeout is never.
func TestOverdueStepsUnderByPriority(t *testing.T) {
	for timeout, want := range map[time.Duration]int{time.Second: 10, 1 << 61: 0} {
		s, now := virtual(t, scheduler.Options{Policy: deadline.ByPriority})
		steps := 0
		s.Submit(&scheduler.Task{Priority: deadline.Normal, Timeout: timeout, Step: func() bool {
			*now = now.Add(ms)
			steps++
			return true
		}})
		s.Submit(&scheduler.Task{Priority: deadline.UserBlocking, Timeout: 1 << 61, Step: func() bool {
			*now = now.Add(ms)
			return true
		}})
		s.RunUntil(deadline.At(0)) // reads both
		*now = now.Add(time.Minute)
		steps = 0
		for range 10 {
			s.RunUntil(deadline.At(now.Add(10 * ms)))
		}
		if steps != want {
			t.Errorf("timeout %v: %d steps in 10 slices, want %d", timeout, steps, want)
		}
	}
}

// What has a timeout of its own is overdue by that, wherever it is among its equals; and one that is never does not
// keep from its turn what is behind it.
func TestS11_OwnTimeoutsUnderByPriority(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		s, now := virtual(t, scheduler.Options{Policy: policy})
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
		s.WhenIdle(10*ms, func(scheduler.IdleTime) { note(2)() })
		for frame = 1; frame < 1000 && behind.State() != scheduler.Done; frame++ {
			for range 5 {
				s.Post(deadline.UserBlocking, work)
			}
			s.BeginFrame(*now)
			s.RunUntil(deadline.At(now.Add(4 * ms)))
			*now = now.Add(12 * ms)
		}
		if ran[0] < 300 || ran[0] > 400 || ran[1] > 3 || ran[2] > 3 {
			t.Errorf("%v: after 5 s, 10 ms and 10 ms, in the frames %d", policy, ran)
		}
	}
}
