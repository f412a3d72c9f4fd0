package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

func TestAllocations(t *testing.T) {
	if scheduler.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	f := func() {}
	frame := func() {
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(time.Hour))
	}
	check := func(name string, want float64, g func()) {
		t.Helper()
		for range 100 {
			g()
		}
		if got := testing.AllocsPerRun(200, g); got > want {
			t.Errorf("%s: %v allocations, want at most %v", name, got, want)
		}
	}
	check("an idle frame", 0, frame)
	check("Post and RunUntil", 0, func() {
		for i := range 1000 {
			s.Post(deadline.Priority(i%5-2), f)
		}
		frame()
	})
	var tasks [100]scheduler.Task
	for i := range tasks {
		tasks[i].Func = f
	}
	check("Submit of one's own", 0, func() {
		for i := range tasks {
			s.Submit(&tasks[i])
		}
		frame()
	})
	check("Cancel and SetPriority", 0, func() {
		for i := range tasks {
			tasks[i].Delay = time.Hour
			s.Submit(&tasks[i])
			h := s.Post(deadline.Low, f)
			h.SetPriority(deadline.Idle)
			tasks[i].SetPriority(deadline.UserBlocking)
			if i%2 == 0 {
				frame()
			}
			tasks[i].Cancel()
			h.Cancel()
		}
		frame()
	})
	n := 0
	step := &scheduler.Task{Label: "step", Step: func() bool { n++; return n%100 != 0 }}
	check("steps", 0, func() { s.Submit(step); frame() })

	co := func(co *scheduler.Co) { co.Yield() }
	again := &scheduler.Task{Co: co}
	check("a coroutine task of one's own", 0, func() { s.Submit(again); frame() })
	check("Go", 1, func() { s.Go(deadline.Normal, co); frame() })

	body := map[string]func(co *scheduler.Co){
		"Yield":     func(co *scheduler.Co) { co.Yield() },
		"NextFrame": func(co *scheduler.Co) { co.NextFrame() },
		"Sleep":     func(co *scheduler.Co) { co.Sleep(1) },
		"AfterDraw": func(co *scheduler.Co) { co.AfterDraw() },
		"ShouldYield": func(co *scheduler.Co) {
			co.ShouldYield()
			co.Yield()
		},
	}
	for name, suspend := range body {
		co := s.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				suspend(co)
			}
		})
		s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame() })
		check(name, 0, func() {
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.In(20 * time.Microsecond))
		})
		co.Cancel()
		frame()
	}

	fu := &handoff{}
	co2 := s.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			scheduler.Await[int](co, fu)
		}
	})
	frame()
	check("Await", 0, func() { fu.f(); frame() })
	co2.Cancel()
	frame()

	waited := &scheduler.Task{Func: f}
	s.Submit(waited)
	waiter := s.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			co.Wait(waited)
			s.Submit(waited)
		}
	})
	check("Wait", 0, func() { s.RunUntil(deadline.In(20 * time.Microsecond)) })
	waiter.Cancel()
	frame()
	var st scheduler.Stats
	check("Stats and Next", 0, func() { st = s.Stats(); s.Next() })
	_ = st
}

// handoff is an Awaitable that allocates nothing and finishes when told, again and again.
type handoff struct{ f func() }

func (h *handoff) Notify(f func())      { h.f = f }
func (h *handoff) Result() (int, error) { return 0, nil }

func TestTheArenaIsUsedAgain(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	for range 50 {
		for range 300 {
			h := s.Post(deadline.Normal, func() {})
			if s.Post(deadline.Idle, never(t)).Cancel(); h.State() != scheduler.Queued {
				t.Error("not queued")
			}
		}
		s.RunUntil(deadline.Deadline{})
	}
	size, free := scheduler.ArenaSize(s)
	if size > 1024 || free != size {
		t.Errorf("%d items for 600 functions at a time, %d of them free after the end", size, free)
	}
}

func TestVerbsAllocateNothing(t *testing.T) {
	if scheduler.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	// The clock is the test's, so that the task with a period is due once in each frame however slow the machine is.
	now := deadline.Now()
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { return now }})
	defer s.Close()
	n := 0
	f := func() { n++ }
	phases := func() {
		now = now.Add(time.Millisecond)
		s.BeginFrame(now)
		s.RunPhase(scheduler.BeforeUpdate)
		s.RunPhase(scheduler.BeforeDraw)
		s.RunPhase(scheduler.AfterDraw)
		s.RunUntil(deadline.At(now.Add(time.Hour)))
	}
	micro := func() {
		for range 100 {
			s.Microtask(f)
		}
	}
	idle := &scheduler.Task{Idle: func(it scheduler.IdleTime) { it.Remaining(); n++ }}
	timed := &scheduler.Task{Idle: idle.Idle, Timeout: time.Hour}
	ticks := 0
	s.Submit(&scheduler.Task{Func: func() { ticks++ }, Period: time.Millisecond})
	for _, c := range []struct {
		name string
		ran  int // callbacks that run each time
		call func()
	}{
		{"no callbacks", 0, func() {}},
		{"Once", 300, func() {
			for i := range 300 {
				s.Once(scheduler.Phase(i%3), f)
			}
		}},
		{"Once and Cancel", 0, func() {
			for i := range 100 {
				s.Once(scheduler.Phase(i%3), f).Cancel()
			}
		}},
		{"Each and Cancel", 1, func() {
			h := s.Each(scheduler.BeforeDraw, f)
			phases()
			h.Cancel()
		}},
		{"Microtask", 100, func() { s.Post(deadline.Normal, micro) }},
		{"RequestDraw", 0, s.RequestDraw},
		{"idle of one's own", 2, func() { s.Submit(idle); s.Submit(timed) }},
	} {
		for range 100 {
			c.call()
			phases()
		}
		n, ticks = 0, 0
		if got := testing.AllocsPerRun(100, func() { c.call(); phases() }); got != 0 {
			t.Errorf("%s: %v allocations", c.name, got)
		}
		if want := c.ran * (100 + 1); n != want || ticks == 0 {
			t.Errorf("%s: %d callbacks ran, want %d; %d ticks", c.name, n, want, ticks)
		}
	}
}
