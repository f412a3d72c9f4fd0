package scheduler_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/scheduler"
)

//go:noinline
func culprit() { panic("boom") }

//go:noinline
func deserter() { runtime.Goexit() }

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
		s.WhenIdle(0, func(scheduler.IdleTime) { f() })
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
