package frame_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func TestOptionsThatMeanNothing(t *testing.T) {
	stopped := func() deadline.Instant { return 5 }
	for want, o := range map[string]frame.Options{
		"invalid Options.Placement": {Placement: 9},
		"invalid Options.Wait":      {Wait: 9},
		"Options.Scheduler.Clock":   {Scheduler: scheduler.Options{Clock: stopped}},
	} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "frame: New with ") || !strings.Contains(r, want) {
					t.Errorf("got %q, want %q", r, want)
				}
			}()
			frame.New(o)
		}()
	}
}

// A key that no map finds again would keep its decode for ever, and one that no map takes would panic in a task, with
// a request that never ends.
func TestKeysThatAreNone(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	defer l.Close()
	numbers := frame.NewLoader(l, frame.LoadOptions{},
		func(context.Context, float64, *frame.Meter) (int, error) { return 0, nil })
	anything := frame.NewLoader(l, frame.LoadOptions{},
		func(context.Context, any, *frame.Meter) (int, error) { return 0, nil })
	commit := func(int, error) {}
	wantPanic(t, "frame: Load of a key that does not equal itself", func() { numbers.Load(bg, math.NaN(), commit) })
	func() {
		defer func() {
			if r := recover(); r == nil {
				t.Error("a slice is a key")
			}
		}()
		anything.Load(bg, []int{1}, commit)
	}()
	anything.Load(bg, [1]int{1}, commit)
	if n := numbers.Progress().Total + anything.Progress().Total; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// What is asked of a loop that was closed before it was wrapped is canceled like all else.
func TestWrapAfterClose(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	l.Close()
	g := frame.Wrap[int, int](frame.Game[int](silent{}), l)
	g.Layout(1, 1)
	g.Draw(1)
	if h := l.Once(scheduler.AfterDraw, func() {}); h.State() != scheduler.Canceled || l.Host() != l.Scheduler() {
		t.Errorf("a callback is %v; %v", h.State(), l.Placement())
	}
}

type silent struct{}

func (silent) Update() error              { return nil }
func (silent) Draw(int)                   {}
func (silent) Layout(w, h int) (int, int) { return w, h }

// The wrong file must not pass for a run without a missed frame.
func TestReadReportOfSomethingElse(t *testing.T) {
	for _, text := range []string{`{"name":"x"}`, `null`, `{}`, `[]`, ``} {
		if r, err := frame.ReadReport(strings.NewReader(text)); err == nil || r != nil {
			t.Errorf("%s: %v, %v", text, r, err)
		}
	}
}
