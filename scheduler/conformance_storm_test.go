package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A great many of each thing: all of them run, once each, or none that was cancelled.

func TestStormOfEachKind(t *testing.T) {
	n := 1_000_000
	if testing.Short() || scheduler.RaceEnabled {
		n = 20_000
	}
	ran := 0
	f := func() { ran++ }
	for name, do := range map[string]func(s *scheduler.Scheduler) (want int){
		"Post": func(s *scheduler.Scheduler) int {
			for i := range n {
				s.Post(deadline.Priorities()[i%5], f)
			}
			return n
		},
		"Cancel every other": func(s *scheduler.Scheduler) int {
			for i := range n {
				if h := s.Post(deadline.Normal, f); i%2 == 0 {
					h.Cancel()
				}
			}
			return n / 2
		},
		"Submit with a delay": func(s *scheduler.Scheduler) int {
			tasks := make([]scheduler.Task, n/10)
			for i := range tasks {
				tasks[i].Func, tasks[i].Delay = f, 1
				s.Submit(&tasks[i])
			}
			return len(tasks)
		},
		"Microtask": func(s *scheduler.Scheduler) int {
			for range n / 10 {
				s.Microtask(f)
			}
			return n / 10
		},
		"Once": func(s *scheduler.Scheduler) int {
			for range n {
				s.Once(scheduler.AfterDraw, f)
			}
			return n
		},
		"WhenIdle": func(s *scheduler.Scheduler) int {
			for range n / 10 {
				s.WhenIdle(0, func(scheduler.IdleTime) { ran++ })
			}
			return n / 10
		},
		"Go": func(s *scheduler.Scheduler) int {
			for range n / 100 {
				s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); ran++ })
			}
			return n / 100
		},
		"SetPriority": func(s *scheduler.Scheduler) int {
			h := s.Post(deadline.Normal, f)
			for i := range n {
				h.SetPriority(deadline.Priorities()[i%5])
			}
			return 1
		},
		"groups": func(s *scheduler.Scheduler) int {
			for i := range n / 100 {
				g := s.NewGroup("g")
				g.Post(deadline.Normal, f)
				g.Post(deadline.Low, f)
				g.SetPriority(deadline.Priorities()[i%5])
				if i%2 == 0 {
					g.Cancel()
				}
			}
			return n / 100
		},
	} {
		s := scheduler.New(scheduler.Options{MicrotaskLimit: 1 << 30})
		ran = 0
		want := do(s)
		for i := 0; i < 10_000 && ran < want; i++ {
			s.BeginFrame(deadline.Now())
			if s.RunUntil(deadline.In(50*ms)).Ran == 0 {
				time.Sleep(ms) // a coarse clock may show the time of the submission for as long as 16 ms
			}
		}
		s.RunUntil(deadline.In(0))
		eq(t, name, ran, want)
		st := s.Stats()
		if st.Failed != 0 || st.Ready != [deadline.NumPriorities]int{} || st.Delayed != [deadline.NumPriorities]int{} {
			t.Errorf("%s: something is left: %+v", name, st)
		}
		s.Close()
	}
}

// Cancel, SetPriority and Submit of the same tasks from within tasks, in all orders: each submission ends once.
func TestStormOfChangesFromWithin(t *testing.T) {
	for _, policy := range []deadline.Policy{deadline.ByExpiration, deadline.ByPriority} {
		inWorld(t, scheduler.Options{Policy: policy}, func(w *world) {
			const k = 50
			var tasks [k]scheduler.Task
			submitted, ran, cancelled, turn := 0, 0, 0, 0
			act := func() {
				ran++
				for range 4 {
					turn++
					other := &tasks[turn*7919%k]
					switch st := other.State(); {
					case turn > 20_000:
						return
					case turn%3 == 0 && other.Cancel():
						cancelled++
					case turn%3 == 1:
						other.SetPriority(deadline.Priorities()[turn%5])
					case st == scheduler.Done || st == scheduler.Canceled:
						other.Delay = time.Duration(turn%3) * ms
						w.s.Submit(other)
						submitted++
					}
				}
				time.Sleep(ms / 10)
			}
			for i := range tasks {
				tasks[i].Func = act
				w.s.Submit(&tasks[i])
				submitted++
			}
			for range 20_000 {
				w.frame(2 * ms)
				if _, ok := w.s.Next(); !ok {
					break
				}
			}
			eq(t, "runs and cancellations", ran+cancelled, submitted)
			for i := range tasks {
				if st := tasks[i].State(); st != scheduler.Done && st != scheduler.Canceled {
					t.Fatalf("task %d is %v", i, st)
				}
			}
		})
	}
}
