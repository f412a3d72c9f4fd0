package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// The canon of event loops: microtasks before tasks, timers in their order, nothing starves.

func TestLoopMicrotasksRunBeforeTheNextTask(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, func() {
			l.say("task1")
			w.s.Post(deadline.Immediate, l.add("task2"))
			w.s.Microtask(func() {
				l.say("micro1")
				w.s.Microtask(l.add("micro3")) // before any task, behind those that wait
			})
			w.s.Microtask(l.add("micro2"))
			l.say("end")
		})
		w.drain()
		l.want(t, "task1 end micro1 micro2 micro3 task2")
	})
}

// After each step of a task, each stretch of a coroutine, each callback, and at the end of a slice.
func TestLoopMicrotasksRunAfterEverything(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		micro := func(word string) {
			l.say("%s", word)
			w.s.Microtask(l.add("micro"))
		}
		steps := 0
		w.s.Submit(&scheduler.Task{Step: func() bool { micro("step"); steps++; return steps < 2 }})
		w.s.Go(deadline.Low, func(co *scheduler.Co) {
			micro("co1")
			co.Yield()
			micro("co2")
		})
		w.drain()
		l.want(t, "step micro step micro co1 micro co2 micro")
		w.s.WhenIdle(0, func(scheduler.IdleTime) { micro("idle1") })
		w.s.WhenIdle(0, func(scheduler.IdleTime) { micro("idle2") })
		w.s.RunUntil(deadline.In(4 * ms))
		l.want(t, "idle1 micro idle2 micro")
		w.s.Post(deadline.Normal, func() {
			time.Sleep(5 * ms)
			micro("late")
		})
		w.s.RunUntil(deadline.In(4 * ms)) // its time is over
		l.want(t, "late micro")
	})
}

func TestLoopAMicrotaskThatAddsItselfDoesNotStopTheFrame(t *testing.T) {
	inWorld(t, scheduler.Options{MicrotaskLimit: 100}, func(w *world) {
		n, ran := 0, false
		var again func()
		again = func() {
			n++
			w.s.Microtask(again)
		}
		w.s.Microtask(again)
		w.s.Post(deadline.Normal, func() { ran = true })
		r := w.frame(4 * ms)
		eq(t, "microtasks", n, 100)
		eq(t, "Result.Held", r.Held, true)
		eq(t, "the task ran", ran, true)
		w.frame(4 * ms)
		eq(t, "microtasks in two frames", n, 200)
	})
}

func TestLoopMicrotaskAfterAPanic(t *testing.T) {
	inWorld(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}, func(w *world) {
		var l log
		w.s.Post(deadline.Normal, func() {
			w.s.Microtask(func() { l.say("micro1"); panic("oops") })
			w.s.Microtask(l.add("micro2"))
			panic("oops")
		})
		w.s.Post(deadline.Normal, l.add("task"))
		w.drain()
		l.want(t, "micro1 micro2 task")
	})
}

func TestLoopTimersFireInTheOrderOfTheirTimes(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.submit(deadline.Normal, 2*ms, l.add("2a"))
		w.submit(deadline.Normal, ms, l.add("1"))
		w.submit(deadline.Normal, 2*ms, l.add("2b"))
		w.submit(deadline.Normal, 0, l.add("0"))
		w.submit(deadline.Normal, -ms, l.add("negative"))
		w.drain()
		time.Sleep(10 * ms) // all are due when the loop looks again
		w.drain()
		l.want(t, "0 negative 1 2a 2b")
	})
}

// A timer that starts another with the delay zero does not run it before those that were due already.
func TestLoopNestedTimersDoNotOvertake(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		var l log
		w.submit(deadline.Normal, ms, func() {
			l.say("a")
			w.submit(deadline.Normal, 0, l.add("nested"))
		})
		w.submit(deadline.Normal, 2*ms, l.add("b"))
		w.drain()
		time.Sleep(5 * ms)
		w.drain()
		l.want(t, "a b nested")
	})
}

// The bound of S11: with k overdue tasks ahead, a task starts in slice k+1 at the latest, without any time
// and whatever is posted meanwhile.
func TestLoopStarvationBound(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		for _, p := range []deadline.Priority{deadline.UserBlocking, deadline.Normal, deadline.Low} {
			inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
				const k = 5
				for range k {
					w.s.Post(p, func() { time.Sleep(ms) })
				}
				ran := false
				w.s.Post(p, func() { ran = true })
				w.s.RunPhase(scheduler.BeforeDraw)
				time.Sleep(11 * time.Second)
				slices := 0
				for ; !ran && slices < 100; slices++ {
					for range 10 {
						w.s.Post(deadline.Immediate, func() { time.Sleep(ms) })
						w.s.Post(deadline.UserBlocking, func() { time.Sleep(ms) })
					}
					w.turn()
				}
				if slices > k+1 {
					t.Errorf("%v, %v: it ran in slice %d, want at most %d", policy, p, slices, k+1)
				}
			})
		}
	}
}

// A flood of due timers is not in the way of something urgent, and does not hold the frame.
func TestLoopAFloodOfTimers(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		const n = 20_000
		ran := 0
		for i := range n {
			w.submit(deadline.Normal, time.Duration(i%100+1)*ms, func() { ran++; time.Sleep(time.Microsecond) })
		}
		w.drain()
		time.Sleep(time.Second)
		var waited time.Duration
		posted := time.Now()
		w.s.Post(deadline.Immediate, func() { waited = time.Since(posted) })
		r := w.s.RunUntil(deadline.In(5 * ms))
		if waited > 10*time.Microsecond || r.Used > 5*ms+10*time.Microsecond {
			t.Errorf("the urgent one waited %v, the slice took %v", waited, r.Used)
		}
		for range 10 {
			w.s.RunUntil(deadline.In(5 * ms))
		}
		eq(t, "timers run", ran, n)
	})
}

// Two producers: each one's order is kept, whatever the order between them.
func TestLoopEachProducersOrderIsKept(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	const producers, each = 4, 1000
	got := make([][]int, producers)
	done := make(chan bool, producers)
	for p := range producers {
		go func() {
			for i := range each {
				s.Post(deadline.Normal, func() { got[p] = append(got[p], i) })
			}
			done <- true
		}()
	}
	for range producers {
		<-done
	}
	s.RunUntil(deadline.Deadline{})
	for p := range got {
		for i, v := range got[p] {
			if i != v {
				t.Fatalf("producer %d: item %d came as number %d", p, v, i)
			}
		}
		eq(t, "items", len(got[p]), each)
	}
}
