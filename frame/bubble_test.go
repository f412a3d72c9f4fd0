package frame_test

import (
	"context"
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The example is a test.
func TestAnExampleOfVirtualTime(t *testing.T) { testSearch(t) }

// inABubble has every field of Options with a value that is not the default one. (That of Pool is made in the bubble.)
var inABubble = map[string]frame.Options{
	"Interval":  {Interval: 5 * time.Millisecond},
	"Budget":    {Budget: deadline.Budget{Max: time.Millisecond}},
	"Scheduler": {Scheduler: scheduler.Options{Times: true, Events: 100, Wake: func() {}}},
	"Workers":   {Workers: workers.Options{Background: -1, RaiseProcs: true}, NoJobs: true},
	"Pool":      {},
	"NoJobs":    {NoJobs: true},
	"Placement": {Placement: frame.PlaceShadow},
	"Wait":      {Wait: frame.WaitTimer},
	"Pace":      {Pace: true},
	"Thread":    {Thread: frame.ThreadPrompt},
	"Tick":      {Tick: 10 * time.Millisecond},
	"JumpAfter": {JumpAfter: -1},
	"KeepOpen":  {KeepOpen: true},
	"Grace":     {Grace: -1},
	"IdleGC":    {IdleGC: true, Workers: workers.Options{Background: 1}},
	"Recorder":  {Recorder: record.Options{OnLate: func(record.Record) {}}},
	"Pressure":  {Pressure: frame.PressureOptions{Levels: 2}},
	"Watchdog":  {Watchdog: 30 * time.Millisecond},
	"OnStuck":   {OnStuck: func(frame.Stuck) { panic("no frame hangs") }},
}

// Whatever the options, a loop that is made within a bubble lets time pass there, and keeps to it.
func TestEveryOptionLetsVirtualTimePass(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no workers here: a job that waits stops the loop")
	}
	names := []string{"none"}
	for f := range reflect.TypeFor[frame.Options]().Fields() {
		if _, ok := inABubble[f.Name]; !ok {
			t.Errorf("what becomes of Options.%s within a bubble?", f.Name)
		}
		names = append(names, f.Name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := inABubble[name]
				if o.Workers.Workers = 1; name == "Pool" { // also on one P
					o.Pool = workers.New(o.Workers)
					defer o.Pool.Close(context.Background())
				}
				if o.Interval == 0 {
					o.Interval = 10 * time.Millisecond
				}
				keepsToVirtualTime(t, o)
			})
		})
	}
}

// keepsToVirtualTime runs 100 frames, with a task that waits for a job of 36 ms, and so goes on after 40.
func keepsToVirtualTime(t *testing.T, o frame.Options) {
	start := time.Now()
	l := frame.New(o)
	defer l.Close()
	var went time.Duration
	l.Go(deadline.Normal, func(co *scheduler.Co) {
		sleeps := func() (int, error) { time.Sleep(36 * time.Millisecond); return 42, nil }
		if v, err := scheduler.Await(co, workers.Submit(l.Pool(), deadline.Normal, sleeps)); v != 42 || err != nil {
			t.Error(v, err)
		}
		went = time.Since(start)
	})
	frames := 0
	err := l.Run(t.Context(), func() error {
		if frames++; frames == 100 {
			return frame.ErrStop
		}
		return nil
	})
	took, want := time.Since(start), 99*o.Interval
	if err != nil || took != want || went != 40*time.Millisecond {
		t.Errorf("%v: 100 frames in %v, want %v; the task went on after %v, want 40 ms", err, took, want, went)
	}
	if got := l.Stats().Thread; got > frame.ThreadLocked {
		t.Errorf("a %v thread", got)
	}
}

// What a loop waits for is timers, and that is what its report says.
func TestALoopInABubbleWaitsOnTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
		defer l.Close()
		if err := l.Run(t.Context(), func() error { return frame.ErrStop }); err != nil {
			t.Error(err)
		}
		if got := l.Report("virtual").Environment.WaitMode; got != "timer" {
			t.Errorf("it waits by %q", got)
		}
	})
}

// Nor does a host get from TakeThread what would have a loop that never sleeps go before the whole machine.
func TestTakeThreadInABubbleOnlyLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, giveBack := frame.TakeThread(frame.ThreadPrompt)
		if giveBack(); got > frame.ThreadLocked {
			t.Errorf("a %v thread", got)
		}
	})
}

// A pool and a loop in different times cannot wake each other: the runtime would end the program in the first job.
func TestAPoolOfAnotherTimeIsRefused(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	synctest.Test(t, func(t *testing.T) {
		got := panicOf(func() { frame.New(frame.Options{Pool: p}).Close() })
		if want := "frame: New with Options.Pool from outside of the testing/synctest bubble"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	var virtual *workers.Pool
	synctest.Test(t, func(t *testing.T) {
		virtual = workers.New(workers.Options{Workers: -1})
		if err := virtual.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	got := panicOf(func() { frame.New(frame.Options{Pool: virtual}).Close() })
	if want := "frame: New with Options.Pool from within a testing/synctest bubble, outside of it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
