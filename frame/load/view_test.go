package load_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// What is shown comes before what is announced, in the order given, and each has its priority.
func TestAViewsOrder(t *testing.T) {
	with(t, workers.Options{Workers: -1}, func(w *world) {
		var order []int
		decode := func(_ context.Context, key int, _ *load.Meter) (int, error) {
			order = append(order, key)
			time.Sleep(8 * ms)
			return key, nil
		}
		c := load.NewCache(load.New(w.l, load.Options{Ahead: 1}, decode), load.CacheOptions[int, int]{})
		v := c.View(bg)
		v.Show([]int{5, 1, 4}, []int{9, 1, 8})
		w.frames(1)
		v.Show([]int{5, 2, 4}, []int{8, 1}) // the camera has moved
		w.frames(30)
		if got := fmt.Sprint(order); got != "[5 2 4 8 1]" && got != "[5 1 2 4 8]" {
			t.Error(got)
		}
		if p := v.Progress(); p != (load.Progress{Total: 3, Loaded: 3}) {
			t.Errorf("%+v", p)
		}
		if s := c.Stats(); s.Values != 5 || s.Budget != 1000 || s.Full {
			t.Errorf("%+v", s)
		}
	})
}

// What is only announced does not drive out what else is announced, and comes back when there is room.
func TestWhatIsAnnouncedIsPatient(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		k := newKeeper(w, t.Errorf, load.Options{}, 4, 0)
		k.view()
		k.show(0, []int{1, 2}, []int{3, 4, 5, 6})
		w.frames(20)
		if s := k.cache.Stats(); s.Values != 4 || s.Evicted != 0 || s.Full || s.Loading != 0 {
			t.Errorf("%d workers: %+v", n, s)
		}
		k.view()
		k.show(1, []int{10, 11, 12}, nil)
		w.frames(20)
		if s := k.cache.Stats(); s.Values != 4 || s.Evicted != 2 || !s.Full {
			t.Errorf("%d workers: %+v", n, s)
		}
		k.show(1, nil, nil)
		w.frames(20)
		for _, key := range []int{1, 2, 3, 4} {
			if _, ok := k.cache.Get(key); !ok {
				t.Errorf("%d workers: %d has not come back: %+v", n, key, k.cache.Stats())
			}
		}
	})
}

// When the camera moves, what is announced first takes the place of what is announced last. Nothing is evicted in vain.
func TestTheNearestAnnouncedAreKept(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		k := newKeeper(w, t.Errorf, load.Options{}, 6, 0)
		k.view()
		around := func(at int) (soon []int) {
			for i := range 5 {
				soon = append(soon, at+1+i, at-1-i)
			}
			return soon
		}
		for at := 10; at < 40; at++ {
			k.show(0, []int{at}, around(at))
			w.frames(8)
			for key := at - 2; key <= at+3; key++ {
				if _, ok := k.cache.Get(key); !ok {
					t.Fatalf("%d workers: at %d, %d is missing: %+v", n, at, key, k.cache.Stats())
				}
			}
		}
		before := k.cache.Stats()
		if w.frames(20); k.cache.Stats().Evicted != before.Evicted || before.Evicted > 40 {
			t.Errorf("%d workers: %d evicted, and then %d", n, before.Evicted, k.cache.Stats().Evicted)
		}
	})
}

// A key that has failed is not tried again while it is shown, and is tried again when it is shown anew.
func TestAFailedKey(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		tries := 0
		var errs []error
		ld := load.New(w.l, load.Options{}, func(context.Context, string, *load.Meter) (string, error) {
			if tries++; tries < 2 {
				return "", errors.New("no network")
			}
			return "tile", nil
		})
		c := load.NewCache(ld, load.CacheOptions[string, string]{
			Failed: func(key string, err error) { errs = append(errs, fmt.Errorf("%s: %w", key, err)) },
		})
		v := c.View(bg)
		v.Show([]string{"a"}, nil)
		w.frames(10)
		v.Show([]string{"a"}, []string{})
		w.frames(10)
		if p := v.Progress(); tries != 1 || p.Failed != 1 || len(errs) != 1 || errs[0].Error() != "a: no network" {
			t.Errorf("%d workers: %d tries, %+v, %v", n, tries, p, errs)
		}
		v.Show(nil, nil)
		v.Show([]string{"a"}, nil)
		w.frames(10)
		if got, ok := c.Get("a"); !ok || got != "tile" || tries != 2 {
			t.Errorf("%d workers: %q after %d tries", n, got, tries)
		}
	})
}

// A View ends with its context, with Close, and with the cache; loads that nobody wants any more end.
func TestViewsEnd(t *testing.T) {
	for name, end := range map[string]func(c *load.Cache[string, string], v *load.View[string, string], stop func()){
		"context": func(_ *load.Cache[string, string], _ *load.View[string, string], stop func()) { stop() },
		"view":    func(_ *load.Cache[string, string], v *load.View[string, string], _ func()) { v.Close(); v.Close() },
		"cache":   func(c *load.Cache[string, string], _ *load.View[string, string], _ func()) { c.Close(); c.Close() },
	} {
		inWorld(t, func(w *world) {
			w.slow["slow"] = time.Minute
			left := ""
			c := load.NewCache(w.fetcher(load.Options{}), load.CacheOptions[string, string]{
				Evict: func(key, value string) { left += key + value },
			})
			ctx, stop := context.WithCancel(bg)
			defer stop()
			v := c.View(ctx)
			v.Show([]string{"a", "slow"}, []string{"b"})
			w.frames(20)
			end(c, v, stop)
			w.frames(2)
			v.Show([]string{"c"}, nil) // too late
			w.frames(5)
			want, values := "", 2
			if name == "cache" {
				want, values = "aAbB", 0
			}
			if name == "cache" && left == "bBaA" {
				left = want
			}
			if s := c.Stats(); s.Values != values || s.Loading != 0 || left != want || w.ended.Load() != 1 {
				t.Errorf("%s: %+v, evicted %q, %d sources ended", name, s, left, w.ended.Load())
			}
			over, end := context.WithCancel(bg)
			end()
			c.View(over).Show([]string{"e"}, nil) // a context that is done
			if late := c.View(bg); name == "cache" {
				late.Show([]string{"d"}, nil)
				w.frames(5)
				if s := c.Stats(); s.Values+s.Loading != 0 {
					t.Errorf("after Close: %+v", s)
				}
			}
		})
	}
}
