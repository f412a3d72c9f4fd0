package frame_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// bg is a context that never ends.
var bg = context.Background()

// loading is a loop in virtual time, with a log.
type loading struct {
	l     *frame.Loop
	start time.Time
	lines []string
	slow  map[string]time.Duration // how long a key takes to decode
	fail  map[string]int           // how often a key fails
	runs  atomic.Int32             // decodes begun
	ended atomic.Int32             // decodes whose context ended
}

// needsWorkers skips a script whose times count on decodes beside the frames:
// where a pool has no workers they run within the frame that asked.
func needsWorkers(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("a pool has no workers here")
	}
}

func inLoading(t *testing.T, f func(w *loading)) {
	t.Helper()
	needsWorkers(t)
	inLoadingWith(t, 4, f)
}

// inLoadingWith is inLoading with that many workers; -1 is none, and then the slice decodes.
func inLoadingWith(t *testing.T, n int, f func(w *loading)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		w := &loading{slow: map[string]time.Duration{}, fail: map[string]int{}, start: time.Now()}
		w.l = frame.New(frame.Options{
			Workers: workers.Options{Workers: n, Park: workers.ParkChan}, NoJobs: true,
			Budget:    deadline.Budget{Interval: 10 * time.Millisecond, Reserve: time.Millisecond},
			Scheduler: scheduler.Options{OnPanic: func(*scheduler.PanicError) {}},
		})
		f(w)
		w.l.Close()
	})
}

func (w *loading) frames(n int) {
	for range n {
		w.l.Begin()
		w.l.Slice()
		w.l.End()
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
	}
}

func (w *loading) loader(o frame.LoadOptions) *frame.Loader[string, string] {
	return frame.NewLoader(w.l, o, w.decode)
}

func (w *loading) decode(ctx context.Context, key string, m *frame.Meter) (string, error) {
	n := w.runs.Add(1)
	m.SetTotal(100)
	m.Add(50)
	select {
	case <-time.After(max(w.slow[key], time.Millisecond)):
	case <-ctx.Done():
		w.ended.Add(1)
		return "", context.Cause(ctx)
	}
	switch {
	case key == "panic":
		panic("bad pixels")
	case key == "goexit":
		runtime.Goexit()
	case w.fail[key] >= int(n):
		return "", fmt.Errorf("attempt %d", n)
	}
	m.Add(50)
	return strings.ToUpper(key), nil
}

func (w *loading) commit(who string) func(string, error) {
	return func(v string, err error) {
		if err != nil {
			v = "error: " + err.Error()
		}
		w.lines = append(w.lines, fmt.Sprintf("%v %s %s", time.Since(w.start), who, v))
	}
}

func (w *loading) want(t *testing.T, lines ...string) {
	t.Helper()
	if got, want := strings.Join(w.lines, "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestRequestsForOneKeyShareADecode(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld := w.loader(frame.LoadOptions{})
		w.slow["a"] = 25 * time.Millisecond
		first := ld.Load(bg, "a", w.commit("first"))
		w.frames(1)
		ld.Load(bg, "a", w.commit("second"))
		ld.Load(bg, "b", w.commit("other"))
		w.frames(1)
		if !first.Cancel() || first.Cancel() || first.State() != frame.LoadCanceled {
			t.Error("Cancel")
		}
		w.frames(4)
		w.want(t, "20ms other B", "30ms second A")
		if w.runs.Load() != 2 || w.ended.Load() != 0 {
			t.Errorf("%d decodes, %d ended", w.runs.Load(), w.ended.Load())
		}
		if p := ld.Progress(); p != (frame.Progress{Total: 3, Loaded: 2, Canceled: 1, Bytes: 200, TotalBytes: 200}) ||
			p.Fraction() != 1 {
			t.Errorf("%+v", p)
		}
		ld.Load(bg, "b", w.commit("again"))
		w.frames(2)
		if w.runs.Load() != 3 {
			t.Error("a value was kept")
		}
	})
}

func TestRetriesBackOff(t *testing.T) {
	inLoading(t, func(w *loading) {
		o := frame.LoadOptions{Attempts: 4, Backoff: 20 * time.Millisecond, MaxBackoff: 30 * time.Millisecond}
		ld := w.loader(o)
		w.fail["a"] = 3
		ld.Load(bg, "a", w.commit("a"))
		w.frames(14)
		w.want(t, "120ms a A")
		if p := ld.Progress(); p.Retried != 3 || p.Loaded != 1 || p.Bytes != 100 {
			t.Errorf("%+v", p)
		}
	})
	inLoading(t, func(w *loading) {
		retry := func(err error) bool { return err.Error() != "attempt 2" }
		ld := w.loader(frame.LoadOptions{Attempts: 9, Retry: retry})
		w.fail["a"] = 9
		r := ld.Load(bg, "a", w.commit("a"))
		w.frames(15)
		w.want(t, "120ms a error: attempt 2")
		if p := ld.Progress(); r.State() != frame.LoadFailed || p.Failed != 1 || p.Bytes != 0 || p.TotalBytes != 0 {
			t.Errorf("%v %+v", r.State(), p)
		}
	})
}

func TestFaultsOfDecodeAndCommit(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld := w.loader(frame.LoadOptions{Attempts: 3, Label: "asset"})
		var errs [2]error
		ld.Load(bg, "panic", func(_ string, err error) { errs[0] = err })
		ld.Load(bg, "goexit", func(_ string, err error) { errs[1] = err })
		ld.Load(bg, "a", func(string, error) { runtime.Goexit() })
		ld.Load(bg, "a", w.commit("after a commit that did not return"))
		w.frames(3)
		w.want(t, "10ms after a commit that did not return A")
		var pe *workers.PanicError
		if !errors.As(errs[0], &pe) || pe.Label != "asset" || !errors.Is(errs[1], workers.ErrGoexit) {
			t.Error(errs)
		}
		if w.runs.Load() != 3 {
			t.Errorf("%d decodes", w.runs.Load())
		}
	})
}

// A request is canceled in each state; what goes on elsewhere ends.
func TestCancelInEveryState(t *testing.T) {
	type step struct {
		name   string
		frames int // before the cancellation
		decode int32
		ended  int32
	}
	for _, s := range []step{
		{"before it began", 0, 0, 0},
		{"while it is decoded", 1, 1, 1},
		{"while it waits for the next attempt", 4, 1, 0},
	} {
		for _, by := range []string{"Cancel", "context", "slot", "Close"} {
			inLoading(t, func(w *loading) {
				ld := w.loader(frame.LoadOptions{Attempts: 2, Backoff: time.Hour})
				w.slow["a"], w.fail["a"] = 15*time.Millisecond, 1
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				var slot frame.Slot
				r := ld.LoadInto(ctx, &slot, "a", w.commit("stale"))
				w.frames(s.frames)
				switch by {
				case "Cancel":
					r.Cancel()
				case "context":
					cancel()
					synctest.Wait()
				case "slot":
					w.fail["new"] = 0
					ld.LoadInto(bg, &slot, "new", func(v string, err error) {
						if v != "NEW" {
							t.Error(v, err)
						}
					})
				case "Close":
					w.l.Close()
				}
				if by != "Close" {
					w.frames(5)
				}
				synctest.Wait()
				w.want(t)
				decodes := w.runs.Load()
				if by == "slot" {
					decodes--
				}
				if r.State() != frame.LoadCanceled || decodes != s.decode {
					t.Errorf("%s, by %s: %v, %d decodes", s.name, by, r.State(), decodes)
				}
				if s.decode == 1 && s.frames == 1 && w.ended.Load() != 1 && by != "slot" {
					t.Errorf("%s, by %s: the decode went on", s.name, by)
				}
				if p := ld.Progress(); by == "Cancel" && (p.Bytes != 0 || p.Done() != 1) {
					t.Errorf("%s: %+v", s.name, p)
				}
			})
		}
	}
}

// The last state: the value is there, and the commit waits in the queue.
func TestCancelBeforeTheCommit(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld := w.loader(frame.LoadOptions{})
		var second *frame.Request
		ld.Load(bg, "a", func(string, error) {
			if !second.Cancel() {
				t.Error("too late")
			}
			ld.Load(bg, "a", w.commit("third"))
		})
		second = ld.Load(bg, "a", w.commit("second"))
		w.frames(3)
		w.want(t, "20ms third A")
	})
}

func TestASlotWithTheSameKeySharesTheDecode(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld := w.loader(frame.LoadOptions{})
		var slot frame.Slot
		w.slow["a"] = 15 * time.Millisecond
		for i := range 3 {
			ld.LoadInto(bg, &slot, "a", w.commit(fmt.Sprint(i)))
			w.frames(1)
		}
		w.frames(2)
		w.want(t, "20ms 2 A")
		if w.runs.Load() != 1 || w.ended.Load() != 0 {
			t.Errorf("%d decodes, %d ended", w.runs.Load(), w.ended.Load())
		}
	})
}

// With OnHost the commit runs inside Slice, on the host's turn; without it, beside the host, in the shadow.
func TestLoadOnHost(t *testing.T) {
	needsWorkers(t)
	for _, onHost := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := frame.New(frame.Options{
				Placement: frame.PlaceShadow, NoJobs: true,
				Workers: workers.Options{Workers: 1, Park: workers.ParkChan},
			})
			defer l.Close()
			var inSlice atomic.Bool
			var committed []bool
			frame.Load(bg, l, frame.LoadOptions{OnHost: onHost},
				func(context.Context, *frame.Meter) (string, error) { return "pixels", nil },
				func(string, error) {
					time.Sleep(time.Millisecond) // in the shadow, Slice has returned by then
					committed = append(committed, inSlice.Load())
				})
			for range 3 {
				l.Begin()
				inSlice.Store(true)
				l.Slice()
				inSlice.Store(false)
				l.End()
				time.Sleep(10 * time.Millisecond)
			}
			l.Begin() // has the baton
			if len(committed) != 1 || committed[0] != onHost {
				t.Errorf("OnHost %v: commits inside Slice: %v, want [%v]", onHost, committed, onHost)
			}
			l.End()
		})
	}
}

// loadStep is a step of a script: a request, a cancellation of the request n, or n frames.
type loadStep struct {
	what string
	key  string
	slot bool
	n    int
}

// Any script: each request commits once or was canceled, and nothing is left over.
func TestLoaderScripts(t *testing.T) {
	step := rapid.Custom(func(t *rapid.T) loadStep {
		return loadStep{
			rapid.SampledFrom([]string{"load", "load", "cancel", "frames", "frames"}).Draw(t, "what"),
			rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
			rapid.Bool().Draw(t, "slot"), rapid.IntRange(0, 29).Draw(t, "n"),
		}
	})
	crews := []int{-1}
	if runtime.GOOS != "js" {
		crews = []int{4, -1}
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom(crews).Draw(rt, "workers")
		script := rapid.SliceOfN(step, 0, 30).Draw(rt, "script")
		inLoadingWith(t, n, func(w *loading) { w.play(rt.Errorf, script) })
	})
}

func (w *loading) play(errorf func(string, ...any), script []loadStep) {
	ld := w.loader(frame.LoadOptions{Attempts: 2, Backoff: 10 * time.Millisecond})
	var commits [30]int
	var requests []*frame.Request
	var slot frame.Slot
	canceled := map[int]bool{}
	w.fail["b"] = 3
	for _, s := range script {
		switch n := len(requests); {
		case s.what == "load":
			into := &slot
			if !s.slot {
				into = nil
			}
			requests = append(requests, ld.LoadInto(bg, into, s.key, func(v string, err error) {
				commits[n]++
				if canceled[n] || err == nil && v != strings.ToUpper(s.key) {
					errorf("%d got %q", n, v)
				}
			}))
		case s.what == "frames":
			w.frames(1 + s.n%3)
		case n > 0 && requests[s.n%n].Cancel():
			canceled[s.n%n] = true
		}
	}
	w.frames(12)
	for i, r := range requests {
		if want := 1 - b2i(r.State() == frame.LoadCanceled); commits[i] != want {
			errorf("request %d, %v: %d commits", i, r.State(), commits[i])
		}
	}
	if p := ld.Progress(); p.Done() != len(requests) || p.Total != p.Done() || p.Bytes != p.TotalBytes {
		errorf("%+v of %d", p, len(requests))
	}
	if n := frame.Flights(ld); n != 0 {
		errorf("%d flights left", n)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestLoadAfterClose(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		ld := w.loader(frame.LoadOptions{})
		w.l.Close()
		if r := ld.Load(bg, "a", w.commit("a")); r.State() != frame.LoadCanceled {
			t.Error(r.State())
		}
		w.want(t)
	})
}

func ExampleLoader() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	scene, leave := context.WithCancel(context.Background())
	defer leave() // cancels what is still on its way
	textures := frame.NewLoader(loop, frame.LoadOptions{Attempts: 3},
		func(ctx context.Context, name string, m *frame.Meter) (string, error) {
			return "pixels of " + name, nil // on the pool
		})
	textures.Load(scene, "hero.png", func(pixels string, err error) {
		fmt.Println(pixels, err) // in the slice, where textures are made
	})
	_ = loop.Run(context.Background(), func() error {
		if textures.Progress().Fraction() == 1 {
			return frame.ErrStop
		}
		return nil
	})
	// Output: pixels of hero.png <nil>
}

func ExampleLoad() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	r := frame.Load(context.Background(), loop, frame.LoadOptions{},
		func(context.Context, *frame.Meter) (int, error) { return 42, nil },
		func(n int, err error) { fmt.Println(n, err) })
	_ = loop.Run(context.Background(), func() error {
		if r.State() != frame.Pending {
			return frame.ErrStop
		}
		return nil
	})
	// Output: 42 <nil>
}

// What a portrait shows is what was asked for last, however long the earlier ones take.
func ExampleLoader_LoadInto() {
	loop := frame.New(frame.Options{})
	defer loop.Close()
	faces := frame.NewLoader(loop, frame.LoadOptions{},
		func(_ context.Context, name string, _ *frame.Meter) (string, error) { return name, nil })
	var portrait frame.Slot
	shown := ""
	for _, name := range []string{"knight", "bishop", "queen"} {
		faces.LoadInto(context.Background(), &portrait, name, func(face string, _ error) {
			shown = face
			fmt.Println("show", face)
		})
	}
	_ = loop.Run(context.Background(), func() error {
		if shown != "" {
			return frame.ErrStop
		}
		return nil
	})
	// Output: show queen
}
