package scheduler_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

var errEnded = context.Canceled

// ended is an Awaitable that has ended.
type ended struct{}

func (ended) Notify(f func())      { f() }
func (ended) Result() (int, error) { return 0, errEnded }

// A verb without a function names itself, and not the Task that it would have made.
func TestMisuseOfNilFunctions(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	g := s.NewGroup("g")
	const p = deadline.Normal
	for name, f := range map[string]func(){
		"Post": func() { s.Post(p, nil) }, "Post by Group": func() { g.Post(p, nil) },
		"Go": func() { s.Go(p, nil) }, "Go by Group": func() { g.Go(p, nil) },
		"After": func() { s.After(p, 1, nil) }, "After by Group": func() { g.After(p, 1, nil) },
		"Every by Group": func() { g.Every(p, time.Second, nil) },
		"Every":          func() { s.Every(p, time.Second, nil) }, "WhenIdle": func() { s.WhenIdle(0, nil) },
		"Microtask": func() { s.Microtask(nil) },
		"Once":      func() { s.Once(scheduler.AfterDraw, nil) }, "Each": func() { s.Each(scheduler.AfterDraw, nil) },
		"Once by Group": func() { g.Once(scheduler.AfterDraw, nil) },
		"Each by Group": func() { g.Each(scheduler.AfterDraw, nil) },
	} {
		verb, _, _ := strings.Cut(name, " by ")
		if got := testkit.PanicOf(f); got != "scheduler: "+verb+" of a nil function" &&
			got != "scheduler: "+verb+" with a nil function" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What cannot be meant panics in the caller, not later in a slice, and tells what is wrong. Nothing is half done.
func TestMisuseOfArguments(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		s, g := w.s, w.s.NewGroup("g")
		nop, step := func() {}, func() bool { return false }
		co, idle := func(*scheduler.Co) {}, func(deadline.Deadline, bool) {}
		queued := &scheduler.Task{Func: nop}
		s.Submit(queued)
		submit := func(t *scheduler.Task) func() { return func() { s.Submit(t) } }
		const prio, phase = "invalid Priority(", "invalid Phase(99)"
		const shape = "Submit of a Task without exactly one of Func, Step, Co and Idle"
		const period = "Every with a period that is not positive: "
		for _, c := range []struct {
			want string
			f    func()
		}{
			{prio + "3)", func() { s.Post(3, nop) }},
			{prio + "-3)", func() { s.Post(-3, nop) }},
			{prio + "-128)", func() { s.Post(math.MinInt8, nop) }},
			{prio + "99)", func() { s.Go(99, co) }},
			{prio + "9)", func() { s.After(9, ms, nop) }},
			{prio + "7)", submit(&scheduler.Task{Func: nop, Priority: 7})},
			{prio + "-5)", func() { g.Go(-5, co) }},
			{prio + "5)", func() { g.SetPriority(5) }},
			{prio + "42)", func() { queued.SetPriority(42) }},
			{prio + "42)", func() { s.Post(0, nop).SetPriority(42) }},
			{phase, func() { s.Once(99, nop) }},
			{phase, func() { s.RunPhase(99) }},
			{phase, func() { bridge.Of(s).NotePhase(99) }},
			{"Submit of nil", func() { s.Submit(nil) }},
			{"Submit of a Task that is queued", func() { s.Submit(queued) }},
			{shape, submit(&scheduler.Task{})},
			{shape, submit(&scheduler.Task{Func: nop, Step: step})},
			{shape, submit(&scheduler.Task{Idle: idle, Func: nop})},
			{shape, submit(&scheduler.Task{Func: nop, Step: step, Co: co})},
			{"Submit of a Task with a Period and without a Func", submit(&scheduler.Task{Step: step, Period: ms})},
			{"Submit of a Task with a Period and without a Func", submit(&scheduler.Task{Idle: idle, Period: ms})},
			{"Submit of an idle Task with a Delay", submit(&scheduler.Task{Idle: idle, Delay: ms})},
			{period + "0s", func() { s.Every(0, 0, nop) }},
			{period + "0s", func() { g.Every(0, 0, nop) }},
			{period + "-1ms", func() { s.Every(0, -ms, nop) }},
		} {
			if got := testkit.PanicOf(c.f); !strings.HasPrefix(got, "scheduler: "+c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		}
		eq(t, "ran", w.drain().Ran, 2) // one was posted
		eq(t, "failed", s.Stats().Failed, 0)
		var none scheduler.Task
		if none.Cancel() || none.SetPriority(deadline.Low) || none.Done() != nil || none.Err() != nil {
			t.Error("a task that was never submitted is not inert")
		}
	})
}

// unmade is a future that only a pointer to one is.
type unmade struct{ notified bool }

func (n *unmade) Notify(f func())      { n.notified = true; f() }
func (n *unmade) Result() (int, error) { return 0, errEnded }

// Nothing to wait for is a mistake of the coroutine's, which tells before it waits.
func TestMisuseOfAwait(t *testing.T) {
	var errs log
	s := scheduler.New(scheduler.Options{OnPanic: func(e *scheduler.PanicError) { errs.say("%v;", e.Value) }})
	defer s.Close()
	for _, f := range []func(co *scheduler.Co){
		func(co *scheduler.Co) { _, _ = scheduler.Await[int](co, nil) },
		func(co *scheduler.Co) { _, _ = scheduler.AwaitTimeout[int](co, nil, time.Hour) },
		func(co *scheduler.Co) { _, _ = flow.AwaitContext[int](context.Background(), co, nil) },
		func(co *scheduler.Co) { _, _ = scheduler.Await(co, (*unmade)(nil)) },
		func(co *scheduler.Co) { _, _ = scheduler.AwaitTimeout(co, (*unmade)(nil), 0) },
		func(co *scheduler.Co) { _, _ = flow.AwaitContext(context.Background(), co, (*unmade)(nil)) },
		func(co *scheduler.Co) { co.WaitUntil(nil) },
		func(co *scheduler.Co) {
			var none context.Context // one that never ends
			_, err := flow.AwaitContext(none, co, ended{})
			errs.say("%v", err)
		},
	} {
		s.Go(deadline.Normal, f)
	}
	s.RunUntil(deadline.Deadline{})
	const of = " of a nil *scheduler_test.unmade; "
	errs.want(t, "scheduler: Await of nil; scheduler: AwaitTimeout of nil; flow: AwaitContext of nil; "+
		"scheduler: Await"+of+"scheduler: AwaitTimeout"+of+"flow: AwaitContext"+of+
		"scheduler: WaitUntil of a nil function; "+errEnded.Error())
}

// The zero Scheduler tells what is wrong, again and again.
func TestZeroScheduler(t *testing.T) {
	const want = "scheduler: a Scheduler that is not from New"
	var s scheduler.Scheduler
	for range 2 {
		for name, f := range map[string]func(){
			"RunUntil": func() { s.RunUntil(deadline.Deadline{}) },
			"RunPhase": func() { s.RunPhase(scheduler.BeforeDraw) },
			"Submit":   func() { s.Submit(&scheduler.Task{Func: func() {}}) },
			"Close":    func() { s.Close() },
		} {
			if got := testkit.PanicOf(f); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// Durations out of all proportion: nothing overflows, nothing panics, what is ready runs.
func TestMisuseOfDurations(t *testing.T) {
	const longest, shortest = time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	inWorld(t, scheduler.Options{OnEvent: func(scheduler.Event) {}}, func(w *world) {
		var l log
		for _, d := range []time.Duration{longest, longest - 1, 1 << 62} {
			never := w.submit(deadline.Normal, d, l.add("never"))
			w.s.Submit(&scheduler.Task{Func: l.add("late"), Priority: deadline.Low, Timeout: d})
			w.drain()
			if at, ok := w.s.Next(); ok && at.Sub(deadline.Now()) < 70*365*24*time.Hour {
				t.Errorf("delay %d: Next is in %v", d, at.Sub(deadline.Now()))
			}
			eq(t, "state", never.State(), scheduler.Queued)
			never.Cancel()
			l.want(t, "late")
		}
		w.submit(deadline.Normal, shortest, l.add("delay"))
		w.s.Submit(&scheduler.Task{Func: l.add("timeout"), Timeout: shortest})
		w.s.Submit(&scheduler.Task{Func: l.add("cost"), Cost: longest})
		w.s.Submit(&scheduler.Task{Func: l.add("costs"), Cost: shortest})
		w.s.RunUntil(deadline.In(shortest))
		w.drain()
		l.want(t, "timeout delay cost costs")

		every := w.s.Every(deadline.Normal, longest, l.add("never"))
		fast := &scheduler.Task{Func: l.add("tick"), Period: 1}
		w.s.Submit(fast)
		time.Sleep(time.Second)
		w.s.RunUntil(deadline.In(0))
		every.Cancel()
		fast.Cancel()
		l.want(t, "tick")

		w.s.WhenIdle(longest, func(deadline.Deadline, bool) { l.say("idle") })
		w.s.WhenIdle(shortest, func(deadline.Deadline, bool) { l.say("idle") })
		w.s.RunUntil(deadline.In(longest))
		l.want(t, "idle idle")

		task := w.s.Go(deadline.Normal, func(co *scheduler.Co) {
			co.Sleep(shortest)
			l.say("slept")
			co.Sleep(longest)
			l.say("never")
		})
		w.drain()
		time.Sleep(1000 * time.Hour)
		w.drain()
		l.want(t, "slept")
		eq(t, "state", task.State() == scheduler.Suspended || task.State() == scheduler.Queued, true)
	})
}

var errNotRun = errors.New("nothing ran")

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	testkit.Extremes(t, func(o scheduler.Options) error {
		o.OnPanic = func(*scheduler.PanicError) {}
		s := scheduler.New(o)
		const all = deadline.NumPriorities
		ran, later, micro := 0, 0, 0
		for _, p := range deadline.Priorities() {
			s.Post(p, func() { ran++; s.Microtask(func() { micro++ }) })
		}
		s.After(deadline.Normal, time.Microsecond, func() { later++ })
		s.Go(deadline.Low, func(co *scheduler.Co) { co.Yield(); ran++ })
		for i := 0; i < 100 && (ran <= all || later == 0 || micro < all); i++ {
			time.Sleep(2 * time.Microsecond)
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.In(time.Millisecond))
		}
		s.Close()
		if ran != all+1 || later != 1 || micro != all {
			return errNotRun
		}
		return nil
	})
}
