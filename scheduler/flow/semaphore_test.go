package flow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// Random programs of coroutines that hold a Semaphore over all kinds of waits, while others cancel them: at most Limit
// hold it, they get it in the order in which they asked, whoever is canceled gives its place up, and Close ends all.
func TestSemaphore(t *testing.T) {
	for seed := range uint64(100) {
		inBubble(t, scheduler.Options{}, func(s *scheduler.Scheduler) {
			rng := rand.New(rand.NewPCG(seed, 0))
			m := flow.Semaphore{Limit: int(seed % 4)}
			limit := max(m.Limit, 1)
			var tasks []*scheduler.Task
			doomed := map[*scheduler.Task]bool{} // canceled
			var queue []int                      // who has asked and neither got it nor was canceled
			holds, got := 0, 0
			for i := range 30 {
				prio := deadline.Priorities()[rng.IntN(deadline.NumPriorities-1)] // Idle work may never run
				wait, stay := rng.IntN(5), rng.IntN(5)
				tasks = append(tasks, s.Go(prio, func(co *scheduler.Co) {
					suspend(co, wait)
					queue = append(queue, i)
					m.Acquire(co)
					queue = slices.DeleteFunc(queue, func(k int) bool { return doomed[tasks[k]] && k != i })
					at := slices.Index(queue, i) // those before it have got it, and have yet to continue
					if at >= limit {
						t.Errorf("seed %d: %d overtook %v", seed, i, queue[:at])
					}
					queue = slices.Delete(queue, at, at+1)
					if holds++; holds > limit {
						t.Errorf("seed %d: %d hold it, more than %d", seed, holds, limit)
					}
					got++
					defer m.Release()
					defer func() { holds-- }()
					suspend(co, stay)
				}))
			}
			for range 10 {
				frame(s)
				if k := tasks[rng.IntN(len(tasks))]; rng.IntN(3) == 0 && k.Cancel() {
					doomed[k] = true
				}
			}
			if seed%2 == 0 {
				s.Close()
			}
			for range 200 {
				frame(s)
			}
			for _, k := range tasks {
				if err := k.Err(); err == nil && k.State() != scheduler.Done || err != nil && !doomed[k] && seed%2 > 0 {
					t.Errorf("seed %d: %v, %v", seed, k.State(), err)
				}
			}
			testkit.Panics(t, "flow: Release of a Semaphore that nobody holds", m.Release)
			if holds != 0 {
				t.Errorf("seed %d: %d hold it", seed, holds)
			}
			if got == 0 {
				t.Errorf("seed %d: nobody got it", seed)
			}
		})
	}
}

// suspend is one of the ways to suspend a coroutine, or none.
func suspend(co *scheduler.Co, how int) {
	switch how {
	case 0:
		co.NextFrame()
	case 1:
		co.Sleep(20 * time.Millisecond)
	case 2:
		time.Sleep(3 * ms)
		co.Yield()
	case 3:
		n := 0
		co.WaitUntil(func() bool { n++; return n == 4 })
	}
}

// A coroutine that was canceled unwinds in Acquire, also if the Semaphore is free. A Co of another coroutine panics.
func TestSemaphoreLooksAtItsCoroutine(t *testing.T) {
	var m flow.Semaphore
	text := ""
	s := scheduler.New(scheduler.Options{OnPanic: func(e *scheduler.PanicError) { text = fmt.Sprint(e.Value) }})
	defer s.Close()
	var own *scheduler.Task
	own = s.Go(deadline.Normal, func(co *scheduler.Co) {
		own.Cancel()
		m.Acquire(co)
		t.Error("a coroutine that was canceled continued")
	})
	var kept *scheduler.Co
	s.Go(deadline.Normal, func(co *scheduler.Co) { kept = co; co.NextFrame() })
	s.Go(deadline.Normal, func(*scheduler.Co) { m.Acquire(kept) })
	s.RunUntil(deadline.Deadline{})
	if text == "" {
		t.Error("the Co of another coroutine was taken")
	}
	if testkit.PanicOf(m.Release) == "" {
		t.Error("the Semaphore is held")
	}
}

func ExampleSemaphore() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var door flow.Semaphore
	for _, name := range []string{"the knight", "the cat"} {
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			door.Acquire(co)
			defer door.Release()
			fmt.Println(name, "is in the door")
			co.NextFrame()
			fmt.Println(name, "is through")
		})
	}
	for range 3 {
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(time.Second))
	}
	// Output:
	// the knight is in the door
	// the knight is through
	// the cat is in the door
	// the cat is through
}
