package load_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/load"
)

// One size tells little of the next: a large value does not keep small ones out, one that is larger than the budget is
// not loaded again and again, and a first key that hangs holds nobody back.
func TestSizesThatDiffer(t *testing.T) {
	sized := func(w *world, slow map[int]time.Duration) (*load.Cache[int, int], *int) {
		runs := 0
		ld := load.New(w.l, load.Options{}, func(_ context.Context, key int, _ *load.Meter) (int, error) {
			time.Sleep(max(slow[key], ms))
			return key, nil
		})
		return load.NewCache(ld, load.CacheOptions[int, int]{
			Budget: 100, Commit: func(_, value int) int { runs++; return value },
			Size: func(key, _ int) int64 { return max(1, int64(key-1000)) }, // 1101 is larger than the budget
		}), &runs
	}
	small := make([]int, 80)
	for i := range small {
		small[i] = i
	}
	for _, first := range []int{1060, 1101} {
		inWorlds(t, func(w *world, n int) {
			c, _ := sized(w, nil)
			v := c.View(bg)
			v.Show([]int{first}, nil)
			w.frames(5)
			v.Show(small, nil)
			w.frames(200)
			if p := v.Progress(); p.Loaded != 80 {
				t.Errorf("%d workers, %d first: %+v, %+v", n, first, p, c.Stats())
			}
		})
	}
	inWorlds(t, func(w *world, n int) {
		c, runs := sized(w, nil)
		v := c.View(bg)
		v.Show(nil, []int{1101, 1, 2})
		w.frames(100)
		v.Show([]int{1101}, []int{1, 2})
		w.frames(100)
		if *runs > 5 {
			t.Errorf("%d workers: %d commits of three keys: %+v", n, *runs, c.Stats())
		}
		v.Show([]int{1, 2}, []int{1101})
		if w.frames(100); v.Progress().Loaded != 2 || *runs > 8 {
			t.Errorf("%d workers: %d commits, %+v", n, *runs, c.Stats())
		}
	})
	inWorld(t, func(w *world) {
		c, _ := sized(w, map[int]time.Duration{7: 500 * ms})
		v := c.View(bg)
		v.Show([]int{7, 1, 2, 3}, nil)
		if w.frames(20); v.Progress().Loaded != 3 {
			t.Errorf("behind one that hangs: %+v", c.Stats())
		}
		w.frames(50)
	})
}

// A key in sight does not wait for keys that are only announced, whether places or room are lacking.
func TestWhatIsShownGoesFirst(t *testing.T) {
	for _, c := range []struct{ budget, ahead int }{{2, 0}, {0, 2}} {
		inWorld(t, func(w *world) {
			decode := func(ctx context.Context, key int, _ *load.Meter) (int, error) {
				if key < 10 {
					<-ctx.Done()
				}
				return key, ctx.Err()
			}
			ld := load.New(w.l, load.Options{Ahead: c.ahead}, decode)
			cache := load.NewCache(ld, load.CacheOptions[int, int]{Budget: int64(c.budget)})
			v := cache.View(bg)
			v.Show(nil, []int{1, 2})
			w.frames(5)
			v.Show([]int{10}, []int{1, 2})
			w.frames(10)
			if got, ok := cache.Get(10); !ok || got != 10 {
				t.Errorf("%+v: it waits: %+v", c, cache.Stats())
			}
			cache.Close()
			w.frames(5)
		})
	}
}
