package scheduler_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// handoff is an Awaitable that allocates nothing and finishes when told, again and again.
type handoff struct{ f func() }

func (h *handoff) Notify(f func())      { h.f = f }
func (h *handoff) Result() (int, error) { return 0, nil }

// allocBed is a scheduler with a clock of the test's, so that a task with a period is due once in each frame.
type allocBed struct {
	s   *scheduler.Scheduler
	now deadline.Instant
	ran int
	f   func() // counts its runs
}

func (b *allocBed) frame() {
	b.now = b.now.Add(time.Millisecond)
	b.s.BeginFrame(b.now)
	for _, p := range scheduler.Phases() {
		b.s.RunPhase(p)
	}
	b.s.RunUntil(deadline.At(b.now.Add(time.Hour)))
}

// forever starts a coroutine that does the same again and again.
func (b *allocBed) forever(f func(co *scheduler.Co)) func() {
	b.s.Go(deadline.Normal, func(co *scheduler.Co) {
		for {
			f(co)
			b.ran++
		}
	})
	return func() {}
}

// allocVerbs is one call of each verb: what is made before it, the call, and the runs that it brings about.
var allocVerbs = map[string]func(b *allocBed) (call func(), ran int){
	"nothing": func(b *allocBed) (func(), int) { return func() {}, 0 },
	"Post": func(b *allocBed) (func(), int) {
		all := deadline.Priorities()
		return func() {
			for i := range 1000 {
				b.s.Post(all[i%len(all)], b.f)
			}
		}, 1000
	},
	"Submit": func(b *allocBed) (func(), int) {
		tasks := make([]scheduler.Task, 100)
		return func() {
			for i := range tasks {
				tasks[i].Func = b.f
				b.s.Submit(&tasks[i])
			}
		}, 100
	},
	"Cancel and SetPriority": func(b *allocBed) (func(), int) {
		t := &scheduler.Task{Func: b.f, Delay: time.Hour}
		return func() {
			for i := range 4 {
				b.s.Submit(t)
				h := b.s.Post(deadline.Low, b.f)
				h.SetPriority(deadline.Idle)
				t.SetPriority(deadline.UserBlocking)
				if i%2 == 0 {
					b.s.RunPhase(scheduler.BeforeDraw) // reads of them
				}
				t.Cancel()
				h.Cancel()
			}
		}, 0
	},
	"Step": func(b *allocBed) (func(), int) {
		step := &scheduler.Task{Label: "step", Step: func() bool { b.ran++; return b.ran%100 != 0 }}
		return func() { b.s.Submit(step) }, 100
	},
	"Co": func(b *allocBed) (func(), int) {
		co := &scheduler.Task{Co: func(co *scheduler.Co) { co.ShouldYield(); co.Yield(); b.ran++ }}
		return func() { b.s.Submit(co) }, 1
	},
	"NextFrame": func(b *allocBed) (func(), int) { return b.forever((*scheduler.Co).NextFrame), 1 },
	"AfterDraw": func(b *allocBed) (func(), int) { return b.forever((*scheduler.Co).AfterDraw), 1 },
	"Sleep":     func(b *allocBed) (func(), int) { return b.forever(func(co *scheduler.Co) { co.Sleep(1) }), 1 },
	"Await": func(b *allocBed) (func(), int) {
		h := &handoff{}
		b.forever(func(co *scheduler.Co) { scheduler.Await(co, h) })
		b.frame()
		return func() { h.f() }, 1
	},
	"WaitUntil": func(b *allocBed) (func(), int) {
		looked := 0
		odd := func() bool { looked++; return looked%2 == 0 }
		return b.forever(func(co *scheduler.Co) { co.WaitUntil(odd) }), 1
	},
	"Semaphore": func(b *allocBed) (func(), int) {
		m := &flow.Semaphore{Limit: 2}
		for range 5 {
			b.forever(func(co *scheduler.Co) {
				m.Acquire(co)
				defer m.Release()
				co.NextFrame()
			})
		}
		return func() {}, 2
	},
	"AwaitTimeout": func(b *allocBed) (func(), int) {
		h := &handoff{}
		b.forever(func(co *scheduler.Co) { scheduler.AwaitTimeout(co, h, time.Hour) })
		b.frame()
		return func() { h.f() }, 1
	},
	"Wait": func(b *allocBed) (func(), int) {
		waited := &scheduler.Task{Func: b.f}
		b.forever(func(co *scheduler.Co) { co.Wait(waited); co.NextFrame(); b.ran-- })
		return func() { b.s.Submit(waited) }, 1
	},
	"Once": func(b *allocBed) (func(), int) {
		return func() {
			for i := range 300 {
				b.s.Once(scheduler.Phase(i%scheduler.NumPhases), b.f)
				b.s.Once(scheduler.Phase(i%scheduler.NumPhases), b.f).Cancel()
			}
		}, 300
	},
	"Each": func(b *allocBed) (func(), int) {
		return func() {
			h := b.s.Each(scheduler.BeforeDraw, b.f)
			b.s.RunPhase(scheduler.BeforeDraw)
			h.Cancel()
		}, 1
	},
	"Microtask": func(b *allocBed) (func(), int) {
		micro := func() { b.s.Microtask(b.f) }
		return func() { b.s.Post(deadline.Normal, micro) }, 1
	},
	"RequestDraw": func(b *allocBed) (func(), int) { return b.s.RequestDraw, 0 },
	"Idle": func(b *allocBed) (func(), int) {
		idle := &scheduler.Task{Idle: func(deadline.Deadline, bool) { b.s.ShouldYield(); b.ran++ }}
		timed := &scheduler.Task{Idle: idle.Idle, Timeout: time.Hour}
		return func() { b.s.Submit(idle); b.s.Submit(timed) }, 2
	},
	"Period": func(b *allocBed) (func(), int) {
		b.s.Submit(&scheduler.Task{Func: b.f, Period: time.Millisecond})
		return func() {}, 1
	},
	"Pause": func(b *allocBed) (func(), int) {
		g := b.s.NewGroup("outer").NewGroup("g")
		for range 10 {
			b.s.Submit(&scheduler.Task{Func: b.f, Period: time.Millisecond, Group: g})
			b.s.Submit(&scheduler.Task{Func: func() {}, Delay: time.Hour, Group: g})
			b.s.Submit(&scheduler.Task{Group: g, Co: func(co *scheduler.Co) {
				for {
					co.NextFrame()
					b.ran++
				}
			}})
		}
		return func() {
			g.Pause()
			b.s.BeginFrame(b.now)
			b.s.RunUntil(deadline.At(b.now.Add(time.Hour)))
			g.Now()
			g.Resume()
		}, 20
	},
	"SetSpeed": func(b *allocBed) (func(), int) {
		g := b.s.NewGroup("g")
		b.s.Submit(&scheduler.Task{Func: b.f, Period: time.Millisecond, Group: g})
		speed := 0.0
		return func() {
			g.SetSpeed(1 + speed)
			speed = 1 - speed
		}, 1
	},
	"Stats, Next and ReadTimes": func(b *allocBed) (func(), int) {
		times := new(scheduler.Times)
		return func() {
			b.s.Stats()
			b.s.Next()
			b.s.ReadTimes(times)
			times.Wait[0].Percentile(99)
		}, 0
	},
}

func TestVerbsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	events := 0
	for _, o := range []scheduler.Options{
		{}, {OnEvent: func(scheduler.Event) { events++ }},
	} {
		for name, verb := range allocVerbs {
			b := &allocBed{now: 1}
			o.Clock = func() deadline.Instant { return b.now }
			b.s = scheduler.New(o)
			if o.OnEvent != nil {
				bridge.Of(b.s).KeepTimes()
			}
			b.f = func() { b.ran++ }
			call, want := verb(b)
			frames := 0
			frame := func() { frames++; call(); b.frame() }
			for range 100 {
				frame()
			}
			b.ran, frames = 0, 0
			t.Run(name, func(t *testing.T) { testkit.NoAllocs(t, frame) })
			if b.ran != want*frames {
				t.Errorf("%s: %d runs, want %d", name, b.ran, want*frames)
			}
			b.s.Close()
		}
	}
	if events == 0 {
		t.Error("no events")
	}
}

// The table of memberships of posted functions grows with what waits, not one by one.
func TestMembershipsOfPostsGrowAtOnce(t *testing.T) {
	s, _ := virtual(t, scheduler.Options{})
	g := s.NewGroup("g")
	const n = 50_000
	for range n {
		s.Post(deadline.Normal, nop)
	}
	g.Post(deadline.Normal, nop) // the last place of all
	warm := true
	allocs := testing.AllocsPerRun(1, func() {
		if warm { // the first call, which does not count
			warm = false
			return
		}
		s.RunUntil(deadline.Deadline{})
	})
	if allocs > 30 { // it is 17, and 42 one by one
		t.Errorf("%v allocations", allocs)
	}
}
