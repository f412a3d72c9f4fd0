package scheduler_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
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
	for _, n := range []int{benchTasks, 100} {
		b.Run(map[int]string{benchTasks: "waiting=100k", 100: "waiting=100"}[n], func(b *testing.B) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			perTask(b, n, func() {
				for range n {
					s.Post(deadline.Normal, nop)
				}
				run(b, s, n)
			})
		})
	}
}

func BenchmarkSubmitAndRun(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	tasks := make([]scheduler.Task, 100)
	for i := range tasks {
		tasks[i].Func = nop
	}
	perTask(b, len(tasks), func() {
		for i := range tasks {
			s.Submit(&tasks[i])
		}
		run(b, s, len(tasks))
	})
}

func BenchmarkFivePrioritiesShuffled(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	prios := make([]deadline.Priority, benchTasks)
	for i := range prios {
		prios[i] = deadline.Priority(rand.IntN(5) - 2)
	}
	perTask(b, benchTasks, func() {
		for _, p := range prios {
			s.Post(p, nop)
		}
		run(b, s, benchTasks)
	})
}

func BenchmarkPostAndCancel(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	handles := make([]scheduler.Handle, benchTasks)
	perTask(b, benchTasks, func() {
		for i := range handles {
			handles[i] = s.Post(deadline.Normal, nop)
		}
		for _, h := range handles {
			h.Cancel()
		}
		run(b, s, 0)
	})
}

func BenchmarkDelayedAllDue(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	now := deadline.Instant(1)
	scheduler.SetClock(s, func() deadline.Instant { deadline.Now(); return now }) // real cost, virtual time
	tasks := make([]scheduler.Task, benchTasks)
	for i := range tasks {
		tasks[i] = scheduler.Task{Func: nop, Delay: time.Duration(1+rand.IntN(1000)) * time.Millisecond}
	}
	perTask(b, benchTasks, func() {
		for i := range tasks {
			s.Submit(&tasks[i])
		}
		run(b, s, 0)
		now += 2e9
		run(b, s, benchTasks)
	})
}

func BenchmarkStepContinuation(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	n := 0
	task := &scheduler.Task{Step: func() bool { n++; return n%benchTasks != 0 }}
	perTask(b, benchTasks, func() {
		s.Submit(task)
		run(b, s, benchTasks)
	})
}

func BenchmarkCoroutineYield(b *testing.B) {
	yields := func(co *scheduler.Co) {
		for range benchTasks - 1 {
			co.Yield()
		}
	}
	b.Run("alone", func(b *testing.B) { // no switch
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		task := &scheduler.Task{Co: yields}
		perTask(b, benchTasks, func() {
			s.Submit(task)
			run(b, s, benchTasks)
		})
	})
	b.Run("in turns", func(b *testing.B) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		now := deadline.Instant(1)
		// Each run takes a virtual millisecond, after which it is the other's turn; reading the clock costs
		// what it does.
		scheduler.SetClock(s, func() deadline.Instant { deadline.Now(); now += 1e6; return now })
		tasks := [2]scheduler.Task{{Co: yields, Cost: time.Millisecond}, {Co: yields, Cost: time.Millisecond}}
		perTask(b, 2*benchTasks, func() {
			for i := range tasks {
				s.Submit(&tasks[i])
			}
			run(b, s, 2*benchTasks)
		})
	})
}

func BenchmarkGoToTheEnd(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	f := func(*scheduler.Co) {}
	perTask(b, 100, func() {
		for range 100 {
			s.Go(deadline.Normal, f)
		}
		run(b, s, 100)
	})
}

func BenchmarkAwait(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	h := &handoff{}
	co := s.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			scheduler.Await[int](co, h)
		}
	})
	s.RunUntil(deadline.Deadline{})
	perTask(b, 1, func() {
		h.f()
		run(b, s, 1)
	})
	co.Cancel()
}

func BenchmarkSlice(b *testing.B) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b.Run("idle", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.RunUntil(deadline.In(time.Hour))
		}
	})
	b.Run("one task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Post(deadline.Normal, nop)
			s.RunUntil(deadline.In(time.Hour))
		}
	})
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
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s.Post(deadline.Normal, nop)
		}
	})
	b.StopTimer()
	s.Close()
	runtime.KeepAlive(s)
}

// BenchmarkClock is what one reading of the clock takes here: each task pays for one.
func BenchmarkClock(b *testing.B) {
	for b.Loop() {
		deadline.Now()
	}
}

// BenchmarkCoroutineFrames is a thousand coroutines that are each resumed once in a slice.
func BenchmarkCoroutineFrames(b *testing.B) {
	const coroutines = 1000
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	for range coroutines {
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				co.NextFrame()
			}
		})
	}
	run(b, s, coroutines)
	perTask(b, coroutines, func() { run(b, s, coroutines) })
}

// What the verbs cost, per callback, with the frame around them spread over 100.
func BenchmarkVerbs(b *testing.B) {
	f := func() {}
	for _, c := range []struct {
		name string
		add  func(s *scheduler.Scheduler)
	}{
		{"Once", func(s *scheduler.Scheduler) { s.Once(scheduler.BeforeDraw, f) }},
		{"Microtask", func(s *scheduler.Scheduler) { s.Microtask(f) }},
		{"Post", func(s *scheduler.Scheduler) { s.Post(deadline.Normal, f) }},
		{"After", func(s *scheduler.Scheduler) { s.After(deadline.Normal, 1, f) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := scheduler.New(scheduler.Options{})
			defer s.Close()
			for i := 0; i < b.N; i++ {
				if c.add(s); i%100 == 99 {
					s.BeginFrame(deadline.Now())
					s.RunPhase(scheduler.BeforeDraw)
					s.RunUntil(deadline.Deadline{})
				}
			}
		})
	}
	b.Run("an empty RunPhase", func(b *testing.B) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		for b.Loop() {
			s.RunPhase(scheduler.BeforeDraw)
		}
	})
	b.Run("Each", func(b *testing.B) {
		s := scheduler.New(scheduler.Options{})
		defer s.Close()
		for range 100 {
			s.Each(scheduler.BeforeDraw, f)
		}
		for i := 0; i < b.N; i += 100 {
			s.RunPhase(scheduler.BeforeDraw)
		}
	})
}
