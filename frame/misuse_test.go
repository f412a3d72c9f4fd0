package frame_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// New refuses what cannot be meant, with the field and the value, before there is anything to close.
func TestOptionsThatMeanNothing(t *testing.T) {
	stopped := func() deadline.Instant { return 5 }
	pressure := func(o frame.PressureOptions) frame.Options { return frame.Options{Pressure: o} }
	nan := math.NaN()
	before := runtime.GOMAXPROCS(0)
	for want, o := range map[string]frame.Options{
		"an invalid Options.Placement: 9":             {Placement: 9},
		"an invalid Options.Wait: 9":                  {Wait: 9},
		"an invalid Options.Thread: 9":                {Thread: 9},
		"Options.Scheduler.Clock":                     {Scheduler: scheduler.Options{Clock: stopped}},
		"Options.Interval of -1s, less":               {Interval: -time.Second},
		"Options.Interval of 16ns, less":              {Interval: 16},
		"Options.Tick of -1ns, less than 0":           {Tick: -1},
		"Options.Pressure.High of 90, which":          pressure(frame.PressureOptions{High: 90}),
		"Options.Pressure.High of NaN, which":         pressure(frame.PressureOptions{High: nan}),
		"Options.Pressure.Low of -0.1, which":         pressure(frame.PressureOptions{Low: -0.1}),
		"Options.Pressure.Low of NaN, which":          pressure(frame.PressureOptions{Low: nan}),
		"Options.Pressure.Low of 0.8, more than High": pressure(frame.PressureOptions{High: 0.2, Low: 0.8}),
		"Options.Pressure.Depth of -1, less":          pressure(frame.PressureOptions{Depth: -1}),
		"Options.Pressure.Rise of -1s, less":          pressure(frame.PressureOptions{Rise: -time.Second}),
		"Options.Pressure.Fall of -1s, less":          pressure(frame.PressureOptions{Fall: -time.Second}),
	} {
		o.Workers = workers.Options{Background: 1, RaiseProcs: true}
		if got := panicOf(func() { frame.New(o).Close() }); !strings.HasPrefix(got, "frame: New with "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	o := frame.Options{Recorder: record.Options{Records: -1}, Workers: workers.Options{Background: 1, RaiseProcs: true}}
	wantPanic(t, "record: New with Options.Records of -1, less than 0", func() { frame.New(o).Close() })
	if procs := runtime.GOMAXPROCS(0); procs != before {
		t.Errorf("a pool was left: GOMAXPROCS is %d, not %d", procs, before)
	}
}

// Bad arguments: a panic in the caller that names what is wrong, and nothing has changed, also not where the slice
// lies.
func TestMisuseOfArguments(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	defer l.Close()
	for want, f := range map[string]func(){
		"frame: Once with a nil function":         func() { l.Once(scheduler.AfterDraw, nil) },
		"frame: Once with an invalid Phase(99)":   func() { l.Once(99, func() {}) },
		"frame: Each with an invalid Phase(98)":   func() { l.Each(98, func() {}) },
		"frame: RunPhase with an invalid Phase(3": func() { l.RunPhase(3) },
	} {
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if runtime.GOOS != "js" && l.Placement() != frame.PlaceAuto {
			t.Fatalf("%s: the slice lies %v", want, l.Placement())
		}
	}
	task := l.Go(deadline.Normal, func(co *scheduler.Co) {
		got := panicOf(func() { _, _ = frame.Background[int](co, nil, nil) })
		if got != "frame: Background with a nil Pool" {
			t.Errorf("Background: %q", got)
		}
	})
	l.Begin()
	l.Slice()
	l.End()
	if task.State() != scheduler.Done {
		t.Errorf("the task is %v", task.State())
	}
}

func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
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
