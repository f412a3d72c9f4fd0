package sim

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/race"
	"github.com/frameslice/frameslice/internal/testkit"
)

func TestS5_HashIsTheSameInEveryMode(t *testing.T) {
	opts := Options{Seed: 3, Boids: 1500, Agents: 20, Detail: 1, NoAssets: true}
	run := func(r Runner, after func(w *World)) []uint64 {
		list := make([]uint64, ticks(90))
		w := world(opts)
		for i := range list {
			w.Scare(2000, 2000, i > 10 && i < 20)
			w.Step(tick, r)
			after(w)
			list[i] = w.Hash()
		}
		return list
	}
	want := run(Inline{}, func(*World) {})
	nothing := &later{}
	modes := map[string]func() []uint64{
		"jobs never end": func() []uint64 { return run(nothing, func(*World) {}) },
		"goroutines": func() []uint64 {
			c := &crew{}
			return run(c, func(w *World) { c.join(); drain(w) })
		},
	}
	for seed := range uint64(3) {
		modes[fmt.Sprintf("shredder %d", seed)] = func() []uint64 {
			s := newShredder(seed)
			return run(s, func(w *World) { s.some() })
		}
	}
	fresh := New(opts) // not on a shared map
	fresh.Step(tick, Inline{})
	if fresh.Hash() != want[0] {
		t.Error("New makes another world")
	}
	for name, mode := range modes {
		got := mode()
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: tick %d: hash %x, want %x", name, i+1, got[i], want[i])
			}
		}
	}
	for _, procs := range []int{1, 3} {
		old := runtime.GOMAXPROCS(procs)
		c := &crew{}
		got := run(c, func(*World) { c.join() })
		runtime.GOMAXPROCS(old)
		if !slices.Equal(got, want) {
			t.Errorf("GOMAXPROCS=%d: other hashes", procs)
		}
	}
}

func TestHashAllIsTheSameWhenJobsEndWithinTheStep(t *testing.T) {
	opts := Options{Seed: 3, Boids: 120, Agents: 12, Detail: 1, NoAssets: true}
	in, l, c := world(opts), world(opts), world(opts)
	reverse, group := &later{}, &crew{}
	for i := range ticks(300) {
		in.Step(tick, Inline{})
		l.Step(tick, reverse)
		reverse.settle()
		c.Step(tick, group)
		group.join()
		if a, b, d := in.HashAll(), l.HashAll(), c.HashAll(); a != b || a != d {
			t.Fatalf("tick %d: inline %x, newest first %x, goroutines %x", i+1, a, b, d)
		}
	}
	if in.Paths.Delivered == 0 {
		t.Error("no path was delivered: the test tests nothing")
	}
}

func TestHashSeesEverything(t *testing.T) {
	base := small(t)
	changes := map[string]func(w *World){
		"tick":     func(w *World) { w.Tick++ },
		"place":    func(w *World) { w.Crowd.X[700] += 0.01 },
		"velocity": func(w *World) { w.Crowd.VY[3] += 0.01 },
		"kind":     func(w *World) { w.Crowd.Kind[0] = Fish },
		"hunter":   func(w *World) { w.Predators[2].rest++ },
		"goal":     func(w *World) { w.Agents[4].Goal++ },
		"request":  func(w *World) { w.Paths.gen[4].Add(1) },
	}
	for name, change := range changes {
		w := small(t)
		if w.Hash() != base.Hash() {
			t.Fatal("two equal worlds differ")
		}
		change(w)
		if w.Hash() == base.Hash() {
			t.Errorf("%s: the hash does not see it", name)
		}
	}
	w := small(t)
	w.Agents[0].X += 0.5
	if w.HashAll() == base.HashAll() || w.Hash() != base.Hash() {
		t.Error("an agent's place belongs to HashAll, and only there")
	}
}

func TestSeedsAndInputsMatter(t *testing.T) {
	a := world(Options{Seed: 2, Boids: 60, NoAssets: true})
	b := world(Options{Seed: 3, Boids: 60, NoAssets: true})
	if a.Hash() == b.Hash() {
		t.Error("seeds 2 and 3 give the same world")
	}
	quiet, loud := small(t), small(t)
	loud.Scare(loud.Crowd.X[0]+5, loud.Crowd.Y[0], true)
	for range 5 {
		quiet.Step(tick, &later{})
		loud.Step(tick, &later{})
	}
	if quiet.Hash() == loud.Hash() {
		t.Error("Scare scares no one")
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	w := small(t)
	r := &later{}
	step := func() {
		w.Step(tick, r)
	}
	rest := func() { r.settle(); drain(w) }
	for range 1700 { // two spans of goals: every agent has had its longest paths
		step()
		rest()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	for tries := 1; ; tries++ { // the runtime itself allocates a thread now and then, which counts, too
		var total uint64
		jobs := w.Paths.Requested + w.Terrain.Asked
		for range 400 {
			runtime.ReadMemStats(&before)
			step()
			runtime.ReadMemStats(&after)
			total += after.Mallocs - before.Mallocs
			rest()
		}
		if got := w.Paths.Requested + w.Terrain.Asked - jobs; got < 40 {
			t.Fatalf("only %d jobs in 400 steps: the test tests nothing", got)
		}
		if total == 0 {
			return
		}
		if tries == 5 {
			t.Fatalf("400 steps allocated %d times, want 0", total)
		}
	}
}

func TestJobsOfPathsAndTerrainAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	c := NewChunk()
	SynthInto(c, 3, 12, 15, 32)
	testkit.NoAllocs(t, func() { SynthInto(c, 3, 12, 15, 32) })
	w := small(t)
	path := make([]int32, 0, 4096)
	from, to := w.Map.Sites[0].Tile, w.Map.Sites[2].Tile
	w.Map.FindPath(path, from, to)
	testkit.NoAllocs(t, func() { w.Map.FindPath(path, from, to) })
}

func TestStepSurvivesWildInputs(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	w := small(t)
	r := &later{}
	for _, c := range []Camera{
		{X: nan, Y: inf, Zoom: nan, Free: true}, {X: -inf, Y: 1e30, Zoom: 1e-30, Free: true},
		{Zoom: inf, Free: true}, {Free: true}, {X: 9e9, Y: -9e9, Zoom: 1, View: w.Camera.View},
	} {
		w.Camera = c
		w.Scare(c.X, c.Y, true)
		w.Step(-time.Hour, r)
		w.Step(time.Hour, r)
		x0, y0, x1, y1 := w.Camera.Bounds()
		if !(x0 <= x1 && y0 <= y1 && w.Camera.X >= 0 && w.Camera.X <= WorldSize) {
			t.Errorf("camera %+v became %+v", c, w.Camera)
		}
		r.settle()
		drain(w)
	}
}

func TestAnEmptyWorldSteps(t *testing.T) {
	w := world(Options{Boids: -1, Agents: -1, NoAssets: true})
	w.Step(tick, Inline{})
	if len(w.Crowd.X) != 0 || len(w.Agents) != 0 {
		t.Errorf("%d boids, %d agents, want none", len(w.Crowd.X), len(w.Agents))
	}
}

func TestCameraScreenAndWorldAreInverse(t *testing.T) {
	w := small(t)
	w.Camera.Zoom = 1.7
	px, py := w.Camera.Screen(2100, 1999)
	if x, y := w.Camera.World(px, py); math.Abs(float64(x-2100)) > 0.01 || math.Abs(float64(y-1999)) > 0.01 {
		t.Errorf("(2100, 1999) came back as (%v, %v)", x, y)
	}
	x0, y0, _, _ := w.Camera.Bounds()
	if px, py := w.Camera.Screen(x0, y0); math.Abs(float64(px)) > 0.01 || math.Abs(float64(py)) > 0.01 {
		t.Errorf("the corner is at pixel (%v, %v), want (0, 0)", px, py)
	}
}
