package frameslice_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice"
	"github.com/frameslice/frameslice/scheduler"
)

// A download waits on a goroutine of its own. The coroutine is on the frame goroutine before and after it.
func ExampleIO() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	download := func(ctx context.Context) (string, error) {
		select {
		case <-time.After(20 * time.Millisecond): // a slow server
			return "a map", nil
		case <-ctx.Done(): // the level has ended
			return "", context.Cause(ctx)
		}
	}
	loop.Go(frameslice.Normal, func(co *frameslice.Co) {
		text, err := frameslice.IO(co, loop, download)
		fmt.Println(text, err)
		loop.Stop()
	})
	_ = loop.Run(context.Background(), func() error { return nil })
	// Output: a map <nil>
}

func frameOf(l *frameslice.Loop) {
	l.Begin()
	l.Slice()
	l.End()
	time.Sleep(time.Second / 60)
}

// Many waits keep no worker and no frame. Why says what a coroutine waits for.
func TestIOKeepsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := frameslice.Testing.Options()
		o.Workers.Workers, o.Workers.IO = -1, 3
		l := frameslice.NewWith(o)
		defer l.Close()
		sum := 0
		var tasks []*frameslice.Task
		for range 6 {
			tasks = append(tasks, l.Go(frameslice.Normal, func(co *frameslice.Co) {
				n, err := frameslice.IO(co, l, func(context.Context) (int, error) {
					time.Sleep(time.Second)
					return 7, nil
				})
				if err != nil {
					t.Error(err)
				}
				sum += n
			}))
		}
		frameOf(l)
		for i, want := range map[int]string{0: "waits for IO that runs", 5: "waits for IO that is queued"} {
			if why := tasks[i].Why(); why != want {
				t.Errorf("the %dth %s", i, why)
			}
		}
		start := time.Now()
		for frames := 1; sum < 42; frames++ {
			frameOf(l)
			if d := time.Since(start); d > time.Duration(frames+1)*time.Second/60 || d > 3*time.Second {
				t.Fatalf("%d frames in %v", frames, d)
			}
		}
		if r := l.Report("io"); r.Pool.IOEnded != 6 || r.Pool.Run+r.Pool.RanByCaller != 0 {
			t.Errorf("%+v", r.Pool)
		}
	})
}

// The errors of IO, and a future for other waits.
func TestIOErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := frameslice.New(frameslice.Testing)
		defer l.Close()
		boom := errors.New("boom")
		var errs []error
		l.Go(frameslice.Normal, func(co *frameslice.Co) {
			for _, f := range []func(context.Context) (int, error){
				func(context.Context) (int, error) { panic(boom) },
				func(context.Context) (int, error) { runtime.Goexit(); return 0, nil },
				func(context.Context) (int, error) { return 0, boom },
			} {
				_, err := frameslice.IO(co, l, f)
				errs = append(errs, err)
			}
			slow := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, context.Cause(ctx) }
			future := frameslice.SubmitIO(l, slow)
			_, err := scheduler.AwaitTimeout(co, future, time.Second)
			future.Cancel()
			_, last := frameslice.Await(co, future)
			errs = append(errs, err, last)
		})
		for range 100 {
			frameOf(l)
		}
		if len(errs) != 5 {
			t.Fatal(errs)
		}
		for i, want := range []error{boom, scheduler.ErrGoexit, boom, scheduler.ErrTimeout, context.Canceled} {
			if !errors.Is(errs[i], want) {
				t.Errorf("%d: %v, want %v", i, errs[i], want)
			}
		}
	})
}

// The context ends with the task, its group and the loop, and Close waits for what runs.
func TestIOEndsWithWhoWaits(t *testing.T) {
	for name, end := range map[string]func(l *frameslice.Loop, task *frameslice.Task, g *frameslice.Group){
		"task":  func(_ *frameslice.Loop, task *frameslice.Task, _ *frameslice.Group) { task.Cancel() },
		"group": func(_ *frameslice.Loop, _ *frameslice.Task, g *frameslice.Group) { g.Cancel() },
		"loop":  func(l *frameslice.Loop, _ *frameslice.Task, _ *frameslice.Group) { l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := frameslice.Testing.Options()
				o.Workers.IO = 2
				l := frameslice.NewWith(o)
				defer l.Close()
				var told, ended atomic.Int64
				wait := func(ctx context.Context) (int, error) {
					<-ctx.Done()
					told.Add(1)
					time.Sleep(time.Second / 2) // to tidy up
					ended.Add(1)
					return 0, nil
				}
				g := l.NewGroup("level")
				task := g.Go(frameslice.Normal, func(co *frameslice.Co) {
					_, _ = frameslice.IO(co, l, wait)
					t.Error("it came back")
				})
				g.Go(frameslice.Normal, func(co *frameslice.Co) {
					never := func(context.Context) (int, error) { t.Error("it began"); return 0, nil }
					if name == "task" {
						return
					}
					_, _ = frameslice.IO(co, l, wait)
					_, _ = frameslice.IO(co, l, never)
				})
				frameOf(l)
				start := time.Now()
				end(l, task, g)
				frameOf(l)
				if told.Load() == 0 {
					t.Error("its context continues")
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				if d := time.Since(start); ended.Load() == 0 || d < time.Second/2 || d > 600*time.Millisecond {
					t.Errorf("%d ended, Close returned after %v", ended.Load(), d)
				}
			})
		})
	}
}

// A thousand coroutines, cancelled at random: each function's context ends, each ends once, and no goroutine stays.
func TestIOOfCancelledCoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := frameslice.New(frameslice.Testing)
		var begun, ended, back atomic.Int64
		var tasks []*frameslice.Task
		for i := range 1000 {
			tasks = append(tasks, l.Go(frameslice.Normal, func(co *frameslice.Co) {
				n, err := frameslice.IO(co, l, func(ctx context.Context) (int, error) {
					begun.Add(1)
					defer ended.Add(1)
					if i%3 == 0 {
						<-ctx.Done()
						return 0, ctx.Err()
					}
					select {
					case <-ctx.Done():
						return 0, ctx.Err()
					case <-time.After(time.Duration(rand.IntN(100)) * time.Millisecond):
						return i, nil
					}
				})
				if n != i || err != nil {
					t.Errorf("%d: %d, %v", i, n, err)
				}
				back.Add(1)
			}))
		}
		for range 60 {
			for range 20 {
				tasks[rand.IntN(len(tasks))].Cancel()
			}
			frameOf(l)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if begun.Load() != ended.Load() || back.Load() == 0 || begun.Load() < back.Load() {
			t.Errorf("%d begun, %d ended, %d came back", begun.Load(), ended.Load(), back.Load())
		}
	})
}
