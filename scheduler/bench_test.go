package scheduler_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/scheduler"
)

const benchTasks = 100_000

// perTask runs f, which handles n tasks, and reports the time for one of them.
func perTask(b *testing.B, n int, f func()) {
	b.Helper()
	b.ReportAllocs()
	f() // fills the arena
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(n), "ns/task")
}

func run(b *testing.B, s *scheduler.Scheduler, want int) {
	if r := s.RunUntil(deadline.Deadline{}); r.Ran != want {
		b.Fatalf("%+v, want %d runs", r, want)
	}
}

func nop() {}

func BenchmarkPostAndRun(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		o    scheduler.Options
	}{
		{"waiting=100k", benchTasks, scheduler.Options{}},
		{"waiting=100", 100, scheduler.Options{}},
		{"events", 100, scheduler.Options{OnEvent: func(scheduler.Event) {}}},
		{"times", 100, scheduler.Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := scheduler.New(c.o)
			defer s.Close()
			if c.name == "times" {
				bridge.Of(s).KeepTimes()
			}
			perTask(b, c.n, func() {
				for range c.n {
					s.Post(deadline.Normal, nop)
				}
				run(b, s, c.n)
			})
		})
	}
}

// BenchmarkWork is what each kind of work costs, per task, step, or switch.
func BenchmarkWork(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		pass func(b *testing.B, s *scheduler.Scheduler) func() // handles n
	}{
		{"Submit", 100, func(b *testing.B, s *scheduler.Scheduler) func() {
			tasks := make([]scheduler.Task, 100)
			for i := range tasks {
				tasks[i].Func = nop
			}
			return func() {
				for i := range tasks {
					s.Submit(&tasks[i])
				}
				run(b, s, len(tasks))
			}
		}},
		{"shuffled priorities", benchTasks, func(b *testing.B, s *scheduler.Scheduler) func() {
			prios := make([]deadline.Priority, benchTasks)
			for i := range prios {
				prios[i] = deadline.Priorities()[rand.IntN(deadline.NumPriorities)]
			}
			return func() {
				for _, p := range prios {
					s.Post(p, nop)
				}
				run(b, s, benchTasks)
			}
		}},
		{"Post and Cancel", benchTasks, func(b *testing.B, s *scheduler.Scheduler) func() {
			handles := make([]scheduler.Handle, benchTasks)
			return func() {
				for i := range handles {
					handles[i] = s.Post(deadline.Normal, nop)
				}
				for _, h := range handles {
					h.Cancel()
				}
				run(b, s, 0)
			}
		}},
		{"delayed, all due", benchTasks, func(b *testing.B, s *scheduler.Scheduler) func() {
			now := deadline.Instant(1)
			scheduler.SetClock(s, func() deadline.Instant { deadline.Now(); return now }) // real cost, virtual time
			tasks := make([]scheduler.Task, benchTasks)
			for i := range tasks {
				tasks[i] = scheduler.Task{Func: nop, Delay: time.Duration(1+rand.IntN(1000)) * time.Millisecond}
			}
			return func() {
				for i := range tasks {
					s.Submit(&tasks[i])
				}
				run(b, s, 0)
				now += 2e9
				run(b, s, benchTasks)
			}
		}},
		{"step", benchTasks, func(b *testing.B, s *scheduler.Scheduler) func() {
			n := 0
			task := &scheduler.Task{Step: func() bool { n++; return n%benchTasks != 0 }}
			return func() { s.Submit(task); run(b, s, benchTasks) }
		}},
		{"coroutine alone", benchTasks, func(b *testing.B, s *scheduler.Scheduler) func() { // no switch
			task := &scheduler.Task{Co: yields}
			return func() { s.Submit(task); run(b, s, benchTasks) }
		}},
		{"coroutines in turns", 2 * benchTasks, func(b *testing.B, s *scheduler.Scheduler) func() {
			now := deadline.Instant(1)
			// Each run takes a virtual millisecond, after which it is the other's turn. A reading of the clock costs
			// what it does.
			scheduler.SetClock(s, func() deadline.Instant { deadline.Now(); now += 1e6; return now })
			tasks := [2]scheduler.Task{{Co: yields, Cost: time.Millisecond}, {Co: yields, Cost: time.Millisecond}}
			return func() {
				for i := range tasks {
					s.Submit(&tasks[i])
				}
				run(b, s, 2*benchTasks)
			}
		}},
		{"coroutines in frames", 1000, func(b *testing.B, s *scheduler.Scheduler) func() {
			for range 1000 {
				s.Go(deadline.Normal, func(co *scheduler.Co) {
					for {
						co.NextFrame()
					}
				})
			}
			return func() { run(b, s, 1000) }
		}},
		{"Await", 1, func(b *testing.B, s *scheduler.Scheduler) func() {
			h := &handoff{}
			s.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					scheduler.Await[int](co, h)
				}
			})
			run(b, s, 1)
			return func() { h.f(); run(b, s, 1) }
		}},
		{"Once and Each", 200, func(b *testing.B, s *scheduler.Scheduler) func() {
			for range 100 {
				s.Each(scheduler.BeforeDraw, nop)
			}
			return func() {
				for range 100 {
					s.Once(scheduler.BeforeDraw, nop)
				}
				s.RunPhase(scheduler.BeforeDraw)
			}
		}},
		{"idle slice", 1, func(b *testing.B, s *scheduler.Scheduler) func() {
			return func() { s.RunUntil(deadline.In(time.Hour)) }
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			perTask(b, c.n, c.pass(b, s))
		})
	}
}

func yields(co *scheduler.Co) {
	for range benchTasks - 1 {
		co.Yield()
	}
}

// BenchmarkPause pauses and resumes a group with timers and coroutines, and with tasks that are ready.
func BenchmarkPause(b *testing.B) {
	for _, c := range []struct {
		name        string
		timers      int
		ready       int
		sliceWithin bool
	}{
		{"10 timers", 10, 0, false}, {"10k timers", 10_000, 0, false}, {"10k ready, no slice", 0, 10_000, false},
		{"10k ready", 0, 10_000, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			g := s.NewGroup("level")
			for range c.timers {
				s.Submit(&scheduler.Task{Group: g, Delay: time.Hour, Func: nop})
			}
			run(b, s, 0)
			for range c.ready {
				s.Submit(&scheduler.Task{Group: g, Func: nop})
			}
			b.ReportAllocs()
			for b.Loop() {
				g.Pause()
				if c.sliceWithin {
					run(b, s, 0)
				}
				g.Resume()
			}
			if c.sliceWithin {
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(c.ready), "ns/ready")
			}
		})
	}
}

func BenchmarkShouldYield(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	s.Post(deadline.Normal, func() {
		for b.Loop() {
			s.ShouldYield()
		}
	})
	s.RunUntil(deadline.Deadline{})
}

// BenchmarkPostContended is Post from all Ps while nobody drains.
func BenchmarkPostContended(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s.Post(deadline.Normal, nop)
		}
	})
}
