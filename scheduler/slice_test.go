package scheduler_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// costs is a task that takes as long as it says.
func (w *world) costs(name string, p deadline.Priority, d time.Duration) *scheduler.Task {
	t := &scheduler.Task{Label: name, Priority: p, Cost: d, Func: w.work(name, d)}
	w.s.Submit(t)
	return t
}

func TestASliceEndsAtItsDeadline(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for range 7 {
			w.costs("a", deadline.Normal, ms)
		}
		for i, want := range []int{3, 3, 1, 0} {
			r := w.frame(3 * ms)
			if r.Ran != want || r.Used != time.Duration(want)*ms || r.Ready != max(7-3*(i+1), 0) {
				t.Errorf("frame %d: %+v, want %d runs", i, r, want)
			}
		}
		w.want(`
			slice |===     ===     =
			a     |###     ###     #
			`)
	})
}

func TestEveryZeroSliceRunsOneTaskAnOverdueOneFirst(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			var l log
			w.s.Submit(&scheduler.Task{Func: l.add("old"), Delay: ms, Priority: deadline.Low})
			w.drain()
			time.Sleep(11 * time.Second)
			for range 3 {
				w.s.Post(deadline.UserBlocking, l.add("fresh"))
			}
			for _, d := range []time.Duration{0, -time.Hour, 0, 0} {
				if r := w.s.RunUntil(deadline.In(d)); r.Ran != 1 {
					t.Errorf("%+v with a budget of %v, want 1 run", r, d)
				}
			}
			l.want(t, "old fresh fresh fresh")
		})
	}
}

func TestExtremeBudgets(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for _, d := range []deadline.Deadline{
			deadline.At(-1 << 63), deadline.At(0), deadline.At(deadline.Never - 1), deadline.In(time.Hour),
			{},
		} {
			if r := w.s.RunUntil(d); r.Ran != 0 || r.Used != 0 {
				t.Errorf("%+v with nothing to do", r)
			}
			n := 0
			for range 5 {
				w.s.Post(deadline.Normal, func() { n++ })
			}
			for n < 5 {
				if w.s.RunUntil(d).Ran == 0 {
					t.Fatal("no progress")
				}
			}
		}
	})
}

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
		inWorld(t, scheduler.Options{OverdueShare: share}, func(w *world) {
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

// A coroutine that is overdue when it starts and never ends leaves room to what expires after it, whatever
// the share.
func TestAnOverdueCoroutineDoesNotKeepTheShareToItself(t *testing.T) {
	for _, share := range []float64{-1, 0.1, 0.5, 1} {
		inWorld(t, scheduler.Options{OverdueShare: share}, func(w *world) {
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

func TestATaskStartsOnlyIfItFits(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		w.costs("small", deadline.UserBlocking, 2*ms)
		w.costs("big", deadline.Normal, 3*ms)
		w.costs("tiny", deadline.Low, ms)
		r := w.frame(4 * ms)
		if r.Deferred != 1 || r.Ready != 1 || r.Worst != (scheduler.Offender{Label: "small", Cost: 2 * ms}) {
			t.Errorf("%+v, want 1 deferred and ready", r)
		}
		w.frame(4 * ms)
		w.want(`
			slice |===     ===
			small |##
			big   |        ###
			tiny  |  #
			`)
	})
}

// The short straw: a task that needs most of the slice is never first, so it would never fit.
func TestATaskThatNeverFitsRunsFirstAfterThreeFrames(t *testing.T) {
	for patience, want := range map[int]int{0: 3, 1: 1, 5: 5, -1: 1} {
		inWorld(t, scheduler.Options{Patience: patience}, func(w *world) {
			ran := -1
			w.s.Submit(&scheduler.Task{Label: "big", Priority: deadline.Idle, Cost: 6 * ms, Func: func() {
				time.Sleep(6 * ms)
				ran = 1
			}})
			frame := 0
			for ; frame < 20; frame++ {
				for range 2 {
					w.costs("small", deadline.Normal, ms)
				}
				r := w.frame(4 * ms)
				if ran == 1 {
					if r.TooBig != 1 || r.Worst != (scheduler.Offender{Label: "big", Cost: 6 * ms}) {
						t.Errorf("%+v, want it reported as too big", r)
					}
					break
				}
				if r.TooBig != 0 || r.Deferred != 1 {
					t.Errorf("frame %d: %+v, want 1 deferred", frame, r)
				}
			}
			if frame != want {
				t.Errorf("patience %d: ran in frame %d, want %d", patience, frame, want)
			}
			if o := w.s.Stats().Offender; o != (scheduler.Offender{Label: "big", Cost: 6 * ms}) {
				t.Errorf("offender = %+v", o)
			}
		})
	}
}

func TestPatienceIsPerFrameNotPerSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		ran := false
		w.s.Submit(&scheduler.Task{Priority: deadline.Low, Cost: 6 * ms, Func: func() { ran = true }})
		for range 3 {
			w.s.BeginFrame(deadline.Now())
			for range 4 {
				w.s.Post(deadline.Normal, func() {})
				w.s.RunUntil(deadline.In(4 * ms))
			}
		}
		if ran {
			t.Error("it ran before three frames had passed")
		}
		w.s.BeginFrame(deadline.Now())
		w.s.RunUntil(deadline.In(4 * ms))
		if !ran {
			t.Error("it did not run in the fourth frame")
		}
	})
}

func TestAnOverdueTaskThatDoesNotFitRunsFirstInAFreshSlice(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for range 2 {
			w.s.Submit(&scheduler.Task{Label: "big", Delay: 1, Cost: 20 * ms, Func: w.work("big", 20*ms)})
		}
		w.drain()
		time.Sleep(6 * time.Second)
		for range 3 {
			r := w.frame(4 * ms)
			if r.Ran != min(1, r.TooBig) || r.Expired != r.Ran {
				t.Errorf("%+v, want one overdue task in each slice", r)
			}
		}
		if st := w.s.Stats(); st.TooBig != 2 || st.Ran != 2 {
			t.Errorf("%+v, want 2 too big", st)
		}
	})
}

func TestCostsAreLearned(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		big := func() { time.Sleep(3 * ms) }
		small := func() { time.Sleep(500 * time.Microsecond) }
		for range 4 { // optimistic at first
			w.s.Post(deadline.Normal, big)
			w.s.Post(deadline.Normal, small)
			w.drain()
		}
		if n := scheduler.Kinds(w.s); n != 2 {
			t.Fatalf("%d kinds, want 2", n)
		}
		w.s.Post(deadline.UserBlocking, small)
		w.s.Post(deadline.Normal, big)
		w.s.Post(deadline.Low, small)
		r := w.s.RunUntil(deadline.In(3 * ms))
		if r.Ran != 2 || r.Deferred != 1 || r.Used != ms {
			t.Errorf("%+v, want the two small ones", r)
		}
		// An outlier is not the kind's fault.
		w.s.Submit(&scheduler.Task{Label: "k", Func: func() { time.Sleep(time.Second) }})
		w.drain()
		for range 40 {
			w.s.Submit(&scheduler.Task{Label: "k", Func: func() { time.Sleep(100 * time.Microsecond) }})
		}
		w.drain()
		w.s.Submit(&scheduler.Task{Label: "k", Func: func() {}})
		if r := w.s.RunUntil(deadline.In(ms)); r.Ran != 1 || r.Deferred != 0 {
			t.Errorf("%+v: one outlier bans the kind", r)
		}
	})
}

func TestKindsAreBounded(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		for i := range 3 * scheduler.KindLimit {
			w.s.Submit(&scheduler.Task{Label: fmt.Sprint("texture ", i), Func: func() { time.Sleep(ms) }})
		}
		w.drain()
		if n := scheduler.Kinds(w.s); n == 0 || n > scheduler.KindLimit {
			t.Errorf("%d kinds, want some, and at most %d", n, scheduler.KindLimit)
		}
	})
}

// A coroutine that does nothing but yield, and a step function that never ends, leave half of each slice to
// their peers.
func TestContinuationsDoNotStarvePeers(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		for _, kind := range []string{"step", "co"} {
			inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
				task := &scheduler.Task{Cost: ms}
				w.row("greedy")
				if kind == "co" {
					task.Co = func(co *scheduler.Co) {
						for {
							w.spend(w.row("greedy"), ms)
							co.Yield()
						}
					}
				} else {
					task.Step = func() bool { w.spend(w.row("greedy"), ms); return true }
				}
				w.s.Submit(task)
				for range 3 {
					w.s.Submit(&scheduler.Task{Cost: ms, Func: w.work("peer", ms)})
				}
				for range 3 {
					w.frame(4 * ms)
				}
				w.want(`
					slice |====    ====    ====
					greedy|##       ###    ####
					peer  |  ##    #
					`)
			})
		}
	}
}

func TestContinuationsWithoutADeadlineDoNotStarvePeersEither(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		n, stop := 0, false
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for !stop {
				n++
				co.Yield() // takes no time: only the count bounds it
			}
		})
		w.s.Post(deadline.Normal, func() { stop = true })
		w.drain()
		if n != scheduler.ContSteps {
			t.Errorf("%d steps ahead of the peer, want %d", n, scheduler.ContSteps)
		}
	})
}

// fakeClock drives a scheduler outside a bubble.
type fakeClock struct{ now deadline.Instant }

func (c *fakeClock) read() deadline.Instant { return c.now }

func TestOddClocks(t *testing.T) {
	for name, tick := range map[string]func(c *fakeClock, i int){
		"flat":      func(c *fakeClock, i int) {},
		"backward":  func(c *fakeClock, i int) { c.now -= 1000 },
		"saw":       func(c *fakeClock, i int) { c.now += deadline.Instant(i%7*1000) - 3000 },
		"jumps":     func(c *fakeClock, i int) { c.now += deadline.Instant(i%100/99) * 1e15 },
		"way back":  func(c *fakeClock, i int) { c.now -= deadline.Instant(i%100/99) * 1e15 },
		"coarse":    func(c *fakeClock, i int) { c.now += deadline.Instant(i%500/499) * 15_600_000 },
		"to Never-": func(c *fakeClock, i int) { c.now += (deadline.Never - 1 - c.now) / 1000 },
	} {
		c := &fakeClock{now: 1e9}
		s := scheduler.New(scheduler.Options{})
		scheduler.SetClock(s, c.read)
		var l []int
		ran := 0
		var again func()
		again = func() { ran++; tick(c, ran); s.Post(deadline.Normal, again) }
		s.Post(deadline.Normal, again)
		for i := range 2000 {
			s.Post(deadline.Normal, func() { tick(c, i); l = append(l, i) })
		}
		slices := 0
		for ; len(l) < 2000 && slices < 5000; slices++ {
			s.BeginFrame(c.now)
			r := s.RunUntil(deadline.At(c.now.Add(ms)))
			if r.Ran == 0 {
				t.Fatalf("%s: no progress: %+v", name, r)
			}
			if r.Ran > scheduler.FlatLimit+2000 {
				t.Fatalf("%s: %d runs in a slice", name, r.Ran)
			}
		}
		for i, n := range l {
			if i != n {
				t.Fatalf("%s: order is broken at %d: %d", name, i, n)
			}
		}
		if len(l) != 2000 {
			t.Errorf("%s: %d of 2000 ran in %d slices", name, len(l), slices)
		}
		s.Close()
	}
}

func TestAnEndlessResubmitterDoesNotHoldAFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var task scheduler.Task
		n := 0
		task.Func = func() { n++; time.Sleep(100 * time.Microsecond); w.s.Submit(&task) }
		w.s.Submit(&task)
		if r := w.frame(2 * ms); r.Used > 2*ms+100*time.Microsecond || n < 15 {
			t.Errorf("%+v", r)
		}
	})
}

func TestNextFrameIsOneFrame(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		frames := 0
		w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				frames++
				co.NextFrame()
			}
		})
		for range 5 {
			w.s.RunUntil(deadline.In(ms)) // a host without BeginFrame: each slice is a frame
		}
		if frames != 5 {
			t.Errorf("%d frames of 5", frames)
		}
		frames = 0
		for range 5 {
			w.s.BeginFrame(deadline.Now())
			w.s.RunUntil(deadline.In(ms))
			w.s.RunUntil(deadline.In(ms))
		}
		if frames != 5 {
			t.Errorf("%d frames of 5, with two slices each", frames)
		}
		if at, ok := w.s.Next(); !ok || at != deadline.Now() {
			t.Error("Next is not now while somebody waits for the next frame")
		}
	})
}
