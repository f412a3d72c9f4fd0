package scheduler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// zoo is a scheduler with every kind of work in every state, which does what it is told at random.
type zoo struct {
	rng         *rand.Rand
	left        int // choices; then all are 0, and what runs comes to an end
	s           *scheduler.Scheduler
	now         deadline.Instant
	stops       []func() bool // Cancel of all there ever was
	tasks       []*scheduler.Task
	group       *scheduler.Group
	depth       int
	generations *generations

	asked, told int // of Notify
	handles     int // what was given, but tasks
	late        int // what came after Close
}

// refused counts what is about to be given, if that is after Close.
func (z *zoo) refused() {
	if scheduler.Closed(z.s) {
		z.late++
	}
}

// draw chooses one of n. It is not rapid that is asked, because its own panics must not end in a task.
func (z *zoo) draw(n int) int {
	if z.left == 0 {
		return 0
	}
	z.left--
	return z.rng.IntN(n)
}

// live is what work does when it runs: it takes time, does things, and sometimes fails.
func (z *zoo) live() {
	z.now += deadline.Instant(z.draw(4)) * deadline.Instant(ms)
	if z.depth < 3 {
		z.depth++
		for range z.draw(3) {
			z.act()
		}
		z.depth--
	}
	switch z.draw(20) {
	case 1:
		panic("fate")
	case 2:
		runtime.Goexit()
	case 3:
		z.s.ShouldYield()
	}
}

func (z *zoo) prio() deadline.Priority { return deadline.Priorities()[z.draw(deadline.NumPriorities)] }

func (z *zoo) submit(t *scheduler.Task) {
	t.Priority = z.prio()
	if t.Idle == nil {
		t.Delay = time.Duration(max(z.draw(8)-4, 0)) * ms
	}
	if z.draw(3) == 0 {
		t.Group = z.group
	}
	z.refused()
	z.s.Submit(t)
	z.stops, z.tasks = append(z.stops, t.Cancel), append(z.tasks, t)
}

// act does one thing that any work may do, and the host too.
func (z *zoo) act() {
	closed := scheduler.Closed(z.s)
	handle := func(h scheduler.Handle) {
		z.stops = append(z.stops, h.Cancel)
		if z.handles++; closed {
			z.late++
		}
	}
	switch z.draw(16) {
	case 0:
		handle(z.s.Post(z.prio(), z.live))
	case 1:
		handle(z.group.Post(z.prio(), z.live))
	case 2:
		z.submit(&scheduler.Task{Func: z.live})
	case 3:
		z.submit(&scheduler.Task{Step: func() bool { z.live(); return z.draw(3) > 0 }})
	case 4:
		t := &scheduler.Task{Period: 2 * ms}
		t.Func = func() {
			z.live()
			if z.draw(5) == 1 {
				t.Period = 0
			}
		}
		z.submit(t)
	case 5:
		timeout := time.Duration(z.draw(3)) * 3 * ms
		z.submit(&scheduler.Task{Idle: func(deadline.Deadline, bool) { z.live() }, Timeout: timeout})
	case 6, 7:
		z.submit(&scheduler.Task{Co: z.suspend})
	case 8:
		once := z.s.Once
		if z.draw(2) == 1 {
			once = z.group.Once
		}
		handle(once(scheduler.Phase(z.draw(scheduler.NumPhases)), z.live))
	case 9:
		each := z.s.Each
		if z.draw(2) == 1 {
			each = z.group.Each
		}
		handle(each(scheduler.Phase(z.draw(scheduler.NumPhases)), z.live))
	case 10:
		handle(z.s.Microtask(z.live))
	case 11, 12:
		if len(z.stops) > 0 {
			z.stops[z.draw(len(z.stops))]()
		}
	case 13:
		z.again()
	case 14:
		z.group.SetPriority(z.prio())
	case 15:
		z.asked++
		scheduler.OnEnd(z.group, func() { z.told++; z.act() })
	}
}

// again submits a task once more, or gives it another priority, or cancels the group.
func (z *zoo) again() {
	if z.draw(30) == 1 {
		z.s.Close()
	}
	if len(z.tasks) == 0 || z.draw(8) == 0 {
		z.group.Cancel()
		z.group = z.s.NewGroup("next")
		return
	}
	t := z.tasks[z.draw(len(z.tasks))]
	switch st := t.State(); {
	case st >= scheduler.Done, st == scheduler.Running && t.Period == 0 && z.draw(3) == 0:
		if st >= scheduler.Done {
			z.refused()
		}
		if t.Group = nil; z.draw(2) == 0 {
			t.Group = z.group
		}
		_ = testkit.PanicOf(func() { z.s.Submit(t) }) // it may have been submitted again already
	default:
		t.SetPriority(z.prio())
	}
}

// suspend is a coroutine that suspends itself in every way.
func (z *zoo) suspend(co *scheduler.Co) {
	defer func() {
		if z.draw(4) == 1 {
			z.act()
		}
	}()
	for range z.draw(5) {
		z.live()
		switch z.draw(7) {
		case 0:
			co.Yield()
		case 1:
			co.NextFrame()
		case 2:
			co.AfterDraw()
		case 3:
			co.Sleep(ms)
		case 4:
			t := &scheduler.Task{Func: z.live, Priority: deadline.Low}
			z.submit(t)
			co.Wait(t)
		case 5:
			f := &handoff{}
			z.refused()
			z.handles++
			z.s.Post(deadline.Idle, func() { f.f() })
			scheduler.AwaitTimeout(co, f, 2*ms)
		case 6:
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			flow.AwaitContext(ctx, co, &handoff{})
		}
	}
}

func (z *zoo) frame() {
	z.now += deadline.Instant(z.draw(4)) * deadline.Instant(ms)
	if z.draw(3) > 0 {
		z.s.BeginFrame(z.now)
	}
	for _, p := range scheduler.Phases() {
		if z.draw(3) > 0 {
			z.s.RunPhase(p)
		}
	}
	z.s.RunUntil(deadline.At(z.now.Add(time.Duration(z.draw(8)) * ms)))
}

// Whatever happens to work of every kind, its events are as S30 says, and as many as Stats says.
func TestS30_EventsOfEveryGenerationAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := scheduler.Options{OnPanic: func(*scheduler.PanicError) {}}
		if rapid.Bool().Draw(t, "policy") {
			o.ByPriority = true
		}
		l := watchGenerations(&o)
		z := &zoo{
			rng:  rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)),
			left: rapid.SampledFrom([]int{20, 100, 300, 1000}).Draw(t, "choices"),
			s:    scheduler.New(o), now: 1, generations: l,
		}
		scheduler.SetMicrotaskLimit(z.s, rapid.SampledFrom([]int{2, 1000}).Draw(t, "micros"))
		scheduler.SetClock(z.s, func() deadline.Instant { return z.now })
		z.group = z.s.NewGroup("first")
		for range 12 {
			for range 1 + z.draw(4) {
				z.act()
			}
			z.frame()
			if l.first != nil {
				t.Fatal(l.first)
			}
		}
		st := z.s.Stats()
		done, failed := l.count[scheduler.Done], l.count[scheduler.Failed]
		if fmt.Sprint(done, failed) != fmt.Sprint(st.Done, st.Failed) {
			t.Fatalf("%d done, %d failed, and by Stats %d and %d", done, failed, st.Done, st.Failed)
		}
		z.depth = 3
		z.s.Close()
		if err := l.end(); err != nil {
			t.Fatal(err)
		}
		z.countEnds(t)
		if st := z.s.Stats(); st.Frame+st.Idle+st.Waiting+st.Drawing+st.Coroutines != 0 {
			t.Fatalf("after Close %+v", st)
		}
		if z.asked != z.told {
			t.Fatalf("Notify was called %d times, and %d were told", z.asked, z.told)
		}
		for _, task := range z.tasks {
			if <-task.Done(); task.State() < scheduler.Done {
				t.Fatalf("after Close a task is %v", task.State())
			}
		}
	})
}

// countEnds checks, after Close, that each generation has had one end, in events and in Stats.
func (z *zoo) countEnds(t *rapid.T) {
	st, given, seen := z.s.Stats(), z.handles, map[*scheduler.Task]bool{}
	for _, task := range z.tasks {
		if !seen[task] {
			given += scheduler.Generations(task)
		}
		seen[task] = true
	}
	n := z.generations.count
	got := fmt.Sprint(n[scheduler.Done], n[scheduler.Failed], n[scheduler.Canceled]+z.late)
	if want := fmt.Sprint(st.Done, st.Failed, st.Canceled); got != want {
		t.Fatalf("%s ended by events (done, failed, canceled), %d after Close, and by Stats %s", got, z.late, want)
	}
	if ends := int(st.Done+st.Failed+st.Canceled) - z.generations.timers; ends != given {
		t.Fatalf("%d generations have ended, of %d", ends, given)
	}
	if st.Dropped > st.Canceled {
		t.Fatalf("%d were dropped, %d canceled", st.Dropped, st.Canceled)
	}
}
