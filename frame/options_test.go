package frame_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The example is a test.
func TestAnExampleOfVirtualTime(t *testing.T) { testSearch(t) }

// inABubble has every field of Options with a value that is not the default one. (That of Pool is made in the bubble.)
var inABubble = map[string]frame.Options{
	"Interval":        {Interval: 5 * time.Millisecond},
	"Budget":          {Budget: deadline.Budget{Max: time.Millisecond}},
	"Scheduler":       {Scheduler: scheduler.Options{Wake: func() {}}},
	"Workers":         {Workers: workers.Options{Background: -1, RaiseProcs: true}, WorkersOnly: true},
	"Pool":            {},
	"WorkersOnly":     {WorkersOnly: true},
	"Placement":       {Placement: frame.PlaceShadow},
	"Pace":            {Pace: true},
	"JumpAfter":       {JumpAfter: -1},
	"CloseTimeout":    {CloseTimeout: -1},
	"Profile":         {Profile: 10},
	"GCBetweenFrames": {GCBetweenFrames: true, Workers: workers.Options{Background: 1}},
	"Recorder":        {Recorder: record.Options{WarmUp: -1}},
	"Seed":            {Seed: "1:"}, // decides nothing
	"OnStuck":         {OnStuck: func(string) { panic("no frame hangs") }},
}

// Whatever the options, a loop that is made within a bubble lets time pass there, and keeps to it.
func TestEveryOptionLetsVirtualTimePass(t *testing.T) {
	needsThreads(t)
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

// keepsToVirtualTime runs 100 frames, with a task that waits for a job of 36 ms, and so continues after 40.
func keepsToVirtualTime(t *testing.T, o frame.Options) {
	start := time.Now()
	l := frame.New(o)
	defer l.Close()
	var went time.Duration
	l.Go(deadline.Normal, func(co *scheduler.Co) {
		sleeps := func(context.Context) (int, error) { time.Sleep(36 * time.Millisecond); return 42, nil }
		if v, err := scheduler.Await(co, workers.Submit(l.Pool(), deadline.Normal, sleeps)); v != 42 || err != nil {
			t.Error(v, err)
		}
		went = time.Since(start)
	})
	play(t, l, 99, func(int) {})
	took, want := time.Since(start), 99*o.Interval
	if took != want || went != 40*time.Millisecond {
		t.Errorf("100 frames in %v, want %v; the task continued after %v, want 40 ms", took, want, went)
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
	testkit.Extremes(t, func(o frame.Options) error {
		o.Workers, o.OnStuck = one, func(string) {}
		n := 0
		l := frame.New(o)
		l.Post(deadline.Normal, func() { n++ })
		return drive(l, func() bool { return n == 1 })
	}, "Scheduler", "Workers")
}

type call = func(*frame.Loop)

// inTask, inCallback and elsewhere make a call where it must not be: in a task, in a callback, and on a second
// goroutine beside a task.
func inTask(f call) call {
	return func(l *frame.Loop) {
		text := ""
		l.Post(deadline.Immediate, func() { text = testkit.PanicOf(func() { f(l) }) })
		frameOf(l)
		if text != "" {
			panic(text)
		}
	}
}

func inCallback(f call) call {
	return func(l *frame.Loop) {
		text := ""
		l.Host().Once(scheduler.BeforeUpdate, func() { text = testkit.PanicOf(func() { f(l) }) })
		frameOf(l)
		if text != "" {
			panic(text)
		}
	}
}

func elsewhere(f call) call {
	return inTask(func(l *frame.Loop) {
		text := make(chan string)
		go func() { text <- testkit.PanicOf(func() { f(l) }) }()
		panic(<-text)
	})
}

// Misuse panics in the caller and says what is wrong. Nothing changes, so the loop continues.
func TestMisusePanicsWithItsName(t *testing.T) {
	var (
		begin, slice, end = (*frame.Loop).Begin, (*frame.Loop).Slice, (*frame.Loop).End
		rest, stop        = (*frame.Loop).Rest, (*frame.Loop).Stop
		step              = func(l *frame.Loop) { l.Step(1) }
		run               = func(l *frame.Loop) { _ = l.Run(bg, func() error { return frame.ErrStop }) }
		report            = func(l *frame.Loop) { l.Report("x") }
		draw              = func(l *frame.Loop) { l.RunPhase(scheduler.BeforeDraw) }
		interval          = func(d time.Duration) call { return func(l *frame.Loop) { l.SetInterval(d) } }
	)
	const modal = ": show a modal dialog in frames, and await its end in a coroutine"
	const again = "frame: Begin again before End: a loop has one frame at a time, and one wrapped game in it" + modal
	for _, c := range []misused{
		{"frame: Slice without Begin", []call{slice}},
		{"frame: End without Begin", []call{end}},
		{again, []call{begin, begin}},
		{again, []call{begin, slice, begin}},
		{"frame: Slice twice in one frame", []call{begin, slice, slice}},
		{"frame: End without Begin", []call{begin, slice, end, end}},
		{"frame: Step without Begin", []call{step}},
		{"frame: Step after Slice", []call{begin, slice, step}},
		{"frame: Step after Slice", []call{inTask(step)}},
		{"", []call{func(l *frame.Loop) { _ = l.Close() }, step}},
		{"", []call{begin, slice, stop, step}},
		{"frame: Run in a frame that the host has begun", []call{begin, run}},
		{"frame: Run with a nil function", []call{func(l *frame.Loop) { _ = l.Run(bg, nil) }}},
		{"frame: Rest in a frame that the host has begun", []call{begin, rest}},
		{"frame: RunPhase without Begin", []call{draw}},
		{"frame: RunPhase after Slice", []call{begin, slice, draw}},
		{"frame: RunPhase while another call of the loop runs: from a task or from a second goroutine" +
			modal, []call{inCallback(draw)}},
		{"frame: RunPhase with an invalid Phase(3)", []call{func(l *frame.Loop) {
			l.RunPhase(scheduler.AfterDraw + 1)
		}}},
		{"frame: Report after Slice", []call{begin, slice, report}},
		{"frame: Report while another call of the loop runs", []call{inTask(report)}},
		{"frame: Begin while another call of the loop runs", []call{inTask(begin)}},
		{"frame: Slice while another call of the loop runs", []call{inTask(slice)}},
		{"frame: End while another call of the loop runs", []call{inTask(end)}},
		{"frame: Rest while another call of the loop runs", []call{inTask(rest)}},
		{"frame: Run while another call of the loop runs", []call{inTask(run)}},
		{"frame: Begin while another call of the loop runs", []call{elsewhere(begin)}},
		{"frame: SetInterval to -1ns, less than 50µs", []call{interval(-1)}},
		{"frame: SetInterval to 60ns, less than 50µs (60 times a second is time.Second / 60, " +
			"60 ms is 60 * time.Millisecond)", []call{interval(60)}},
		{"frame: Wrap of a nil game", []call{func(l *frame.Loop) { frame.Wrap[any, any, any](nil, l) }}},
	} {
		c.check(t, frame.PlaceAuto)
	}
	first := func(l *frame.Loop) { frameOf(l) } // which has no slice
	wrap := func(l *frame.Loop) { frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l) }
	section := func(l *frame.Loop) { l.Section("x") }
	for _, c := range []misused{
		{"frame: Slice without Begin", []call{slice}},
		{again, []call{begin, slice, begin}},
		{"frame: Slice twice in one frame", []call{begin, slice, slice}},
		{"frame: Slice twice in one frame", []call{first, begin, slice, step, draw, slice}},
		{"", []call{first, begin, slice, step, draw, report, section, end}},
		{"", []call{begin, step, end, begin, slice, end}},
		{"frame: End without Begin", []call{begin, slice, end, end}},
		{"frame: Step after Slice", []call{first, inTask(step)}},
		{"frame: Section after Slice", []call{first, inTask(section)}},
		{"frame: Slice while another call of the loop runs", []call{first, inTask(slice)}},
		{"frame: Wrap of a loop with PlaceFirst", []call{wrap}},
	} {
		c.check(t, frame.PlaceFirst)
	}
}

// misused is a row of calls of which the last one panics with want.
type misused struct {
	want  string
	calls []call
}

func (c *misused) check(t *testing.T, place frame.Placement) {
	t.Helper()
	l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: -1}})
	defer l.Close()
	before, last := l.Placement(), len(c.calls)-1
	for _, f := range c.calls[:last] {
		f(l)
	}
	got := testkit.PanicOf(func() { c.calls[last](l) })
	if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
		t.Errorf("panic %q, want %q", got, c.want)
	}
	if last == 0 && l.Stats().Frames == 0 && c.want != "frame: Wrap of a nil game" && l.Placement() != before {
		t.Errorf("%s: the slice lies %v", c.want, l.Placement())
	}
}

// In a task of the slice in the shadow the host may be anywhere in its frame, and its own calls work afterwards.
func TestMisuseInTheShadow(t *testing.T) {
	needsThreads(t)
	for want, call := range map[string]call{
		"frame: Report in a task": func(l *frame.Loop) { l.Report("x") },
		"frame: Rest in a task":   (*frame.Loop).Rest,
		"frame: Run in a task":    func(l *frame.Loop) { _ = l.Run(bg, func() error { return nil }) },
	} {
		l := frame.New(frame.Options{
			Interval: 50 * ms, Placement: frame.PlaceShadow, Workers: workers.Options{Workers: -1},
		})
		in, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan string, 1)
		l.Post(deadline.Normal, func() { close(in); <-goOn; ended <- testkit.PanicOf(func() { call(l) }) })
		l.Begin()
		l.Slice()
		<-in
		l.End()
		close(goOn)
		if got := <-ended; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		frameOf(l)
		l.Rest()
		if r := l.Report("x"); r.Run.Frames != 2 {
			t.Errorf("%d frames", r.Run.Frames)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// New refuses a value that an option cannot have, with the field and the value, before there is anything to close.
func TestOptionsThatMeanNothing(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	for want, o := range map[string]frame.Options{
		"frame: New with an invalid Options.Placement: 9": {Placement: 9},
		"frame: New with Options.Interval of -1s, less":   {Interval: -time.Second},
		"frame: New with Options.Interval of 16ns, less":  {Interval: 16},
		"frame: New with Options.Scheduler.Clock": {
			Scheduler: scheduler.Options{Clock: func() deadline.Instant { return 5 }},
		},
		`frame: New with Options.Seed of "seven": a seed is a number`: {Seed: "seven"},
		"frame: New with Options.Seed outside of a testing/synctest":  {Seed: "7"},
		"record: New with Options.Records of -1, less than 0":         {Recorder: record.Options{Records: -1}},
	} {
		o.Workers = workers.Options{Background: 1, RaiseProcs: true}
		if got := testkit.PanicOf(func() { frame.New(o).Close() }); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if procs := runtime.GOMAXPROCS(0); procs != before {
		t.Errorf("a pool was left: GOMAXPROCS is %d, not %d", procs, before)
	}
}

// A pool and a loop in different times cannot wake each other: the runtime would end the program in the first job.
func TestAPoolOfAnotherTimeIsRefused(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	var virtual *workers.Pool
	synctest.Test(t, func(t *testing.T) {
		testkit.Panics(t, "frame: New with Options.Pool from outside of the testing/synctest bubble",
			func() { frame.New(frame.Options{Pool: p}).Close() })
		virtual = workers.New(workers.Options{Workers: -1})
		if err := virtual.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	testkit.Panics(t, "frame: New with Options.Pool from within a testing/synctest bubble, outside of it",
		func() { frame.New(frame.Options{Pool: virtual}).Close() })
}
