package load_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/load"
)

// How far a Loader decodes ahead of its commits, and that nothing stops because of it.

// crews are how many workers a test is to be right with.
func crews() []int {
	if runtime.GOOS == "js" {
		return []int{-1}
	}
	return []int{4, 1, -1}
}

// 500 pictures, decoded in no time, with commits of 4 ms: so many values are in memory at once, and all are committed.
func TestValuesDecodedAhead(t *testing.T) {
	for _, n := range crews() {
		for ahead, most := range map[int]int32{0: 32, 1: 1, 5: 5, -1: 500} {
			inLoadingWith(t, n, func(w *loading) {
				var waiting, worst atomic.Int32
				ld := load.New(w.l, load.Options{Ahead: ahead},
					func(_ context.Context, key int, _ *load.Meter) (int, error) {
						worst.Store(max(worst.Load(), waiting.Add(1)))
						return key, nil
					})
				for i := range 500 {
					ld.Load(bg, i, func(v int, err error) {
						if waiting.Add(-1); v != i || err != nil {
							t.Errorf("%d, %v of %d", v, err, i)
						}
						time.Sleep(4 * time.Millisecond)
					})
				}
				w.frames(510)
				if p := ld.Progress(); p != (load.Progress{Total: 500, Loaded: 500}) {
					t.Errorf("%d workers, Ahead %d: %+v", n, ahead, p)
				}
				// There may be one more, in the hands of a commit that begins, and less without workers, where a slice
				// commits between two decodes.
				if got := worst.Load(); got > most+1 || n > 0 && got < most*9/10 {
					t.Errorf("%d workers, Ahead %d: %d values at once, want %d", n, ahead, got, most)
				}
			})
		}
	}
}

// With one place, whatever ends a flight gives it on: values, errors, faults, attempts that wait for the next one,
// cancellations, commits that do not return, commits that load.
func TestNothingStopsForWantOfAPlace(t *testing.T) {
	for _, n := range crews() {
		inLoadingWith(t, n, func(w *loading) {
			ld := w.loader(load.Options{Ahead: 1, Attempts: 2, Backoff: 50 * time.Millisecond})
			w.fail["again"] = 100
			ran := 0
			ld.Load(bg, "again", func(string, error) { ran++ })
			ld.Load(bg, "panic", func(string, error) { ran++ })
			ld.Load(bg, "goexit", func(string, error) { ran++ })
			ld.Load(bg, "a", func(string, error) { ran++; panic("commit") })
			ld.Load(bg, "a", func(string, error) { ran++; runtime.Goexit() })
			ld.Load(bg, "b", func(string, error) {
				ran++
				ld.Load(bg, "b", func(string, error) { ran++ })
			})
			ctx, cancel := context.WithCancel(bg)
			gone := []*load.Request{ld.Load(ctx, "c", w.commit("c")), ld.Load(bg, "d", w.commit("d"))}
			gone[1].Cancel()
			if n > 0 { // else there is time for all in one slice
				w.frames(1)
				if ahead, held := load.Ahead(ld); ahead != 1 || held != 5 {
					t.Errorf("%d workers: %d ahead and %d held after a frame, want 1 and 5", n, ahead, held)
				}
			}
			cancel()
			w.frames(20)
			if ran != 7 {
				t.Errorf("%d workers: %d commits, want 7", n, ran)
			}
			if ahead, held := load.Ahead(ld); ahead+held+load.Flights(ld) != 0 {
				t.Errorf("%d workers: %d ahead, %d held, %d flights left", n, ahead, held, load.Flights(ld))
			}
			w.want(t)
		})
	}
}

// A decode that has begun and is canceled keeps no place, though it goes on.
func TestACanceledDecodeKeepsNoPlace(t *testing.T) {
	inLoading(t, func(w *loading) {
		decode := func(_ context.Context, key string, _ *load.Meter) (string, error) {
			time.Sleep(w.slow[key])
			return key, nil
		}
		ld := load.New(w.l, load.Options{Ahead: 1}, decode)
		w.slow["slow"] = time.Second
		slow := ld.Load(bg, "slow", w.commit("slow"))
		w.frames(1)
		ld.Load(bg, "after", w.commit("next"))
		w.frames(3)
		w.want(t)
		slow.Cancel()
		w.frames(3)
		w.want(t, "50ms next after")
	})
}

// Requests that are canceled together, a scene that is left for example, take nothing from the pool on their way out.
func TestWhatIsCanceledTogetherIsNotDecoded(t *testing.T) {
	for _, n := range crews() {
		inLoadingWith(t, n, func(w *loading) {
			ld := w.loader(load.Options{Ahead: 2})
			var requests []*load.Request
			for i := range 2000 {
				key := fmt.Sprint(i)
				w.slow[key] = 5 * time.Millisecond
				requests = append(requests, ld.Load(bg, key, func(string, error) {}))
			}
			w.frames(1)
			before := w.runs.Load()
			for _, r := range requests {
				r.Cancel()
			}
			ld.Load(bg, "next", w.commit("next"))
			w.frames(3)
			if got := w.runs.Load() - before; got != 1 || len(w.lines) != 1 {
				t.Errorf("%d workers: %d decodes more, want 1; %q", n, got, w.lines)
			}
		})
	}
}

// What is held back when the loop closes is canceled.
func TestCloseWithHeldDecodes(t *testing.T) {
	for _, n := range crews() {
		inLoadingWith(t, n, func(w *loading) {
			ld := w.loader(load.Options{Ahead: 1})
			w.slow["0"] = 15 * time.Millisecond
			var last *load.Request
			for i := range 5 {
				last = ld.Load(bg, fmt.Sprint(i), func(string, error) {})
			}
			w.frames(1)
			if _, held := load.Ahead(ld); held == 0 {
				t.Error("nothing is held")
			}
			w.l.Close()
			if last.State() != load.Canceled {
				t.Errorf("after Close: %v", last.State())
			}
		})
	}
}
