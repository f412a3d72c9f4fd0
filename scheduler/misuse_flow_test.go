package scheduler_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// No context is one that never ends, here as everywhere else.
func TestNilContexts(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var got, failed error
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		var none context.Context
		_, got = scheduler.AwaitContext(none, co, ended{})
		ctx, cancel := s.WithTimeout(none, time.Hour)
		failed = ctx.Err()
		cancel()
	})
	s.RunUntil(deadline.Deadline{})
	if got != errEnded || failed != nil {
		t.Errorf("%v, %v", got, failed)
	}
}

var errEnded = context.Canceled

// ended is an Awaitable that has ended.
type ended struct{}

func (ended) Notify(f func())      { f() }
func (ended) Result() (int, error) { return 0, errEnded }

// A verb without a function names itself, and not the Task that it would have made.
func TestVerbsOfNilFunctions(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	g := s.NewGroup("g")
	current := scheduler.Current{Scheduler: s}
	const p = deadline.Normal
	for name, f := range map[string]func(){
		"Post": func() { s.Post(p, nil) }, "Post by Group": func() { g.Post(p, nil) },
		"Post by Current": func() { current.Post(nil) },
		"Go":              func() { s.Go(p, nil) }, "Go by Group": func() { g.Go(p, nil) },
		"Go by Current": func() { current.Go(nil) },
		"After":         func() { s.After(p, 1, nil) }, "After by Group": func() { g.After(p, 1, nil) },
		"Every": func() { s.Every(p, time.Second, nil) }, "WhenIdle": func() { s.WhenIdle(0, nil) },
		"Microtask": func() { s.Microtask(nil) }, "Nest": func() { s.Nest(nil) },
		"Once": func() { s.Once(scheduler.AfterDraw, nil) }, "Each": func() { s.Each(scheduler.AfterDraw, nil) },
		"Call": func() { scheduler.Call[int](s, p, nil) }, "Call by Current": func() {
			scheduler.CallIn[int](current, nil)
		},
		"Group.Notify": func() { g.Notify(nil) },
	} {
		verb, _, _ := strings.Cut(name, " by ")
		if got := panics(f); got != "scheduler: "+verb+" of a nil function" &&
			got != "scheduler: "+verb+" with a nil function" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What cannot be meant panics in the caller, and not later in a slice, and tells the value.
func TestMisuseThatWasFoundLate(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	nop := func() {}
	with := func(o scheduler.Options) func() { return func() { scheduler.New(o) } }
	for want, f := range map[string]func(){
		"scheduler: Group.Notify with a nil function":           func() { s.NewGroup("g").Notify(nil) },
		"scheduler: New with an invalid Policy: Policy(9)":      with(scheduler.Options{Policy: 9}),
		"scheduler: New with Options.OverdueShare of NaN":       with(scheduler.Options{OverdueShare: math.NaN()}),
		"scheduler: New with Options.MinShare of NaN":           with(scheduler.Options{MinShare: math.NaN()}),
		"scheduler: New with Options.Events of 16777217, more":  with(scheduler.Options{Events: 1<<24 + 1}),
		"scheduler: invalid Phase(99)":                          func() { s.NotePhase(99) },
		"scheduler: Every with a period that is not positive: ": func() { s.Every(deadline.Normal, -time.Second, nop) },
	} {
		if got := panics(f); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s.RunUntil(deadline.Deadline{})
}

// unmade is a future that only a pointer to one is.
type unmade struct{ notified bool }

func (n *unmade) Notify(f func())      { n.notified = true; f() }
func (n *unmade) Result() (int, error) { return 0, errEnded }
func (n *unmade) Cancel() bool         { return n.notified }

// Nothing to wait for is a mistake of the coroutine's, which tells before it waits.
func TestMisuseOfAwait(t *testing.T) {
	var errs log
	s := scheduler.New(scheduler.Options{OnPanic: func(e *scheduler.PanicError) { errs.say("%v;", e.Value) }})
	defer s.Close()
	for _, f := range []func(co *scheduler.Co){
		func(co *scheduler.Co) { _, _ = scheduler.Await[int](co, nil) },
		func(co *scheduler.Co) { _, _ = scheduler.AwaitTimeout[int](co, nil, time.Hour) },
		func(co *scheduler.Co) { _, _ = scheduler.AwaitContext[int](context.Background(), co, nil) },
		func(co *scheduler.Co) { _, _ = scheduler.Await(co, (*unmade)(nil)) },
		func(co *scheduler.Co) { _, _ = scheduler.AwaitTimeout(co, (*unmade)(nil), 0) },
		func(co *scheduler.Co) { _, _ = scheduler.AwaitContext(context.Background(), co, (*unmade)(nil)) },
		func(co *scheduler.Co) {
			none := func(deadline.Priority, func() (int, error)) *unmade { return nil }
			_, _ = scheduler.Background(co, none, func() (int, error) { return 0, nil })
		},
		func(co *scheduler.Co) {
			_, _ = scheduler.Background[int, ended](co, nil, func() (int, error) { return 0, nil })
		},
		func(co *scheduler.Co) {
			_, _ = scheduler.Background(co, func(deadline.Priority, func() (int, error)) ended { return ended{} }, nil)
		},
	} {
		s.Go(deadline.Normal, f)
	}
	s.RunUntil(deadline.Deadline{})
	const of, background = " of a nil *scheduler_test.unmade; ", "scheduler: Background with a nil function;"
	errs.want(t, "scheduler: Await of nil; scheduler: AwaitTimeout of nil; scheduler: AwaitContext of nil; "+
		"scheduler: Await"+of+"scheduler: AwaitTimeout"+of+"scheduler: AwaitContext"+of+"scheduler: Background"+of+
		background+" "+background)
}

// A task that is refused is as it was: it may be queued, and then its fields are not the caller's to write.
func TestRefusedTaskIsAsItWas(t *testing.T) {
	s, other := scheduler.New(scheduler.Options{}), scheduler.New(scheduler.Options{})
	defer s.Close()
	defer other.Close()
	mine, next, foreign := s.NewGroup("mine"), s.NewGroup("next"), other.NewGroup("foreign")
	child := scheduler.Current{Scheduler: s, Priority: deadline.Low, Group: next, Label: "child"}
	nop := func() {}
	for _, c := range []struct {
		want   string
		submit func(t *scheduler.Task)
		queued bool
		p      deadline.Priority
		g      *scheduler.Group
		f      func()
	}{
		{"scheduler: Submit of a Task that is queued", next.Submit, true, 0, mine, nop},
		{"scheduler: Submit of a Task that is queued", child.Submit, true, 0, nil, nop},
		{"scheduler: Submit of a Task that another", foreign.Submit, true, 0, mine, nop},
		{"scheduler: Submit of a Task without exactly one", next.Submit, false, 0, nil, nil},
		{"scheduler: Submit of a Task without exactly one", child.Submit, false, 0, nil, nil},
		{"scheduler: invalid Priority(9)", next.Submit, false, 9, nil, nop},
		{"scheduler: invalid Priority(9)", child.Submit, false, 9, nil, nop},
		{"scheduler: Submit into a group of another", child.Submit, false, 0, foreign, nop},
	} {
		task := &scheduler.Task{Priority: c.p, Group: c.g, Func: c.f}
		if c.queued {
			s.Submit(task)
		}
		if got := panics(func() { c.submit(task) }); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if task.Priority != c.p || task.Group != c.g || task.Label != "" {
			t.Errorf("after %q: %v, %q, or another group", c.want, task.Priority, task.Label)
		}
	}
	if r := s.RunUntil(deadline.Deadline{}); r.Ran != 3 || mine.Len()+next.Len() != 0 {
		t.Errorf("%d ran, want 3; %d and %d members left", r.Ran, mine.Len(), next.Len())
	}
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
			if got := panics(f); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}
