package sim

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
)

// maze returns a map that is solid but for a random square of n x n tiles in its corner.
func maze(rnd *rand.Rand, n int) *Map {
	m := &Map{cost: make([]uint8, MapTiles*MapTiles), land: make([]bool, MapTiles*MapTiles)}
	for y := range n {
		for x := range n {
			if rnd.IntN(100) < 68 {
				i := y*MapTiles + x
				m.cost[i] = [...]uint8{minCost, minCost, minCost, 12, 16, 34}[rnd.IntN(6)]
				m.land[i] = true
			}
		}
	}
	return m
}

// stepCost returns the cost of one step, or -1 if the step is not allowed.
func stepCost(m *Map, a, b int32) int32 {
	ax, ay, bx, by := a%MapTiles, a/MapTiles, b%MapTiles, b/MapTiles
	dx, dy := bx-ax, by-ay
	if dx*dx > 1 || dy*dy > 1 || a == b || m.cost[b] == 0 {
		return -1
	}
	if dx != 0 && dy != 0 {
		if m.cost[ay*MapTiles+bx] == 0 || m.cost[by*MapTiles+ax] == 0 {
			return -1
		}
		return int32(m.cost[b]) * diagNum / diagDen
	}
	return int32(m.cost[b])
}

// cheapest is the model: Bellman-Ford until nothing changes. -1: no way.
func cheapest(m *Map, n, start, goal int32) int32 {
	const far = 1 << 30
	dist := map[int32]int32{start: 0}
	at := func(i int32) int32 {
		if d, ok := dist[i]; ok {
			return d
		}
		return far
	}
	for changed := true; changed; {
		changed = false
		for y := range n {
			for x := range n {
				from := y*MapTiles + x
				if at(from) == far {
					continue
				}
				for _, d := range steps() {
					nx, ny := x+d[0], y+d[1]
					if nx < 0 || ny < 0 || nx >= n || ny >= n {
						continue
					}
					to := ny*MapTiles + nx
					if c := stepCost(m, from, to); c > 0 && at(from)+c < at(to) {
						dist[to] = at(from) + c
						changed = true
					}
				}
			}
		}
	}
	if at(goal) == far {
		return -1
	}
	return at(goal)
}

func TestFindPathMatchesBellmanFord(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		const n = 14
		m := maze(rnd, n)
		tile := func() int32 { return int32(rnd.IntN(n))*MapTiles + int32(rnd.IntN(n)) }
		start, goal := tile(), tile()
		path, result := m.FindPath(nil, start, goal)
		if !m.land[start] || !m.land[goal] {
			if result != PathNone || len(path) != 0 {
				t.Fatalf("seed %d: %v from rock", seed, result)
			}
			continue
		}
		want := cheapest(m, n, start, goal)
		if want < 0 {
			if result != PathPartial {
				t.Fatalf("seed %d: %v, want partial", seed, result)
			}
			continue
		}
		if result != PathFound || path[0] != start || path[len(path)-1] != goal {
			t.Fatalf("seed %d: %v, path %v, want one from %d to %d", seed, result, path, start, goal)
		}
		found++
		got := int32(0)
		for i := 1; i < len(path); i++ {
			c := stepCost(m, path[i-1], path[i])
			if c < 0 {
				t.Fatalf("seed %d: step %d of %v is not allowed", seed, i, path)
			}
			got += c
		}
		if got != want {
			t.Errorf("seed %d: path costs %d, the cheapest %d", seed, got, want)
		}
	}
	if found < 10 {
		t.Errorf("only %d paths found: the test tests nothing", found)
	}
}

func TestFindPathIsDeterministicAlsoWhenStampsRunOut(t *testing.T) {
	m := newMap(3) // not a shared one: the test reaches into it
	from, to := m.Sites[0].Tile, m.Sites[3].Tile
	want, result := m.FindPath(nil, from, to)
	if result != PathFound {
		t.Fatalf("%v between two villages", result)
	}
	m.searches.free = []*search{m.searches.get()} // every search gets this memory
	stamp := func(now uint16) { m.searches.free[0].now = now }
	stamp(0)
	m.FindPath(nil, to, m.Sites[len(m.Sites)-1].Tile) // marks much of the map with stamp 1
	stamp(0xFFFF)                                     // so the next one would be 1 again
	for range 3 {
		if got, _ := m.FindPath(nil, from, to); !slices.Equal(got, want) {
			t.Fatalf("%d tiles, want the %d of the first search", len(got), len(want))
		}
	}
}

func TestFindPathIsBounded(t *testing.T) {
	m := &Map{cost: make([]uint8, MapTiles*MapTiles), land: make([]bool, MapTiles*MapTiles)}
	for i := range m.cost {
		m.cost[i], m.land[i] = minCost, true
	}
	goal := int32(MapTiles*MapTiles - 1)
	for _, wall := range []int32{goal - 1, goal - MapTiles, goal - MapTiles - 1} {
		m.cost[wall] = 0
	}
	path, result := m.FindPath(nil, 0, goal)
	if result != PathPartial {
		t.Fatalf("%v, want partial", result)
	}
	end := path[len(path)-1]
	if h := octile(end, MapTiles-1, MapTiles-1); h > 3*minCost {
		t.Errorf("the path ends %d away from the goal", h)
	}
	for _, bad := range []int32{-1, MapTiles * MapTiles} {
		if _, r := m.FindPath(nil, bad, 5); r != PathNone {
			t.Errorf("start %d: %v", bad, r)
		}
	}
}

func TestASupersededSearchGivesUp(t *testing.T) {
	w := small(t)
	sites := w.Map.Sites
	var gen atomic.Uint32
	gen.Store(2)
	path, result := w.Map.findPath(nil, sites[0].Tile, sites[len(sites)-1].Tile, &gen, 1, nil)
	if result != PathStale || len(path) != 0 {
		t.Errorf("%v with %d tiles, want stale", result, len(path))
	}
}

func TestTheLatestRequestWins(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		w := small(t)
		r := &later{}
		a := &w.Agents[0]
		for i := range 3 {
			a.Goal = w.Map.Sites[i+1].Tile
			w.request(0, r)
		}
		jobs := append([]Job(nil), r.jobs...)
		for _, i := range order {
			jobs[i].Run()
			jobs[i].Commit()
		}
		p := &w.Paths
		if p.Requested != 3 || p.Delivered != 1 || p.Superseded != 2 || p.InFlight != 0 || a.Waiting {
			t.Errorf("order %v: %+v", order, *p)
		}
		if end := a.Path[len(a.Path)-1]; end != w.Map.Sites[3].Tile {
			t.Errorf("order %v: the path leads to %d, want the last goal %d", order, end, w.Map.Sites[3].Tile)
		}
	}
}

func TestASearchThatEndedBeforeTheNewRequestIsDropped(t *testing.T) {
	w := small(t)
	r := &later{}
	w.Agents[0].Goal = w.Map.Sites[1].Tile
	w.request(0, r)
	old := r.jobs[0]
	old.Run()
	w.Agents[0].Goal = w.Map.Sites[2].Tile
	w.request(0, r)
	old.Commit()
	if w.Paths.Delivered != 0 || w.Paths.Superseded != 1 || !w.Agents[0].Waiting {
		t.Errorf("%+v", w.Paths)
	}
}

func TestWalkersReachVillagesAndStayOnLand(t *testing.T) {
	w := world(Options{Seed: 3, Boids: -1, Agents: 40, NoAssets: true, Detail: 1})
	r := &later{}
	arrived := 0
	for range ticks(900) {
		w.Step(tick, r)
		for i := len(r.jobs) - 1; i >= 0; i-- {
			if r.kinds[i] == KindPath {
				r.end(i)
			}
		}
		for i := range w.Agents {
			a := &w.Agents[i]
			if g := w.Map.Ground[w.Map.Tile(a.X, a.Y)]; g == DeepWater || g == Snow {
				t.Fatalf("tick %d: agent %d walks on %v", w.Tick, i, g)
			}
			if w.Map.Tile(a.X, a.Y) == a.Goal {
				arrived++
			}
		}
	}
	if arrived == 0 || w.Paths.Failed != 0 || w.Paths.Delivered == 0 {
		t.Errorf("%d arrivals, %+v", arrived, w.Paths)
	}
}
