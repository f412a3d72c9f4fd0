package load_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

func TestRequestsForOneKeyShareADecode(t *testing.T) {
	inWorld(t, func(w *world) {
		ld := w.loader(load.Options{})
		w.slow["a"] = 25 * ms
		first := ld.Load(bg, "a", w.commit("first"))
		w.frames(1)
		ld.Load(bg, "a", w.commit("second"))
		ld.Load(bg, "b", w.commit("other"))
		w.frames(1)
		if !first.Cancel() || first.Cancel() || first.State() != load.Canceled {
			t.Error("Cancel")
		}
		w.frames(4)
		w.want(t, "20ms other B", "30ms second A")
		if w.runs.Load() != 2 || w.ended.Load() != 0 {
			t.Errorf("%d decodes, %d ended", w.runs.Load(), w.ended.Load())
		}
		want := load.Progress{Total: 3, Loaded: 2, Canceled: 1, Bytes: 200, TotalBytes: 200}
		if p := ld.Progress(); p != want || p.Fraction() != 1 {
			t.Errorf("%+v", p)
		}
		ld.Load(bg, "b", w.commit("again"))
		if w.frames(2); w.runs.Load() != 3 {
			t.Error("a value was kept")
		}
	})
}

// Commits that ask for their own key again get a newer value each time.
func TestCommitsThatAskAgain(t *testing.T) {
	for _, n := range []int{1, 3} {
		inWorld(t, func(w *world) {
			ld := w.loader(load.Options{})
			commits := 0
			var poll func(string, error)
			poll = func(string, error) {
				commits++
				ld.Load(bg, "a", poll)
			}
			for range n {
				ld.Load(bg, "a", poll)
			}
			w.frames(11)
			if runs := int(w.runs.Load()); runs < 10 || commits != n*(runs-1) {
				t.Errorf("%d requests: %d decodes for %d commits", n, runs, commits)
			}
		})
	}
}

// Pauses double, from 0.1 to 5 s; what failed counts no bytes.
func TestRetriesBackOff(t *testing.T) {
	for _, c := range []struct {
		o     load.Options
		fails int
		want  string
	}{
		{load.Options{Attempts: 4}, 3, "740ms a A"},
		{load.Options{Attempts: 2}, 2, "120ms a error: attempt 2"},
		{load.Options{Attempts: 9}, 8, "16.39s a A"},
	} {
		inWorld(t, func(w *world) {
			ld := w.loader(c.o)
			w.fail["a"] = c.fails
			r := ld.Load(bg, "a", w.commit("a"))
			for r.State() == load.Pending {
				w.frames(1)
			}
			w.want(t, c.want)
			if p := ld.Progress(); p.Bytes != int64(100*p.Loaded) || p.TotalBytes != p.Bytes {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestFaultsOfDecode(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ld := w.loader(load.Options{Attempts: 3, Label: "asset"})
		var errs [2]error
		ld.Load(bg, "panic", func(_ string, err error) { errs[0] = err })
		ld.Load(bg, "goexit", func(_ string, err error) { errs[1] = err })
		w.frames(3)
		var pe *workers.PanicError
		if !errors.As(errs[0], &pe) || pe.Label != "asset" || !errors.Is(errs[1], workers.ErrGoexit) {
			t.Errorf("%d workers: %v", n, errs)
		}
		if w.runs.Load() != 2 {
			t.Errorf("%d decodes", w.runs.Load())
		}
	})
}

// A request is canceled in each state; what goes on elsewhere ends.
func TestCancelInEveryState(t *testing.T) {
	for _, s := range []struct {
		name   string
		frames int // before the cancellation
		decode int32
		ended  int32
	}{
		{"before it began", 0, 0, 0},
		{"while it is decoded", 1, 1, 1},
		{"while it waits for the next attempt", 4, 1, 0},
	} {
		for _, by := range []string{"Cancel", "context", "Close"} {
			inWorld(t, func(w *world) {
				ld := w.loader(load.Options{Attempts: 2})
				w.slow["a"], w.fail["a"] = 15*ms, 1
				ctx, cancel := context.WithCancel(bg)
				defer cancel()
				r := ld.Load(ctx, "a", w.commit("stale"))
				w.frames(s.frames)
				switch by {
				case "Cancel":
					r.Cancel()
				case "context":
					cancel()
				case "Close":
					w.l.Close()
				}
				if synctest.Wait(); by != "Close" {
					w.frames(5)
				}
				w.want(t)
				if r.State() != load.Canceled || w.runs.Load() != s.decode || w.ended.Load() != s.ended {
					t.Errorf("%s, by %s: %v, %d decodes, %d ended", s.name, by,
						r.State(), w.runs.Load(), w.ended.Load())
				}
			})
		}
	}
}

// The last state: the value is there, and the commit waits in the queue.
func TestCancelBeforeTheCommit(t *testing.T) {
	inWorld(t, func(w *world) {
		ld := w.loader(load.Options{})
		var second *load.Request
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

// The older request is canceled in the frame in which a newer one asks for the same key.
func TestANewerRequestTakesTheDecodeOver(t *testing.T) {
	inWorld(t, func(w *world) {
		ld := w.loader(load.Options{})
		var newest *load.Request
		w.slow["a"] = 15 * ms
		for i := range 3 {
			older := newest
			if newest = ld.Load(bg, "a", w.commit(fmt.Sprint(i))); older != nil {
				older.Cancel()
			}
			w.frames(1)
		}
		w.frames(2)
		w.want(t, "20ms 2 A")
		if w.runs.Load() != 1 || w.ended.Load() != 0 {
			t.Errorf("%d decodes, %d ended", w.runs.Load(), w.ended.Load())
		}
	})
}

// With OnHost the commit runs inside Slice, on the host's turn; without OnHost beside the host, in the shadow.
func TestOnHost(t *testing.T) {
	needsWorkers(t)
	for _, onHost := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := frame.New(frame.Options{
				Placement: frame.PlaceShadow, WorkersOnly: true, Workers: workers.Options{Workers: 1},
			})
			defer l.Close()
			var inSlice atomic.Bool
			var committed []bool
			ld := load.New(l, load.Options{OnHost: onHost},
				func(context.Context, int, *load.Meter) (string, error) { return "pixels", nil })
			ld.Load(bg, 1, func(string, error) {
				time.Sleep(ms) // in the shadow, Slice has returned by then
				committed = append(committed, inSlice.Load())
			})
			for range 3 {
				l.Begin()
				inSlice.Store(true)
				l.Slice()
				inSlice.Store(false)
				l.End()
				time.Sleep(10 * ms)
			}
			l.Begin() // waits for the shadow
			if len(committed) != 1 || committed[0] != onHost {
				t.Errorf("OnHost %v: commits inside Slice: %v, want [%v]", onHost, committed, onHost)
			}
			l.End()
		})
	}
}

// After Close a request is canceled, and a Cancel has nothing to do.
func TestRequestsAfterClose(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ld := w.loader(load.Options{})
		before := ld.Load(bg, "a", w.commit("a"))
		w.l.Close()
		for _, r := range []*load.Request{before, ld.Load(bg, "a", w.commit("a"))} {
			if state, did := r.State(), r.Cancel(); state != load.Canceled || did || ld.Progress().Canceled != 0 {
				t.Errorf("%d workers: %v, Cancel says %v, %+v", n, state, did, ld.Progress())
			}
		}
		w.want(t)
	})
}

// Bad arguments panic in the caller with the name of what is wrong, and decide nothing for the loop. (No map finds NaN
// again, and a slice would panic in a task.)
func TestMisuse(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	defer l.Close()
	decode := func(context.Context, any, *load.Meter) (string, error) { return "", nil }
	source := func(context.Context, int, *load.Meter) ([]byte, error) { return nil, nil }
	bytes := func(context.Context, int, []byte) (int, error) { return 0, nil }
	host := load.Options{OnHost: true}
	ld := load.New(l, load.Options{}, decode)
	r := ld.Load(bg, [1]int{1}, nothing)
	for want, f := range map[string]func(){
		"load: New with a nil Loop":     func() { load.New(nil, host, decode) },
		"load: New with a nil function": func() { load.New[int, int](l, host, nil) },
		"load: Options.Priority is an invalid Priority(17)": func() {
			load.New(l, load.Options{OnHost: true, Priority: 17}, decode)
		},
		"load: NewFrom with a nil Loop":                    func() { load.NewFrom(nil, host, source, bytes) },
		"load: NewFrom with a nil Source":                  func() { load.NewFrom(l, host, nil, bytes) },
		"load: NewFrom with a nil function":                func() { load.NewFrom[int, int](l, host, source, nil) },
		"load: Load with a nil commit function":            func() { ld.Load(bg, 1, nil) },
		"load: Load of a key that does not equal itself":   func() { ld.Load(bg, math.NaN(), nothing) },
		"runtime error: comparing uncomparable type []int": func() { ld.Load(bg, []int{1}, nothing) },
		"load: Request.SetPriority to an invalid Priority(-3)": func() {
			r.SetPriority(-3)
		},
		"load: Request.Notify of a nil function": func() { r.Notify(nil) },
		"load: AllOf: Notify of a nil function":  func() { load.AllOf(r).Notify(nil) },
		"load: AllOf with a nil Request":         func() { load.AllOf(r, nil) },
	} {
		if got := testkit.PanicOf(f); got != want {
			t.Errorf("panic: %s, want %q", got, want)
		}
		if runtime.GOOS != "js" && l.Placement() != frame.PlaceAuto {
			t.Fatalf("%s: the slice lies %v", want, l.Placement())
		}
	}
	if n := ld.Progress().Total; n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	if got := load.State(7).String(); got != "State(7)" {
		t.Error(got)
	}
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	testkit.Extremes(t, func(o load.Options) error {
		n := 0
		l := frame.New(frame.Options{Workers: workers.Options{Workers: 1}})
		defer l.Close()
		ld := load.New(l, o, func(_ context.Context, k int, _ *load.Meter) (int, error) {
			if n++; n == 1 && o.Attempts > 1 {
				return 0, errors.New("again")
			}
			return k, nil
		})
		none := func(int, error) {}
		all := load.AllOf(ld.Load(bg, 1, none), ld.Load(bg, 2, none))
		for range 200 {
			l.Begin()
			l.Slice()
			l.End()
			if p, _ := all.Result(); p.Loaded == 2 || o.Attempts > 1 && p.Loaded >= 1 {
				return nil
			}
			time.Sleep(100 * time.Microsecond)
		}
		return errors.New("a task was lost")
	})
}

// In reports, a loader's tasks have names that a reader knows, and commits are of one kind.
func TestALoadersTasksHaveNames(t *testing.T) {
	for label, want := range map[string][]string{
		"picture": {"picture", "picture loader"},
		"":        {"commit of " + fault.NameOf(slowDecode), fault.NameOf(slowDecode) + " loader"},
	} {
		with(t, workers.Options{Workers: -1}, func(w *world) {
			ld := load.New(w.l, load.Options{Label: label, Ahead: 2}, slowDecode)
			for i := range 10 {
				if r := ld.Load(bg, i, func(int, error) {}); i == 8 {
					r.Cancel()
				}
			}
			w.frames(60)
			var names []string
			var times scheduler.Times
			w.l.Scheduler().ReadTimes(&times)
			for _, c := range times.Kinds {
				if names = append(names, c.Kind); c.Kind == want[0] && c.Runs != 9 {
					t.Errorf("%d runs of %s, want 9; %+v", c.Runs, c.Kind, ld.Progress())
				}
			}
			if slices.Sort(names); !slices.Equal(names, want) {
				t.Errorf("%q, want %q", names, want)
			}
		})
	}
}

// slowDecode takes a millisecond.
func slowDecode(_ context.Context, key int, _ *load.Meter) (int, error) {
	time.Sleep(ms)
	return key, nil
}
