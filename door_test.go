package frameslice_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// A program without a display: a job beside the frames, tasks in their slices, and the report.
func Example() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	sum := frameslice.Submit(loop, frameslice.Normal, func(context.Context) (int64, error) { // on a worker
		n := int64(0)
		for i := range int64(1_000_000) {
			n += i
		}
		return n, nil
	})
	done := false
	loop.Go(frameslice.Normal, func(co *frameslice.Co) { // in what the frames have left
		n, err := frameslice.Await(co, sum)
		fmt.Println(n, err)
		split := func(context.Context) ([]string, error) { return strings.Fields("one two"), nil }
		words, err := frameslice.Background(co, loop, split)
		fmt.Println(words, err)
		done = true
	})
	err := loop.Run(context.Background(), func() error { // 60 times a second
		if done {
			return frameslice.ErrStop
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 499999500000 <nil>
	// [one two] <nil>
	// <nil>
}

// A Loader decodes on the workers, several keys at once, and commits in the slice.
func ExampleNewLoader() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	decode := func(_ context.Context, name string, m *frameslice.Meter) (string, error) {
		m.Add(int64(len(name)))
		return strings.ToUpper(name), nil
	}
	o := frameslice.LoadOptions{Label: "upper"}
	var loader *frameslice.Loader[string, string] = frameslice.NewLoader(loop, o, decode)
	var all []*frameslice.Request
	texts := map[string]string{}
	for _, name := range []string{"tree", "rock", "sea"} {
		commit := func(s string, err error) { texts[name] = s }
		all = append(all, loader.Load(context.Background(), name, commit))
	}
	_ = loop.Run(context.Background(), func() error {
		if p := frameslice.Progress(loader.Progress()); p.Fraction() == 1 {
			fmt.Println(p.Loaded, "of", p.Total, texts, all[0].State())
			return frameslice.ErrStop
		}
		return nil
	})
	// Output: 3 of 3 map[rock:ROCK sea:SEA tree:TREE] loaded
}

// The tasks of a scene end with its group.
func ExampleGroup() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	var level *frameslice.Group = loop.NewGroup("level 1")
	enemy := level.Go(frameslice.Low, func(co *frameslice.Co) {
		for {
			co.NextFrame()
		}
	})
	frames := 0
	loop.Mark(frameslice.Loading)
	var tick frameslice.Handle = loop.Each(frameslice.BeforeUpdate, func() { frames++ })
	_ = loop.Run(context.Background(), func() error {
		if frames == 3 {
			tick.Cancel()
			level.Cancel() // the enemy ends in the next slice
		}
		if enemy.Err() != nil {
			return frameslice.ErrStop
		}
		return nil
	})
	fmt.Println(frames, errors.Is(enemy.Err(), frameslice.ErrCanceled))
	// Output: 3 true
}

func TestPresets(t *testing.T) {
	procs, gogc := runtime.GOMAXPROCS(0), debug.SetGCPercent(100)
	defer debug.SetGCPercent(gogc)
	for _, p := range []frameslice.Preset{frameslice.Balanced, frameslice.MaxThroughput} {
		o := p.Options()
		o.CloseTimeout = time.Minute // beside other programs a worker of low OS priority may leave late
		l := frameslice.NewWith(o)
		ran := false
		seven := func(context.Context) (int, error) { return 7, nil }
		var f *frameslice.Future[int] = frameslice.Submit(l, frameslice.UserBlocking, seven)
		l.Go(frameslice.Immediate, func(co *frameslice.Co) {
			n, err := frameslice.Await(co, f)
			ran = n == 7 && err == nil
		})
		err := l.Run(t.Context(), func() error {
			if ran {
				return frameslice.ErrStop
			}
			return nil
		})
		if err != nil {
			t.Errorf("preset %d: %v", p, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("preset %d: Close: %v", p, err)
		}
		if n := runtime.GOMAXPROCS(0); n != procs {
			t.Errorf("preset %d: GOMAXPROCS is %d after Close, was %d", p, n, procs)
		}
		if n := debug.SetGCPercent(100); n != 100 {
			t.Errorf("preset %d: GOGC is %d after Close", p, n)
		}
	}
	if o := frameslice.MaxThroughput.Options(); o.Workers.Background == 0 || !o.GCBetweenFrames {
		t.Errorf("MaxThroughput has no background workers, or no idle collections: %+v", o)
	}
	testkit.Panics(t, "frameslice: not a Preset", func() { _ = frameslice.Preset(77).Options() })
}

// In a bubble an hour passes at once, a task's panic comes out of Slice, and each frame counts, however late.
func TestPresetForTests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l *frameslice.Loop = frameslice.New(frameslice.Testing)
		defer l.Close()
		frame := func() {
			l.Begin()
			l.Slice()
			l.End()
		}
		hours := 0
		var clock *frameslice.Task = l.Every(frameslice.Idle, time.Hour, func() { hours++ })
		for range 3 {
			frame()
			time.Sleep(time.Hour)
		}
		frame()
		var report *frameslice.Report = l.Report("test")
		if hours != 3 || report.Run.Frames != 4 || report.Run.Jumps != 0 {
			t.Errorf("%d hours, of 3; the report has %+v", hours, report.Run)
		}
		clock.Cancel()
		l.Post(frameslice.Normal, func() { panic("a bug") })
		if text := testkit.PanicOf(frame); !strings.Contains(text, "a bug") {
			t.Errorf("the panic came out as %q", text)
		}
		l.End()
	})
}

// What the door has is what the parts have: both mix.
func TestDoorAndParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := frameslice.New(frameslice.Testing)
		defer l.Close()
		var order []string
		say := func(s string) func() { return func() { order = append(order, s) } }
		l.After(frameslice.Low, time.Millisecond, say("after"))
		for _, p := range []scheduler.Phase{frameslice.BeforeUpdate, frameslice.BeforeDraw, frameslice.AfterDraw} {
			l.Each(p, say(p.String()))
		}
		squares := make([]int, 100)
		l.ParallelFor(len(squares), 10, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				squares[i] = i * i
			}
		})
		var p frameslice.Priority = frameslice.Normal
		l.Post(p, say("post"))
		l.Begin()
		time.Sleep(2 * time.Millisecond)
		l.RunPhase(frameslice.BeforeDraw)
		l.Slice()
		l.End()
		got := strings.Join(order, " ")
		if want := "before update before draw after draw post after"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if squares[99] != 99*99 {
			t.Errorf("squares: %v", squares)
		}
	})
}

// Background passes the coroutine's priority on, and the job's error or panic back. A job that has not begun when its
// coroutine is canceled does not run.
func TestBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := frameslice.Testing.Options()
		o.Workers.Workers, o.WorkersOnly = 1, true
		l := frameslice.NewWith(o)
		defer l.Close()
		free := make(chan struct{})
		l.Pool().Go(frameslice.Immediate, func() { <-free })
		synctest.Wait() // the worker is taken
		boom := errors.New("boom")
		var order []string
		var errs [2]error
		background := func(p frameslice.Priority) *frameslice.Task {
			return l.Go(p, func(co *frameslice.Co) {
				_, errs[0] = frameslice.Background(co, l, func(context.Context) (int, error) {
					order = append(order, p.String())
					return 0, boom
				})
				_, errs[1] = frameslice.Background(co, l, func(context.Context) (int, error) { panic(boom) })
			})
		}
		background(frameslice.Low)
		canceled := background(frameslice.Normal)
		frame := func() {
			l.Begin()
			l.Slice()
			l.End()
			time.Sleep(time.Second / 60)
		}
		frame()
		background(frameslice.UserBlocking)
		frame() // all three wait for the worker
		canceled.Cancel()
		frame()
		close(free)
		for range 9 {
			frame()
		}
		if got := strings.Join(order, ", "); got != "user-blocking, low" {
			t.Errorf("the jobs that ran: %s", got)
		}
		if !errors.Is(errs[0], boom) || !errors.Is(errs[1], boom) {
			t.Errorf("errors: %v", errs)
		}
	})
}

// A job that waits within Blocking keeps no worker.
func TestBlocking(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("one thread runs all")
	}
	o := frameslice.Balanced.Options()
	o.Workers.Workers, o.WorkersOnly = 1, true
	l := frameslice.NewWith(o)
	defer l.Close()
	done := make(chan struct{})
	f := frameslice.Submit(l, frameslice.Normal, func(ctx context.Context) (int, error) {
		frameslice.Blocking(ctx, func() { <-done })
		return 7, nil
	})
	l.Pool().Go(frameslice.Normal, func() { close(done) })
	<-f.Done()
	if n, err := f.Result(); n != 7 || err != nil {
		t.Error(n, err)
	}
}

// The context of a job ends with the task that wants its result, with the task's group, and with the loop.
func TestBackgroundEndsWithWhoWaits(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("the slice would run the job that waits")
	}
	for name, end := range map[string]func(l *frameslice.Loop, task *frameslice.Task, g *frameslice.Group){
		"task":  func(_ *frameslice.Loop, task *frameslice.Task, _ *frameslice.Group) { task.Cancel() },
		"group": func(_ *frameslice.Loop, _ *frameslice.Task, g *frameslice.Group) { g.Cancel() },
		"loop":  func(l *frameslice.Loop, _ *frameslice.Task, _ *frameslice.Group) { l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := frameslice.Testing.Options()
				o.Workers.Workers, o.WorkersOnly, o.CloseTimeout = 2, true, time.Hour
				l := frameslice.NewWith(o)
				defer l.Close()
				var ended [2]time.Duration
				var done atomic.Int64
				start := time.Now()
				wait := func(i int) func(ctx context.Context) (int, error) {
					return func(ctx context.Context) (int, error) {
						select {
						case <-ctx.Done():
						case <-time.After(time.Minute):
						}
						ended[i] = time.Since(start)
						done.Add(1)
						return 0, nil
					}
				}
				g := l.NewGroup("level")
				task := g.Go(frameslice.Normal, func(co *frameslice.Co) {
					_, _ = frameslice.Background(co, l, wait(0))
				})
				frameslice.Submit(l, frameslice.Normal, wait(1))
				frame := func() {
					l.Begin()
					l.Slice()
					l.End()
				}
				frame()
				synctest.Wait()
				end(l, task, g)
				frame()
				synctest.Wait()
				told := done.Load() > 0
				l.Close()
				if !told || ended != [2]time.Duration{} {
					t.Errorf("the jobs ended after %v", ended)
				}
			})
		})
	}
}

func TestCallsWithNothing(t *testing.T) {
	l := frameslice.New(frameslice.Testing)
	defer l.Close()
	for want, call := range map[string]func(co *frameslice.Co){
		"frameslice: Background with a nil Loop": func(co *frameslice.Co) {
			_, _ = frameslice.Background(co, nil, func(context.Context) (int, error) { return 0, nil })
		},
		"frameslice: Background with a nil function": func(co *frameslice.Co) {
			_, _ = frameslice.Background[int](co, l, nil)
		},
		"frameslice: IO with a nil Loop": func(co *frameslice.Co) {
			_, _ = frameslice.IO(co, nil, func(context.Context) (int, error) { return 0, nil })
		},
		"frameslice: IO with a nil function": func(co *frameslice.Co) { _, _ = frameslice.IO[int](co, l, nil) },
		"frameslice: SubmitIO with a nil Loop": func(*frameslice.Co) {
			frameslice.SubmitIO(nil, func(context.Context) (int, error) { return 0, nil })
		},
		"frameslice: Submit with a nil Loop": func(*frameslice.Co) {
			frameslice.Submit(nil, frameslice.Normal, func(context.Context) (int, error) { return 0, nil })
		},
	} {
		var got any
		l.Go(frameslice.Normal, func(co *frameslice.Co) {
			got = testkit.Recovered(func() { call(co) })
		})
		for range 2 { // of two frames in a row one has a slice
			l.Begin()
			l.Slice()
			l.End()
		}
		if got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}
}

// One more setting of a preset.
func ExamplePreset_Options() {
	o := frameslice.MaxThroughput.Options()
	o.Interval = time.Second / 120
	loop := frameslice.NewWith(o)
	defer loop.Close()
	fmt.Println(o.GCBetweenFrames)
	// Output: true
}
