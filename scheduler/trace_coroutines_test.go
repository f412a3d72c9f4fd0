package scheduler_test

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// Each coroutine tells what it waits for, since when, and where it comes from.
func TestCoroutines(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		co := func(label string, g *scheduler.Group, p deadline.Priority, f func(co *scheduler.Co)) *scheduler.Task {
			task := &scheduler.Task{Label: label, Priority: p, Co: f, Group: g}
			w.s.Submit(task)
			return task
		}
		g := w.s.NewGroup("g")
		target := co("target", nil, 0, func(co *scheduler.Co) { co.Sleep(time.Hour) })
		co("waits", nil, 0, func(co *scheduler.Co) { co.Wait(target) })
		co("awaits", nil, deadline.Low, func(co *scheduler.Co) { scheduler.Await(co, silence{}) })
		co("draws", nil, 0, func(co *scheduler.Co) { co.AfterDraw() })
		co("paused", g, 0, func(co *scheduler.Co) { co.NextFrame() })
		co("slept", nil, 0, func(co *scheduler.Co) { co.Sleep(3 * time.Second) })
		w.s.BeginFrame(deadline.Now())
		w.drain()
		g.Pause()
		time.Sleep(10 * time.Second)
		w.s.Go(0, func(co *scheduler.Co) { co.NextFrame() }) // has not begun: it is not there
		var self string
		var dst [10]scheduler.Coroutine
		n := w.s.Coroutines(dst[:])
		var got []string
		for _, c := range dst[:n] {
			if !regexp.MustCompile(`^scheduler/trace_coroutines_test\.go:\d+$`).MatchString(c.Place) {
				t.Errorf("%s is at %s", c.Label, c.Place)
			}
			got = append(got, fmt.Sprint(c.Label, ", ", c.Priority, ", ", c.Why, ", ", c.Waited, ", ", c.Asleep))
		}
		slices.Sort(got)
		want := []string{
			"awaits, low, waits for a scheduler_test.silence, 10s, false",
			"draws, normal, waits until a frame is drawn, 10s, false",
			"paused, normal, the group g is paused, 10s, true",
			"slept, normal, is next: the slice has ended, 7s, false",
			"target, normal, delayed for another 59m50s, 10s, true",
			"waits, normal, waits for the task target, 10s, false",
		}
		if !slices.Equal(got, want) {
			t.Errorf("there are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if n := w.s.Coroutines(dst[:2]); n != 6 {
			t.Errorf("%d coroutines in an array that is too short, want 6", n)
		}
		co("self", nil, deadline.Immediate, func(*scheduler.Co) {
			n := w.s.Coroutines(dst[:])
			i := slices.IndexFunc(dst[:n], func(c scheduler.Coroutine) bool { return c.Label == "self" })
			self = fmt.Sprint(dst[i].Why, " ", dst[i].Waited)
		})
		w.drain()
		if self != "running 0s" {
			t.Errorf("a coroutine in its run is %q", self)
		}
	})
}

type enemies struct{}

func (*enemies) patrol(co *scheduler.Co) { co.Sleep(time.Hour) }

// After the first look a coroutine knows where it was submitted, by whatever verb. Before, the place of its function
// must do, and the wrapper of a method value has none.
func TestPlaces(t *testing.T) {
	inWorld(t, scheduler.Options{}, func(w *world) {
		body := new(enemies).patrol
		submit := func(label string) int {
			task := &scheduler.Task{Label: label, Co: body}
			w.s.Submit(task)
			_, _, line, _ := runtime.Caller(0)
			return line - 1
		}
		places := func() map[string]string {
			w.s.BeginFrame(deadline.Now())
			w.drain()
			var dst [10]scheduler.Coroutine
			got := map[string]string{}
			for _, c := range dst[:w.s.Coroutines(dst[:])] {
				got[c.Label] = c.Place
			}
			return got
		}
		submit("early")
		if got := places(); len(got) != 1 || got["early"] != "" {
			t.Errorf("before the first look: %v", got)
		}
		late := submit("late")
		w.s.Go(0, body)
		w.s.NewGroup("g").Go(0, func(co *scheduler.Co) { body(co) })
		_, _, line, _ := runtime.Caller(0)
		got, want := places(), map[string]int{
			"late": late,
			"github.com/frameslice/frameslice/scheduler_test.(*enemies).patrol-fm": line - 2,
			"github.com/frameslice/frameslice/scheduler_test.TestPlaces.func1.3":   line - 1,
		}
		for label, line := range want {
			if p := fmt.Sprintf("scheduler/trace_coroutines_test.go:%d", line); got[label] != p {
				t.Errorf("%s is at %q, want %s; of %v", label, got[label], p, got)
			}
		}
	})
}
