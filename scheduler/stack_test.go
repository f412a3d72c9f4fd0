package scheduler_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// names returns the functions of a stack without their package, the innermost first.
func names(k scheduler.Stack) string {
	var all []string
	for _, f := range k.Frames() {
		_, name, _ := strings.Cut(f.Function, "scheduler_test.")
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

//go:noinline
func loadLevel(submit func()) { submit() }

// Every verb keeps its caller, and nothing of this package.
func TestStacksOfAllVerbs(t *testing.T) {
	started := map[string]string{}
	name := ""
	o := scheduler.Options{Stacks: 1, Trace: &scheduler.Trace{Started: func(e scheduler.Event) {
		started[name] = names(e.Submitted)
	}}}
	s := scheduler.New(o)
	f := func() {}
	g := s.NewGroup("g")
	bound := flow.NewBound(s, flow.BoundOptions{})
	latest := flow.NewLatest(s, flow.LatestOptions{}, func(int, int) {})
	task := &scheduler.Task{Func: f}
	verbs := map[string]func(){
		"Post":       func() { s.Post(deadline.Normal, f) },
		"Go":         func() { s.Go(deadline.Normal, func(*scheduler.Co) {}) },
		"Submit":     func() { s.Submit(task) },
		"Every":      func() { s.Every(deadline.Normal, 1, f) },
		"WhenIdle":   func() { s.WhenIdle(0, func(scheduler.IdleTime) {}) },
		"Once":       func() { s.Once(scheduler.AfterDraw, f) },
		"Microtask":  func() { s.Microtask(f) },
		"Group.Post": func() { g.Post(deadline.Normal, f) },
		"Group.Go":   func() { g.Go(deadline.Normal, func(*scheduler.Co) {}) },
		"Bound":      func() { bound.Post(deadline.Normal, f) },
		"Latest":     func() { latest.Post(1, 2) },
		"Each":       func() { s.Each(scheduler.AfterDraw, f) },
	}
	for verb, submit := range verbs {
		if verb == "Each" || verb == "Every" {
			continue // last, because they go on
		}
		name = verb
		loadLevel(submit)
		s.RunUntil(deadline.In(time.Second))
	}
	s.Close()
	for _, verb := range []string{"Each", "Every"} {
		s, name = scheduler.New(o), verb
		loadLevel(verbs[verb])
		for started[verb] == "" {
			s.RunUntil(deadline.In(time.Millisecond))
		}
		s.Close()
	}
	for verb := range verbs {
		if got := started[verb]; !strings.HasPrefix(got, "TestStacksOfAllVerbs.func") {
			t.Errorf("%s: %q", verb, got)
		}
	}
	if got := names(task.Submitted()); got != started["Submit"] {
		t.Errorf("Task.Submitted: %q, and its event says %q", got, started["Submit"])
	}
}

// A stack ends where the task begins that submitted, and has as many callers as asked for.
func TestStacksFromWithinTasks(t *testing.T) {
	const test = "TestStacksFromWithinTasks.func2"
	const all = test + ".1 loadLevel " + test
	for depth, want := range map[int]string{0: "", 1: test + ".1", 2: test + ".1 loadLevel", 3: all, 32: all, 99: all} {
		s := scheduler.New(scheduler.Options{Stacks: depth})
		child := &scheduler.Task{Func: func() {}}
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			loadLevel(func() { s.Submit(child) })
		})
		s.RunUntil(deadline.In(time.Second))
		if got := names(child.Submitted()); got != want {
			t.Errorf("depth %d: %q, want %q", depth, got, want)
		}
		s.Close()
	}
}

func TestStacksInReports(t *testing.T) {
	var reported *scheduler.PanicError
	inWorld(t, scheduler.Options{
		Stacks: 4, OnPanic: func(p *scheduler.PanicError) { reported = p },
	}, func(w *world) {
		fails := &scheduler.Task{Func: func() { panic("broken") }}
		loadLevel(func() { w.s.Submit(fails) })
		loadLevel(func() { w.s.Post(deadline.Normal, func() { time.Sleep(9 * ms) }) })
		r := w.drain()
		text := string(reported.Stack)
		panicked, submitted, found := strings.Cut(text, "\nsubmitted by:\n")
		if !found || !strings.Contains(panicked, "TestStacksInReports") || !strings.Contains(submitted, "loadLevel") ||
			strings.Contains(submitted, "Submit(") || !errors.Is(fails.Err(), reported) {
			t.Errorf("the stack of the panic:\n%s", text)
		}
		if !strings.Contains(names(r.Worst.Submitted), "loadLevel") {
			t.Errorf("the longest run was submitted by %s", r.Worst.Submitted)
		}
		big := &scheduler.Task{Func: func() { time.Sleep(50 * ms) }}
		loadLevel(func() { w.s.Submit(big) })
		w.s.RunUntil(deadline.In(ms))
		if o := w.s.Stats().Offender; o.Submitted != big.Submitted() || !o.Submitted.Known() {
			t.Errorf("the offender was submitted by %q", o.Submitted)
		}
		loadLevel(func() { w.s.Post(deadline.Normal, runtime.Goexit) })
		w.drain()
		if !strings.Contains(string(reported.Stack), "submitted by:") || !errors.Is(reported, scheduler.ErrGoexit) {
			t.Errorf("Goexit: %v\n%s", reported, reported.Stack)
		}
		// A panic of somebody else's, raised again, stays as it is; its report has a copy.
		old := &scheduler.PanicError{Value: "old", Stack: []byte("where it was")}
		again := &scheduler.Task{Func: func() { panic(old) }}
		w.s.Submit(again)
		w.drain()
		const whole = "where it was\nsubmitted by:\n"
		if string(old.Stack) != "where it was" || !strings.HasPrefix(string(reported.Stack), whole) {
			t.Errorf("raised again: %s and %s", old.Stack, reported.Stack)
		}
	})
}

// A task that submits itself again keeps the old stack in the run that does it.
func TestStackOfATaskThatSubmitsItself(t *testing.T) {
	var got []string
	s := scheduler.New(scheduler.Options{Stacks: 3, Trace: &scheduler.Trace{
		Done: func(e scheduler.Event) {
			got = append(got, fmt.Sprint(strings.Contains(names(e.Submitted), "loadLevel")))
		},
	}})
	defer s.Close()
	task := &scheduler.Task{}
	task.Func = func() {
		if len(got) == 0 {
			s.Submit(task)
		}
	}
	loadLevel(func() { s.Submit(task) })
	s.RunUntil(deadline.In(time.Second))
	if fmt.Sprint(got) != "[true false]" {
		t.Errorf("submitted by loadLevel: %v", got)
	}
}

func TestNoStacksWithoutTheOption(t *testing.T) {
	s := scheduler.New(scheduler.Options{Events: 9})
	defer s.Close()
	task := &scheduler.Task{Func: func() {}}
	if task.Submitted().Known() {
		t.Error("known before Submit")
	}
	s.Submit(task)
	r := s.RunUntil(deadline.In(time.Second))
	if k := task.Submitted(); k.Known() || k.String() != "" || k.Frames() != nil || r.Worst.Submitted.Known() {
		t.Errorf("submitted by %q", k)
	}
}

// recurse submits from ever other depths, which are other stacks.
func recurse(n int, f func()) {
	if n > 0 {
		recurse(n-1, f)
		return
	}
	f()
}

// S31. However many goroutines meet a stack first, it is in the table once; a full table knows no more.
func TestS31_EachStackIsKeptOnce(t *testing.T) {
	s := scheduler.New(scheduler.Options{Stacks: 32})
	defer s.Close()
	var wg sync.WaitGroup
	var tasks [8][40]scheduler.Task
	for g := range tasks {
		wg.Go(func() {
			for d := range tasks[g] {
				tasks[g][d].Func = func() {}
				recurse(d%20, func() { s.Submit(&tasks[g][d]) })
			}
		})
	}
	wg.Wait()
	seen := map[scheduler.Stack]bool{}
	for g := range tasks {
		for d := range tasks[g] {
			if k := tasks[g][d].Submitted(); k != tasks[0][d%20].Submitted() || !k.Known() {
				t.Fatalf("goroutine %d, depth %d: %q", g, d, k)
			} else {
				seen[k] = true
			}
		}
	}
	if n := scheduler.Sites(s); len(seen) != 20 || n != 20 {
		t.Errorf("%d stacks, %d in the table", len(seen), n)
	}
	scheduler.FillSites(s)
	var last scheduler.Task
	last.Func = func() {}
	s.Submit(&last)
	if last.Submitted().Known() {
		t.Error("a full table took another one")
	}
}

func TestStacksAllocateNothing(t *testing.T) {
	if scheduler.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	s := scheduler.New(scheduler.Options{Stacks: 8})
	defer s.Close()
	task := &scheduler.Task{Func: nop}
	f := func() {
		s.Post(deadline.Normal, nop)
		s.Submit(task)
		s.RunUntil(deadline.In(time.Second))
	}
	f()
	if a := testing.AllocsPerRun(100, f); a > 0 {
		t.Errorf("%v allocations", a)
	}
}

func BenchmarkPostAndRunWithStacks(b *testing.B) {
	for _, depth := range []int{4, 32} {
		b.Run(fmt.Sprint("depth=", depth), func(b *testing.B) {
			s := scheduler.New(scheduler.Options{Stacks: depth})
			defer s.Close()
			perTask(b, 100, func() {
				for range 100 {
					recurse(20, func() { s.Post(deadline.Normal, nop) })
				}
				run(b, s, 100)
			})
		})
	}
}

func ExampleTask_Submitted() {
	s := scheduler.New(scheduler.Options{Stacks: 8})
	defer s.Close()
	task := s.Go(deadline.Low, func(co *scheduler.Co) {})
	caller := task.Submitted().Frames()[0].Function
	fmt.Println(caller[strings.LastIndex(caller, ".")+1:])
	// Output:
	// ExampleTask_Submitted
}
