package load_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// 500 pictures, decoded in no time, with commits of 4 ms: so many values are in memory at once, and all are committed.
func TestValuesDecodedAhead(t *testing.T) {
	for ahead, most := range map[int]int32{0: 32, 1: 1, 5: 5, -1: 500} {
		inWorlds(t, func(w *world, n int) {
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
					time.Sleep(4 * ms)
				})
			}
			w.frames(510)
			if p := ld.Progress(); p != (load.Progress{Total: 500, Loaded: 500}) {
				t.Errorf("%d workers, Ahead %d: %+v", n, ahead, p)
			}
			// There may be one more, in a commit that begins, and less without workers, where a slice commits between
			// two decodes.
			if got := worst.Load(); got > most+1 || n > 0 && got < most*9/10 {
				t.Errorf("%d workers, Ahead %d: %d values at once, want %d", n, ahead, got, most)
			}
		})
	}
}

// A decode that has begun and is canceled takes no room, though it continues.
func TestACanceledDecodeTakesNoRoom(t *testing.T) {
	inWorld(t, func(w *world) {
		decode := func(_ context.Context, key string, _ *load.Meter) (string, error) {
			time.Sleep(w.slow[key])
			return key, nil
		}
		ld := load.New(w.l, load.Options{Ahead: 1}, decode)
		w.slow["slow"], w.slow["after"] = time.Second, 5*ms
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

// A decode whose attempt has failed takes no room until the next attempt, so the one that is held starts (L4).
func TestAFailedAttemptMakesRoom(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ld := w.loader(load.Options{Ahead: 1, Attempts: 2})
		w.fail["first"] = 1
		var order []string
		for _, key := range []string{"first", "held"} {
			ld.Load(bg, key, func(string, error) { order = append(order, key) })
		}
		if w.frames(30); !slices.Equal(order, []string{"held", "first"}) {
			t.Errorf("%d workers: committed %v", n, order)
		}
	})
}

// Requests that are canceled together, a scene that is left for example, take nothing from the pool on their way out.
func TestWhatIsCanceledTogetherIsNotDecoded(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		ld := w.loader(load.Options{Ahead: 2})
		var requests []*load.Request
		for i := range 2000 {
			key := fmt.Sprint(i)
			w.slow[key] = 5 * ms
			requests = append(requests, ld.Load(bg, key, nothing))
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

// What waits for room fails no request, and is canceled when the loop closes.
func TestHeldDecodesAtClose(t *testing.T) {
	for _, n := range sizes() {
		for _, closes := range []bool{false, true} {
			with(t, workers.Options{Workers: n}, func(w *world) {
				ld := load.New(w.l, load.Options{Ahead: 2}, slowDecode)
				var last *load.Request
				committed := 0
				for i := range 20 {
					last = ld.Load(bg, i, func(v int, err error) {
						if committed++; err != nil || v != i {
							t.Errorf("%d workers: %d, %v of %d", n, v, err, i)
						}
					})
				}
				if w.frames(1); closes {
					w.l.Close()
					if s := last.State(); s == load.Pending || s == load.Failed {
						t.Errorf("%d workers, after Close: %v", n, s)
					}
					return
				}
				if w.frames(29); committed != 20 {
					t.Errorf("%d workers: %d commits", n, committed)
				}
				clean(t.Errorf, ld)
			})
		}
	}
}

// Without workers the slice decodes what fits, and puts off the rest, a long decode too, but not without end.
func TestWithoutWorkersTheSliceDecodes(t *testing.T) {
	with(t, workers.Options{Workers: -1}, func(w *world) {
		ld := w.loader(load.Options{Label: "icon"})
		ld.Load(bg, "a", w.commit("first"))
		ld.Load(bg, "a", w.commit("second"))
		ld.Load(bg, "b", w.commit("other"))
		w.frames(1)
		w.want(t, "2ms first A", "2ms second A", "2ms other B")
		ld = w.loader(load.Options{Label: "picture"})
		for i := range 5 {
			key := fmt.Sprint("k", i)
			w.slow[key] = 6 * ms
			ld.Load(bg, key, nothing)
		}
		var perFrame []int
		for range 12 { // in some of these the loop looks at the host without work
			before := ld.Progress().Loaded
			w.frames(1)
			perFrame = append(perFrame, ld.Progress().Loaded-before)
		}
		if ld.Progress().Loaded != 5 || slices.Max(perFrame) != 1 {
			t.Errorf("commits per frame: %v, want five, each in a frame of its own", perFrame)
		}
		for _, d := range []time.Duration{200 * ms, 300 * ms} {
			w.slow["level"] = d
			r := ld.Load(bg, "level", nothing)
			if w.frames(40); r.State() != load.Loaded {
				t.Errorf("a decode of %v is %v", d, r.State())
			}
		}
	})
}
