package load_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// What a Loader does, by its log.

func TestRequestsForOneKeyShareADecode(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld := w.loader(load.Options{})
		w.slow["a"] = 25 * time.Millisecond
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
		if p := ld.Progress(); p != (load.Progress{Total: 3, Loaded: 2, Canceled: 1, Bytes: 200, TotalBytes: 200}) ||
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

// Commits that ask for their own key again get a newer value each time, also where there are several of them.
func TestCommitsThatAskAgain(t *testing.T) {
	for _, n := range []int{1, 3} {
		inLoading(t, func(w *loading) {
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

func TestRetriesBackOff(t *testing.T) {
	inLoading(t, func(w *loading) {
		o := load.Options{Attempts: 4, Backoff: 20 * time.Millisecond, MaxBackoff: 30 * time.Millisecond}
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
		ld := w.loader(load.Options{Attempts: 9, Retry: retry})
		w.fail["a"] = 9
		r := ld.Load(bg, "a", w.commit("a"))
		w.frames(15)
		w.want(t, "120ms a error: attempt 2")
		if p := ld.Progress(); r.State() != load.Failed || p.Failed != 1 || p.Bytes != 0 || p.TotalBytes != 0 {
			t.Errorf("%v %+v", r.State(), p)
		}
	})
}

// A Retry that panics says no: those who want the key get the error, and the key can be asked for again.
func TestLoadRetryPanics(t *testing.T) {
	for name, retry := range map[string]func(error) bool{
		"panic":  func(error) bool { panic("retry") },
		"goexit": func(error) bool { runtime.Goexit(); return true },
	} {
		inLoading(t, func(w *loading) {
			w.fail["a"] = 1
			ld := w.loader(load.Options{Attempts: 3, Retry: retry})
			var got []error
			ld.Load(bg, "a", func(_ string, err error) { got = append(got, err) })
			w.frames(4)
			if len(got) != 1 || got[0] == nil {
				t.Errorf("%s: committed %v, want one error", name, got)
			}
			r := ld.Load(bg, "a", func(string, error) {})
			if w.frames(4); r.State() != load.Loaded {
				t.Errorf("%s: afterwards it is %v", name, r.State())
			}
		})
	}
}

func TestFaultsOfDecodeAndCommit(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld := w.loader(load.Options{Attempts: 3, Label: "asset"})
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
				ld := w.loader(load.Options{Attempts: 2, Backoff: time.Hour})
				w.slow["a"], w.fail["a"] = 15*time.Millisecond, 1
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				var slot load.Slot
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
				if r.State() != load.Canceled || decodes != s.decode {
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

func TestASlotWithTheSameKeySharesTheDecode(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld := w.loader(load.Options{})
		var slot load.Slot
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
				Workers: workers.Options{Workers: 1},
			})
			defer l.Close()
			var inSlice atomic.Bool
			var committed []bool
			load.One(bg, l, load.Options{OnHost: onHost},
				func(context.Context, *load.Meter) (string, error) { return "pixels", nil },
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

func TestLoadAfterClose(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		ld := w.loader(load.Options{})
		w.l.Close()
		if r := ld.Load(bg, "a", w.commit("a")); r.State() != load.Canceled {
			t.Error(r.State())
		}
		w.want(t)
	})
}
