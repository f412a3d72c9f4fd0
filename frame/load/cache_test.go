package load_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// A keeper is a cache whose values are watched: no key is decoded twice at once, and each value that was kept leaves
// once, while nobody shows its key.
type keeper struct {
	w     *world
	cache *load.Cache[int, *int]
	views []*load.View[int, *int]
	shows []map[int]bool // what each View shows
	sizes int64          // the largest size; 0: all are 1
	fails map[int]bool
	wrong func(string, ...any)

	alive map[*int]bool
	mu    sync.Mutex
	runs  map[int]int // decodes that run, by key
}

func newKeeper(w *world, wrong func(string, ...any), o load.Options, budget, sizes int64) *keeper {
	k := &keeper{
		w: w, wrong: wrong, sizes: sizes, fails: map[int]bool{}, alive: map[*int]bool{}, runs: map[int]int{},
	}
	co := load.CacheOptions[int, *int]{Budget: budget, Commit: k.commit, Evict: k.evict}
	if sizes > 0 {
		co.Size = func(key int, _ *int) int64 { return k.size(key) }
	}
	k.cache = load.NewCache(load.New(w.l, o, k.decode), co)
	return k
}

// size is from half of the largest on.
func (k *keeper) size(key int) int64 {
	if k.sizes == 0 {
		return 1
	}
	return k.sizes - int64(key)%(k.sizes/2+1)
}

func (k *keeper) decode(ctx context.Context, key int, _ *load.Meter) (*int, error) {
	k.mu.Lock()
	if k.runs[key]++; k.runs[key] > 1 {
		k.wrong("%d is decoded %d times at once", key, k.runs[key])
	}
	k.mu.Unlock()
	time.Sleep(ms)
	k.mu.Lock()
	k.runs[key]--
	k.mu.Unlock()
	if k.fails[key] {
		return nil, errors.New("no such tile")
	}
	return &key, ctx.Err()
}

func (k *keeper) commit(_ int, value *int) *int {
	k.alive[value] = true
	return value
}

func (k *keeper) evict(key int, value *int) {
	if !k.alive[value] || *value != key {
		k.wrong("%d leaves with %d, which is kept: %v", key, *value, k.alive[value])
	}
	delete(k.alive, value)
	for _, shown := range k.shows {
		if shown[key] && k.sizes < 2 { // otherwise it may be larger than was guessed
			k.wrong("%d leaves, though a view shows it", key)
		}
	}
}

func (k *keeper) view() {
	k.views = append(k.views, k.cache.View(bg))
	k.shows = append(k.shows, map[int]bool{})
}

func (k *keeper) show(view int, near, soon []int) {
	k.shows[view] = map[int]bool{}
	for _, key := range near {
		k.shows[view][key] = true
	}
	k.views[view].Show(near, soon)
}

// wanted returns how large all together is that a view shows and that can be loaded.
func (k *keeper) wanted() (keys []int, size int64) {
	for _, shown := range k.shows {
		for key := range shown {
			if !slices.Contains(keys, key) && !k.fails[key] {
				keys = append(keys, key)
				size += k.size(key)
			}
		}
	}
	return keys, size
}

// Any script: the budget holds, what is shown is loaded if it fits, and everything leaves in the end.
func TestCacheScripts(t *testing.T) {
	type step struct {
		what       string
		view, n    int
		near, soon []int
	}
	keys := rapid.SliceOfN(rapid.IntRange(0, 15), 0, 12)
	steps := rapid.Custom(func(t *rapid.T) step {
		return step{
			rapid.SampledFrom([]string{"show", "show", "show", "frames", "frames", "get", "close"}).Draw(t, "what"),
			rapid.IntRange(0, 1).Draw(t, "view"), rapid.IntRange(0, 15).Draw(t, "n"),
			keys.Draw(t, "near"), keys.Draw(t, "soon"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom(sizes()).Draw(rt, "workers")
		size := rapid.SampledFrom([]int64{0, 1, 10, 11}).Draw(rt, "size")
		budget := rapid.Int64Range(1, 120).Draw(rt, "budget")
		ahead := rapid.SampledFrom([]int{0, 1, 2, -1}).Draw(rt, "ahead")
		script := rapid.SliceOfN(steps, 0, 25).Draw(rt, "script")
		with(t, workers.Options{Workers: n}, func(w *world) {
			k := newKeeper(w, rt.Errorf, load.Options{Ahead: ahead}, budget, size)
			k.fails[3], k.fails[7] = true, true
			k.view()
			k.view()
			for _, s := range script {
				switch s.what {
				case "show":
					k.show(s.view, s.near, s.soon)
				case "frames":
					w.frames(1 + s.n%3)
				case "get":
					if v, ok := k.cache.Get(s.n); ok && *v != s.n {
						rt.Errorf("%d is %d", s.n, *v)
					}
				case "close":
					k.views[s.view].Close()
					k.views[s.view], k.shows[s.view] = k.cache.View(bg), map[int]bool{}
				}
				k.check(rt.Errorf)
			}
			w.frames(80)
			if s := k.cache.Stats(); s.Size > s.Budget && s.Values > 1 || s.Values != len(k.alive) {
				rt.Errorf("in the end %d alive of %+v", len(k.alive), s)
			}
			shown, all := k.wanted()
			fits := all+k.sizes <= budget || k.sizes < 2 && all <= budget
			for _, key := range shown {
				if _, ok := k.cache.Get(key); fits && !ok {
					rt.Errorf("%d is missing, though all takes %d of %d: %+v", key, all, budget, k.cache.Stats())
				}
			}
			k.show(0, nil, nil) // whatever has become of them, all can be evicted now
			k.show(1, nil, nil)
			var fresh []int
			for key, size := 100, int64(0); size+max(k.sizes, 1) <= budget; key++ {
				fresh = append(fresh, key)
				size += k.size(key)
			}
			k.show(0, fresh, nil)
			w.frames(200)
			if p := k.views[0].Progress(); p.Loaded < len(fresh)-1 || k.sizes < 2 && p.Loaded < len(fresh) {
				rt.Errorf("%+v of %d fresh ones: %+v", p, len(fresh), k.cache.Stats())
			}
			k.cache.Close()
			k.shows = nil
			w.frames(160)
			if s := k.cache.Stats(); len(k.alive) != 0 || s.Values != 0 || s.Size != 0 || s.Loading != 0 {
				rt.Errorf("%d values left, %+v", len(k.alive), s)
			}
		})
	})
}

// check looks at the budget. While values under way turn out larger than all before, it may be exceeded.
func (k *keeper) check(wrong func(string, ...any)) {
	s := k.cache.Stats()
	if s.Values > 1 && s.Size > s.Budget && s.Loading == 0 && s.Size-s.Budget > k.sizes {
		wrong("%d of a budget of %d: %+v", s.Size, s.Budget, s)
	}
	if k.sizes < 2 && s.Peak > max(s.Budget, 1) {
		wrong("equal sizes: %d of a budget of %d", s.Peak, s.Budget)
	}
}

// Functions of the user's that panic, or that call the cache, harm nothing.
func TestFunctionsOfACache(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		var c *load.Cache[string, string]
		left := 0
		c = load.NewCache(w.loader(load.Options{}), load.CacheOptions[string, string]{
			Budget: 3,
			Commit: func(key, value string) string {
				c.Stats()
				if key == "d" {
					panic("no texture")
				}
				return strings.ToLower(value)
			},
			Evict: func(key, _ string) {
				c.Get(key)
				switch left++; left {
				case 1:
					panic("evict")
				case 2:
					runtime.Goexit()
				}
			},
		})
		v := c.View(bg)
		v.Show([]string{"a", "b", "c"}, nil)
		w.frames(10)
		v.Show([]string{"d", "e", "f"}, nil)
		w.frames(30)
		if got, ok := c.Get("e"); !ok || got != "e" {
			t.Errorf("%d workers: %q, %+v", n, got, c.Stats())
		}
		if p := v.Progress(); left != 3 || p != (load.Progress{Total: 3, Loaded: 2, Failed: 1}) {
			t.Errorf("%d workers: %d left, %+v", n, left, p)
		}
		c.Close()
		w.frames(10)
		if left != 5 {
			t.Errorf("%d workers: %d left after Close", n, left)
		}
	})
}

func TestMisuseOfACache(t *testing.T) {
	inWorlds(t, func(w *world, _ int) {
		any := load.NewCache(load.New(w.l, load.Options{}, func(context.Context, float64, *load.Meter) (int, error) {
			return 0, nil
		}), load.CacheOptions[float64, int]{})
		for want, f := range map[string]func(){
			"load: View.Show of a key that does not equal itself": func() {
				any.View(bg).Show([]float64{1}, []float64{math.NaN()})
			},
			"load: NewCache with a nil Loader": func() { load.NewCache[int, int](nil, load.CacheOptions[int, int]{}) },
			"load: CacheOptions.Budget is negative": func() {
				load.NewCache(w.loader(load.Options{}), load.CacheOptions[string, string]{Budget: -1})
			},
		} {
			if got := testkit.PanicOf(f); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}

// The value that was used least recently leaves first: Get counts as use, and so does the end of a Show.
func TestTheLeastRecentlyUsedLeaves(t *testing.T) {
	inWorlds(t, func(w *world, n int) {
		k := newKeeper(w, t.Errorf, load.Options{}, 4, 0)
		k.view()
		for _, near := range [][]int{{1}, {2}, {3}, {4}, nil} {
			k.show(0, near, nil)
			w.frames(4)
		}
		k.cache.Get(1)
		k.show(0, []int{5, 6}, nil)
		w.frames(10)
		for key, want := range map[int]bool{1: true, 2: false, 3: false, 4: true, 5: true, 6: true} {
			if _, ok := k.cache.Get(key); ok != want {
				t.Errorf("%d workers: %d is kept: %v, want %v", n, key, ok, want)
			}
		}
	})
}

// Looking a value up, and showing the same keys again, allocates nothing.
func TestACacheAllocatesNothing(t *testing.T) {
	inWorlds(t, func(w *world, _ int) {
		k := newKeeper(w, t.Errorf, load.Options{}, 0, 0)
		k.view()
		near, soon := []int{1, 2, 3}, []int{4, 5}
		k.show(0, near, soon)
		w.frames(5)
		testkit.NoAllocs(t, func() {
			k.views[0].Show(near, soon)
			k.cache.Get(1)
			k.cache.Get(4)
			k.views[0].Progress()
		})
	})
}

// Many goroutines use a cache beside its loop.
func TestACacheOfAllGoroutines(t *testing.T) {
	needsWorkers(t)
	with(t, workers.Options{Workers: 4}, func(w *world) {
		k := newKeeper(w, t.Errorf, load.Options{Priority: deadline.UserBlocking}, 20, 0)
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				rng := rand.New(rand.NewPCG(1, uint64(g)))
				v := k.cache.View(bg)
				defer v.Close()
				for range 200 {
					var near []int
					for range rng.IntN(5) {
						near = append(near, rng.IntN(40))
					}
					v.Show(near, near)
					k.cache.Get(rng.IntN(40))
					v.Progress()
					time.Sleep(time.Duration(rng.IntN(20)) * ms)
				}
			})
		}
		w.frames(500)
		all.Wait()
		w.frames(20)
		if s := k.cache.Stats(); s.Peak > 20 || s.Values == 0 || s.Loading != 0 {
			t.Errorf("%+v", s)
		}
	})
}
