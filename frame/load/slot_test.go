package load_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/load"
)

// Slots whose requests come faster than decodes end.

// A request in each of 60 frames, and decodes of three frames.
func TestASlotThatFinishesMakesProgress(t *testing.T) {
	for finish, least := range map[bool]int{true: 20, false: 1} {
		inLoading(t, func(w *loading) {
			slot := load.Slot{Finish: finish}
			ld := w.loader(load.Options{})
			var got []int
			for i := range 60 {
				key := fmt.Sprint("to", i)
				w.slow[key] = 29 * time.Millisecond
				ld.LoadInto(bg, &slot, key, func(v string, err error) {
					if v != fmt.Sprint("TO", i) || err != nil {
						t.Errorf("%d: %q, %v", i, v, err)
					}
					if n := len(got); n > 0 && (i <= got[n-1] || i > got[n-1]+4) {
						t.Errorf("%d after %d", i, got[n-1])
					}
					got = append(got, i)
				})
				w.frames(1)
			}
			w.frames(10)
			if n := len(got); n < least || n > least+1 || got[n-1] != 59 {
				t.Errorf("Finish %v: committed %v", finish, got)
			}
			if p := ld.Progress(); p.Loaded != len(got) || p.Loaded+p.Canceled != 60 || int(w.runs.Load()) < least {
				t.Errorf("Finish %v: %+v, %d decodes", finish, p, w.runs.Load())
			}
			if n := w.ended.Load(); finish && n != 0 {
				t.Errorf("%d decodes were canceled", n)
			}
		})
	}
}

// Where the slice decodes, and where requests come in bursts, the newest of them is what begins.
func TestASlotThatFinishesTakesTheNewest(t *testing.T) {
	for _, n := range crews() {
		inLoadingWith(t, n, func(w *loading) {
			ld, slot := w.loader(load.Options{}), load.Slot{Finish: true}
			w.slow["c"] = 5 * time.Millisecond
			for _, key := range []string{"a", "b", "c"} {
				ld.LoadInto(bg, &slot, key, w.commit(key))
			}
			w.frames(1)
			for _, key := range []string{"d", "e", "f"} {
				ld.LoadInto(bg, &slot, key, w.commit(key))
			}
			w.frames(4)
			if n < 0 {
				w.want(t, "5ms c C", "16ms f F")
			} else {
				w.want(t, "10ms c C", "20ms f F")
			}
			if p := ld.Progress(); p.Loaded != 2 || p.Canceled != 4 || w.runs.Load() != 2 {
				t.Errorf("%d workers: %+v, %d decodes", n, p, w.runs.Load())
			}
		})
	}
}

// 20 agents that ask in every frame, of a pool that decodes one in each: all get their turn, the newest that they have
// asked for by then.
func TestSlotsThatFinishTakeTurns(t *testing.T) {
	needsWorkers(t)
	inLoadingWith(t, 1, func(w *loading) {
		var slots [20]load.Slot
		var commits [20]int
		ld := w.loader(load.Options{Ahead: 2})
		for n := range 100 {
			for i := range slots {
				slots[i].Finish = true
				key := fmt.Sprintf("%d: %d", i, n)
				w.slow[key] = 4 * time.Millisecond
				ld.LoadInto(bg, &slots[i], key, func(string, error) {
					commits[i]++
					if now := int(time.Since(w.start) / (10 * time.Millisecond)); now-n > 3 {
						t.Errorf("agent %d gets in frame %d what it asked for in frame %d", i, now, n)
					}
				})
			}
			w.frames(1)
		}
		for i, n := range commits {
			if n < 9 || n > 11 {
				t.Errorf("agent %d: %d of %v", i, n, commits)
			}
		}
	})
}

// A request for the same key takes the decode over while there is one, and then no more.
func TestASlotThatFinishesSharesADecode(t *testing.T) {
	inLoading(t, func(w *loading) {
		ld, slot := w.loader(load.Options{}), load.Slot{Finish: true}
		w.slow["a"] = 25 * time.Millisecond
		for i := range 4 { // the last one comes when the value is there, and the commit is not: in the same slice
			ld.LoadInto(bg, &slot, "a", w.commit(fmt.Sprint(i)))
			if i < 3 {
				w.frames(1)
			}
		}
		w.frames(5)
		w.want(t, "30ms 2 A", "60ms 3 A")
		if w.runs.Load() != 2 || w.ended.Load() != 0 {
			t.Errorf("%d decodes, %d ended", w.runs.Load(), w.ended.Load())
		}
	})
}

// Whatever ends the request that a slot waits for, the newest one is next, unless it is canceled while it waits.
func TestWhatASlotWaitsForEnds(t *testing.T) {
	for _, how := range []string{"value", "error", "panic", "goexit", "commit", "Cancel", "context", "both"} {
		inLoading(t, func(w *loading) {
			ld, slot := w.loader(load.Options{Label: "x"}), load.Slot{Finish: true}
			lengths := load.New(w.l, load.Options{},
				func(_ context.Context, key int, _ *load.Meter) (int, error) { return key, nil })
			w.slow["first"], w.fail["first"] = 15*time.Millisecond, b2i(how == "error")
			key := "first"
			if how == "panic" || how == "goexit" {
				key, w.slow[how] = how, 15*time.Millisecond
			}
			ctx, cancel := context.WithCancel(bg)
			ended := 0
			first := ld.LoadInto(ctx, &slot, key, func(string, error) {
				if ended++; how == "commit" {
					panic(how)
				}
			})
			w.frames(1)
			between := lengths.LoadInto(bg, &slot, 7, func(int, error) { t.Error("committed in between") })
			next := lengths.LoadInto(bg, &slot, 8, func(int, error) { ended++ })
			w.frames(1)
			want := 2
			switch how {
			case "Cancel":
				want = 1
				first.Cancel()
			case "context":
				want = 1
				cancel()
			case "both":
				want = 0
				first.Cancel()
				next.Cancel()
			}
			if w.frames(5); ended != want || between.State() != load.Canceled {
				t.Errorf("%s: %d commits, want %d; in between: %v", how, ended, want, between.State())
			}
			lengths.LoadInto(bg, &slot, 9, func(int, error) { ended++ })
			if w.frames(3); ended != want+1 {
				t.Errorf("%s: nothing afterwards", how)
			}
			cancel()
			if n := load.Flights(ld) + load.Flights(lengths); n != 0 {
				t.Errorf("%s: %d flights left", how, n)
			}
		})
	}
}
