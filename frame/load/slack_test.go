package load_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
)

// Where a pool has no workers, in a browser for one, the slice decodes: what fits into what its tasks leave, and the
// commit follows in the same slice.
func TestWithoutWorkersTheSliceDecodes(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		ld := w.loader(load.Options{})
		ld.Load(bg, "a", w.commit("first"))
		ld.Load(bg, "a", w.commit("second"))
		ld.Load(bg, "b", w.commit("other"))
		w.frames(1)
		w.want(t, "2ms first A", "2ms second A", "2ms other B")
		if w.runs.Load() != 2 {
			t.Errorf("%d decodes of two keys", w.runs.Load())
		}
		if p := ld.Progress(); p != (load.Progress{Total: 3, Loaded: 3, Bytes: 200, TotalBytes: 200}) {
			t.Errorf("%+v", p)
		}
	})
}

// Decodes that do not fit into one slice together are spread over frames.
func TestWithoutWorkersDecodesAreSpreadOverFrames(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		ld := w.loader(load.Options{Label: "picture"})
		for i := range 5 {
			key := fmt.Sprint("k", i)
			w.slow[key] = 6 * time.Millisecond
			ld.Load(bg, key, w.commit(key))
		}
		perFrame := make([]int, 6)
		for n := range perFrame {
			before := ld.Progress().Loaded
			w.frames(1)
			perFrame[n] = ld.Progress().Loaded - before
		}
		if got, want := fmt.Sprint(perFrame), "[1 1 1 1 1 0]"; got != want {
			t.Errorf("commits per frame: %s, want %s", got, want)
		}
	})
}

// A decode that is longer than any slice makes one frame late, and is not put off for ever.
func TestWithoutWorkersALongDecodeStillRuns(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		ld := w.loader(load.Options{})
		w.slow["level"] = 200 * time.Millisecond
		ld.Load(bg, "level", w.commit("level"))
		w.frames(40)
		w.slow["level"] = 300 * time.Millisecond
		ld.Load(bg, "level", w.commit("again"))
		w.frames(40)
		if p := ld.Progress(); p.Loaded != 2 {
			t.Errorf("%+v\n%v", p, w.lines)
		}
	})
}

// Retries, faults and cancellations are the same as with workers.
func TestWithoutWorkersFaultsAndRetries(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		ld := w.loader(load.Options{Attempts: 3, Backoff: 20 * time.Millisecond, Label: "asset"})
		w.fail["a"] = 2
		ld.Load(bg, "a", w.commit("a"))
		canceled := ld.Load(bg, "b", w.commit("b"))
		if !canceled.Cancel() {
			t.Error("not canceled before its time")
		}
		w.frames(12)
		ld.Load(bg, "panic", w.commit("p"))
		ld.Load(bg, "goexit", w.commit("g"))
		w.frames(3)
		w.want(t, "63ms a A", "125ms p error: asset: panic: bad pixels",
			"125ms g error: frameslice: runtime.Goexit called")
		if canceled.State() != load.Canceled || w.runs.Load() != 5 {
			t.Errorf("%v, %d decodes", canceled.State(), w.runs.Load())
		}
	})
}

// A commit that asks for the next thing, one after the other, as a level does that loads what it names.
func TestWithoutWorkersLoadsChain(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		ld := w.loader(load.Options{})
		ld.Load(bg, "map", func(string, error) {
			ld.Load(bg, "tiles", func(string, error) { w.commit("end")("tiles", nil) })
		})
		w.l.Scheduler().WhenIdle(0, func(scheduler.IdleTime) { w.lines = append(w.lines, "idle") })
		w.frames(1)
		w.want(t, "idle", "2ms end tiles")
	})
}

// Requests leave a shared decode at its beginning, in its middle and at its end, and others join it: who stays gets
// the value, in the order of asking.
func TestLeavingASharedDecode(t *testing.T) {
	const n = 6
	for gone := range 1 << n {
		inLoadingWith(t, -1, func(w *loading) {
			ld := w.loader(load.Options{Attempts: 2, Backoff: 35 * time.Millisecond})
			w.fail["a"] = 1
			var order, want []int
			commit := func(i int) func(string, error) { return func(string, error) { order = append(order, i) } }
			var requests [n]*load.Request
			for i := range n {
				requests[i] = ld.Load(bg, "a", commit(i))
			}
			w.frames(1) // the first attempt fails
			for i := range n {
				if gone>>i&1 == 0 {
					want = append(want, i)
				} else if !requests[i].Cancel() {
					t.Errorf("%d: too late", i)
				}
			}
			ld.Load(bg, "a", commit(n))
			w.frames(12)
			if got, want := fmt.Sprint(order), fmt.Sprint(append(want, n)); got != want {
				t.Errorf("without %06b: commits %s, want %s", gone, got, want)
			}
		})
	}
}
