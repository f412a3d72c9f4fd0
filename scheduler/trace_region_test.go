package scheduler_test

import (
	"context"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/regions/tracetest"
	"github.com/frameslice/frameslice/scheduler"
)

// posted has a name, which is that of its regions.
func posted() {}

// S50 and S51, in virtual time: a region is of a run, of a turn, or of a row of short runs with the same name.
func TestRunsAreRegionsOfATrace(t *testing.T) {
	now := deadline.Instant(1)
	s := scheduler.New(scheduler.Options{
		Clock: func() deadline.Instant { return now }, OnPanic: func(*scheduler.PanicError) {},
	})
	task := func(label string, takes time.Duration, f func()) {
		s.Submit(&scheduler.Task{Label: label, Func: func() {
			now = now.Add(takes)
			if f != nil {
				f()
			}
		}})
	}
	slice := func() { s.RunUntil(deadline.Deadline{}) }
	for _, c := range []struct {
		name  string
		tasks func()
		want  string
	}{
		{"short", func() {
			for _, label := range "aaba" {
				task(string(label), time.Microsecond, nil)
			}
			s.Post(deadline.Normal, posted)
			s.Post(deadline.Normal, posted)
		}, "a,b,a,scheduler_test.posted"},
		{"long", func() {
			for _, label := range "aab" {
				task(string(label), time.Millisecond, nil)
			}
		}, "a,a,b"},
		{"that end otherwise", func() {
			task("a", 0, func() { panic("on purpose") })
			task("a", 0, runtime.Goexit)
			task("a", 0, func() {
				defer trace.StartRegion(context.Background(), "the program's").End()
				runtime.Goexit()
			})
			task("a", 0, nil)
		}, "a,a,a,a > the program's,a"},
		{"of a coroutine", func() {
			s.Submit(&scheduler.Task{Label: "a", Co: func(co *scheduler.Co) {
				co.NextFrame()
				s.Microtask(posted)
			}})
			task("b", 0, nil)
		}, "a,b,a,scheduler_test.posted"},
		{"of a coroutine that ends its goroutine", func() {
			s.Submit(&scheduler.Task{Label: "a", Co: func(*scheduler.Co) { runtime.Goexit() }})
			task("b", 0, nil)
		}, "a,b"},
	} {
		all := tracetest.Run(t, "", func() {
			c.tasks()
			slice()
			slice()
		})
		types := tracetest.Types(all)
		for i := range types {
			types[i] = strings.ReplaceAll(strings.ReplaceAll(types[i], "frameslice.", ""), "task ", "")
		}
		if got := strings.Join(types, ","); got != c.want {
			t.Errorf("runs %s: %s, want %s", c.name, got, c.want)
		}
		if i := slices.IndexFunc(all, func(r *tracetest.Region) bool { return r.End == 0 }); i >= 0 {
			t.Errorf("runs %s: the region %s has no end", c.name, types[i])
		}
	}
	s.Close()
}
