package frame_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The example is a test.
func TestAnExampleOfVirtualTime(t *testing.T) { testSearch(t) }

// inABubble has every field of Options with a value that is not the default one. (That of Pool is made in the bubble.)
var inABubble = map[string]frame.Options{
	"Interval":  {Interval: 5 * time.Millisecond},
	"Budget":    {Budget: deadline.Budget{Max: time.Millisecond}},
	"Scheduler": {Scheduler: scheduler.Options{Times: true, Wake: func() {}}},
	"Workers":   {Workers: workers.Options{Background: -1, RaiseProcs: true}, NoJobs: true},
	"Pool":      {},
	"NoJobs":    {NoJobs: true},
	"Placement": {Placement: frame.PlaceShadow},
	"Pace":      {Pace: true},
	"JumpAfter": {JumpAfter: -1},
	"Grace":     {Grace: -1},
	"Timeline":  {Timeline: 10},
	"IdleGC":    {IdleGC: true, Workers: workers.Options{Background: 1}},
	"Recorder":  {Recorder: record.Options{OnLate: func(record.Record) {}}},
	"OnStuck":   {OnStuck: func(string) { panic("no frame hangs") }},
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
	play(t, l, 99, func(int) {})
	took, want := time.Since(start), 99*o.Interval
	if took != want || went != 40*time.Millisecond {
		t.Errorf("100 frames in %v, want %v; the task went on after %v, want 40 ms", took, want, went)
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	lost := errors.New("a task was lost")
	one := workers.Options{Workers: 1}
	drive := func(l *frame.Loop, done func() bool) error {
		defer l.Close()
		for range 200 {
			frameOf(l)
			if done() {
				return nil
			}
			time.Sleep(100 * time.Microsecond)
		}
		return lost
	}
	// The options of the scheduler and of the pool have tests of their own.
	extreme.Try(t, func(o frame.Options) error {
		o.Workers, o.OnStuck = one, func(string) {}
		n := 0
		l := frame.New(o)
		l.Post(deadline.Normal, func() { n++ })
		return drive(l, func() bool { return n == 1 })
	}, "Scheduler", "Workers")
}
