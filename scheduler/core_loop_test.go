package scheduler_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// faults are the ways in which a function does not return.
var faults = map[string]func(){
	"panic":       func() { panic("boom") },
	"panic(nil)":  func() { panic(nil) },
	"error":       func() { panic(errors.New("boom")) },
	"bad error":   func() { panic(badError{}) },
	"runtime":     func() { _ = make([]int, 1)[len(os.Args)] },
	"nested":      func() { defer func() { panic("second") }(); panic("first") },
	"Goexit":      runtime.Goexit,
	"late Goexit": func() { defer runtime.Goexit(); panic("first") },
	"panic in Goexit": func() {
		defer func() { panic("in defer") }()
		runtime.Goexit()
	},
	"recovered in Goexit": func() {
		defer func() {
			defer func() { recover() }()
			panic("in defer")
		}()
		runtime.Goexit()
	},
}

type badError struct{}

func (badError) Error() string { panic("an Error that panics") }

func TestFaultsStayWithTheTask(t *testing.T) {
	kinds := map[string]func(task *scheduler.Task, fault func()){
		"func": func(task *scheduler.Task, fault func()) { task.Func = fault },
		"step": func(task *scheduler.Task, fault func()) {
			n := 0
			task.Step = func() bool {
				if n++; n == 2 {
					fault()
				}
				return true
			}
		},
		"co": func(task *scheduler.Task, fault func()) { task.Co = func(*scheduler.Co) { fault() } },
		"co later": func(task *scheduler.Task, fault func()) {
			task.Co = func(co *scheduler.Co) { co.Yield(); fault() }
		},
	}
	for name, fault := range faults {
		for kind, give := range kinds {
			var reports []*scheduler.PanicError
			o := scheduler.Options{OnPanic: func(pe *scheduler.PanicError) {
				_ = pe.Error()
				reports = append(reports, pe)
			}}
			inWorld(t, o, func(w *world) {
				var l log
				w.s.Post(deadline.Normal, l.add("before"))
				task := &scheduler.Task{Label: "culprit"}
				give(task, fault)
				w.s.Submit(task)
				var waited error
				w.s.Go(deadline.Normal, func(co *scheduler.Co) { waited = co.Wait(task) })
				w.s.Post(deadline.Normal, l.add("after"))
				w.s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); l.add("co")() })
				w.drain()
				l.want(t, "before after co")

				goexit := strings.Contains(name, "Goexit") && name != "panic in Goexit"
				err := task.Err()
				var pe *scheduler.PanicError
				switch {
				case goexit && !errors.Is(err, scheduler.ErrGoexit):
					t.Errorf("%s, %s: Err = %v, want ErrGoexit", name, kind, err)
				case !goexit && (!errors.As(err, &pe) || pe.Label != "culprit" ||
					!strings.Contains(string(pe.Stack), "core_loop_test.go")):
					t.Errorf("%s, %s: Err is not a PanicError with label and stack", name, kind)
				}
				st := w.s.Stats()
				if waited != err || !isDone(task.Done()) || st.Failed != 1 || st.Coroutines > 4 {
					t.Errorf("%s, %s: Wait = %v, Err = %v, %+v", name, kind, waited, err, st)
				}
				if len(reports) != 1 || goexit != errors.Is(reports[0], scheduler.ErrGoexit) {
					t.Errorf("%s, %s: reports %v", name, kind, len(reports))
				}
				task.Func, task.Step, task.Co = l.add("again"), nil, nil // it can be used again
				w.s.Submit(task)
				w.drain()
				if l.want(t, "again"); task.Err() != nil {
					t.Errorf("Err after a good run = %v", task.Err())
				}
			})
		}
	}
}

// A subtest that fails fast calls Goexit, too; the scheduler must not be the one that pays for it.
func TestAThousandGoexitsLeaveNothingBehind(t *testing.T) {
	for _, lock := range []bool{false, true} {
		onThread(lock, func() {
			s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
			before := runtime.NumGoroutine()
			for range 500 {
				s.Post(deadline.Normal, runtime.Goexit)
				s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); runtime.Goexit() })
				s.RunUntil(deadline.Deadline{})
			}
			st := s.Stats()
			if st.Failed != 1000 || st.Coroutines > 3 {
				t.Errorf("%+v", st)
			}
			if n := runtime.NumGoroutine(); n > before+10 {
				t.Errorf("%d goroutines, %d before", n, before)
			}
			s.Close()
		})
	}
}

func TestAHandlerThatPanicsIsContained(t *testing.T) {
	if inProcess(t, "TestAHandlerThatPanicsIsContained") {
		return
	}
	for _, bad := range []func(){func() { panic("handler") }, runtime.Goexit} {
		calls := 0
		s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) { calls++; bad() }})
		ran := 0
		for range 3 {
			s.Post(deadline.Normal, func() { panic("task") })
			s.Post(deadline.Normal, func() { ran++ })
		}
		s.RunUntil(deadline.Deadline{})
		if calls != 3 || ran != 3 {
			t.Errorf("%d calls, %d runs, want 3, 3", calls, ran)
		}
		s.Close()
	}
}

func TestWithoutAHandlerPanicsArePrinted(t *testing.T) {
	if os.Getenv("SCHEDULER_TEST_PROCESS") == "" {
		out := process(t, "TestWithoutAHandlerPanicsArePrinted")
		for _, want := range []string{"scheduler: my label: panic: seen by nobody", "printedCulprit"} {
			if !strings.Contains(out, want) {
				t.Errorf("standard error does not contain %q:\n%s", want, out)
			}
		}
		return
	}
	s := scheduler.New(scheduler.Options{})
	s.Submit(&scheduler.Task{Label: "my label", Func: printedCulprit})
	s.RunUntil(deadline.Deadline{})
	s.Close()
}

//go:noinline
func printedCulprit() { panic("seen by nobody") }

func TestRethrow(t *testing.T) {
	for name, add := range map[string]func(s *scheduler.Scheduler, f func()) (call func()){
		"RunUntil": func(s *scheduler.Scheduler, f func()) func() {
			s.Post(deadline.Normal, f)
			return func() { s.RunUntil(deadline.Deadline{}) }
		},
		"RunPhase": func(s *scheduler.Scheduler, f func()) func() {
			s.Once(scheduler.AfterDraw, f)
			return func() { s.RunPhase(scheduler.AfterDraw) }
		},
	} {
		var reports, l log
		s := scheduler.New(scheduler.Options{Rethrow: true, OnPanic: func(pe *scheduler.PanicError) {
			reports.say("%v", pe.Value)
		}})
		var call func()
		for _, v := range []string{"first", "second"} {
			add(s, func() { panic(v) })
			call = add(s, l.add("after-"+v))
		}
		if pe, ok := testkit.Recovered(call).(*scheduler.PanicError); !ok || pe.Value != "first" {
			t.Errorf("%s panicked with %v, want the first *PanicError", name, pe)
		}
		l.want(t, "after-first after-second")
		reports.want(t, "first second")
		call() // in the next one nothing is left of it
		s.Close()
	}
}

func TestReentryAndConcurrentCallsPanic(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	msg := func(what string) string {
		return "scheduler: " + what + " within a task, or on two goroutines at once: " +
			"a task cannot drive frames; show the dialog in frames and await its end in a coroutine"
	}
	ran := 0
	s.Post(deadline.Normal, func() {
		testkit.Panics(t, msg("RunUntil"), func() { s.RunUntil(deadline.Deadline{}) })
		testkit.Panics(t, msg("BeginFrame"), func() { s.BeginFrame(deadline.Now()) })
		testkit.Panics(t, msg("RunPhase"), func() { s.RunPhase(scheduler.AfterDraw) })
		testkit.Panics(t, msg("NotePhase"), func() { bridge.Of(s).NotePhase(scheduler.AfterDraw) })
		testkit.Panics(t, msg("StopOn"), func() { s.StopOn(nil) })
		done := make(chan struct{})
		go func() {
			defer close(done)
			testkit.Panics(t, msg("RunUntil"), func() { s.RunUntil(deadline.In(0)) })
		}()
		<-done
		ran++
	})
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		testkit.Panics(t, msg("RunUntil"), func() { s.RunUntil(deadline.Deadline{}) })
		ran++
	})
	s.Post(deadline.Normal, func() { ran++ })
	if r := s.RunUntil(deadline.Deadline{}); r.Ran != 3 || ran != 3 {
		t.Errorf("%+v, %d ran, want 3", r, ran)
	}
}

// onThread runs f on a goroutine of its own, locked to its thread or not, and waits for it.
func onThread(lock bool, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if lock {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		f()
	}()
	<-done
}

// A stack begins with who panicked, and not with how the scheduler has caught it, whatever kind of work it was.
func TestAStackBeginsWithWhoPanicked(t *testing.T) {
	for name, f := range map[string]func(){"culprit": culprit, "deserter": deserter} {
		var stacks []string
		s := scheduler.New(scheduler.Options{OnPanic: func(e *scheduler.PanicError) {
			stacks = append(stacks, string(e.Stack))
		}})
		s.Post(deadline.Normal, f)
		s.Microtask(f)
		s.Once(scheduler.AfterDraw, f)
		s.WhenIdle(0, func(deadline.Deadline, bool) { f() })
		s.Submit(&scheduler.Task{Func: f})
		s.Submit(&scheduler.Task{Step: func() bool { f(); return false }})
		s.Go(deadline.Normal, func(*scheduler.Co) { f() })
		s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); f() })
		s.Go(deadline.Normal, func(co *scheduler.Co) {
			_, _ = scheduler.Await(co, ended{})
			f()
		})
		s.BeginFrame(deadline.Now())
		s.RunPhase(scheduler.AfterDraw)
		s.RunUntil(deadline.Deadline{})
		s.Close()
		if len(stacks) != 9 {
			t.Errorf("%d of 9 stacks", len(stacks))
		}
		for _, stack := range stacks {
			_, first, _ := strings.Cut(stack, "\n")
			if !strings.HasPrefix(first, fault.PackageOf(fault.NameOf(culprit))+name+"(") {
				t.Errorf("%s:\n%s", name, stack)
			}
		}
	}
}

// process runs one test in a process of its own and returns what it printed.
func process(t *testing.T, name string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skipf("no processes here: %v", err)
	}
	cmd := exec.Command(exe, "-test.run=^"+name+"$", "-test.v")
	cmd.Env = append(os.Environ(), "SCHEDULER_TEST_PROCESS=1")
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator that cannot start processes")
	}
	if err != nil {
		t.Errorf("%s in its own process: %v\n%s", name, err, out)
	}
	return string(out)
}

// inProcess runs the calling test again in a process of its own, so that what it prints does not appear,
// and reports whether it did. Where there are no processes, the test runs here.
func inProcess(t *testing.T, name string) bool {
	t.Helper()
	if os.Getenv("SCHEDULER_TEST_PROCESS") != "" || runtime.GOOS == "js" {
		return false
	}
	process(t, name)
	return true
}
