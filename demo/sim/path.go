package sim

import (
	"sync"
	"sync/atomic"
)

const (
	minCost = 10 // of a straight step
	diagNum = 14 // a diagonal step costs diagNum/straight times as much
	diagDen = 10
)

// search is the working memory of one A* search over the whole map: 1.8 MB, so it is kept for the next search. Stamps
// tell the marks of earlier searches, so nothing is cleared between two searches.
type search struct {
	g     []int32  // cost so far
	stamp []uint16 // g and from are of this search if stamp equals now
	from  []uint8  // direction of the step that led here; closed once its tile has left the heap
	now   uint16
	heap  []open
	tiles []int32
}

// open is an entry of the heap. Smaller f come first, then larger g (closer to the goal), then the older entry. So the
// result is a function of the arguments alone.
type open struct {
	f, g, tile int32
	seq        int32
}

func (a *open) before(b *open) bool {
	if a.f != b.f {
		return a.f < b.f
	}
	if a.g != b.g {
		return a.g > b.g
	}
	return a.seq < b.seq
}

// searches keeps the working memory that no search uses. It is not a sync.Pool, because the collector would empty a
// sync.Pool between two bursts.
type searches struct {
	mu   sync.Mutex
	free []*search
}

const keepSearches = 8

func (p *searches) get() *search {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		return s
	}
	const n = MapTiles * MapTiles
	return &search{g: make([]int32, n), stamp: make([]uint16, n), from: make([]uint8, n)}
}

func (p *searches) put(s *search) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < keepSearches {
		p.free = append(p.free, s)
	}
}

// PathResult says how a search ended.
type PathResult uint8

// The ends of a search.
const (
	PathFound   PathResult = iota // the path leads to the goal
	PathPartial                   // the bound was reached: the path leads to the tile nearest to the goal
	PathNone                      // no way, or start or goal is no walkable tile
	PathStale                     // abandoned: a newer request has superseded it
)

// MaxExpand bounds a search: more tiles than this are never expanded (the whole map has 262,144).
const MaxExpand = 120_000

// findPath appends the cheapest path from start to goal, both included, to path. It is A* over eight directions,
// which cuts no corners of unwalkable tiles, with the octile distance as heuristic. It allocates nothing but path's
// growth, and takes 0.01 ms next door, 5 ms across a quarter of the map, 25 ms at the bound. Any goroutine;
// deterministic.
//
// Each 512 tiles it calls pause, and then gives up if current no longer holds gen. Both may be nil.
func (m *Map) findPath(
	path []int32, start, goal int32, current *atomic.Uint32, gen uint32, pause func(),
) ([]int32, PathResult) {
	const n = MapTiles * MapTiles
	if start < 0 || goal < 0 || start >= n || goal >= n || !m.land[start] || !m.land[goal] {
		return path, PathNone
	}
	s := m.searches.get()
	defer m.searches.put(s)
	end, result := s.run(m, start, goal, current, gen, pause)
	if result == PathStale {
		return path, result
	}
	return s.trace(path, start, end), result
}

// steps lists the eight directions: dx, dy.
func steps() [8][2]int32 {
	return [8][2]int32{{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
}

const closed = 0x80

func (s *search) run(
	m *Map, start, goal int32, current *atomic.Uint32, gen uint32, pause func(),
) (end int32, result PathResult) {
	if s.now++; s.now == 0 { // once in 65,536 searches the stamps repeat
		clear(s.stamp)
		s.now = 1
	}
	dirs := steps()
	gx, gy := goal%MapTiles, goal/MapTiles
	s.heap = s.heap[:0]
	seq := int32(0)
	s.g[start], s.stamp[start], s.from[start] = 0, s.now, 0
	s.push(open{f: octile(start, gx, gy), tile: start})
	best, bestH := start, octile(start, gx, gy)
	for expanded := 0; len(s.heap) > 0; {
		top := s.pop()
		at := top.tile
		if s.from[at]&closed != 0 {
			continue // an older, dearer entry of this tile
		}
		s.from[at] |= closed
		if at == goal {
			return at, PathFound
		}
		if h := top.f - top.g; h < bestH {
			best, bestH = at, h
		}
		if expanded++; expanded >= MaxExpand {
			return best, PathPartial
		}
		if expanded&511 == 0 {
			if pause != nil {
				pause()
			}
			if current != nil && current.Load() != gen {
				return at, PathStale
			}
		}
		x, y := at%MapTiles, at/MapTiles
		for d, step := range dirs {
			nx, ny := x+step[0], y+step[1]
			if nx < 0 || ny < 0 || nx >= MapTiles || ny >= MapTiles {
				continue
			}
			next := ny*MapTiles + nx
			cost := int32(m.cost[next])
			if cost == 0 {
				continue
			}
			if d >= 4 {
				if m.cost[y*MapTiles+nx] == 0 || m.cost[ny*MapTiles+x] == 0 {
					continue
				}
				cost = cost * diagNum / diagDen
			}
			g := top.g + cost
			if s.stamp[next] == s.now && (s.from[next]&closed != 0 || g >= s.g[next]) {
				continue
			}
			s.stamp[next], s.g[next], s.from[next] = s.now, g, uint8(d)
			seq++
			s.push(open{f: g + octile(next, gx, gy), g: g, tile: next, seq: seq})
		}
	}
	return best, PathPartial
}

// octile is the cost of the way over open meadow. No step is cheaper, so it is a lower bound, and consistent.
func octile(tile, gx, gy int32) int32 {
	dx, dy := tile%MapTiles-gx, tile/MapTiles-gy
	dx, dy = max(dx, -dx), max(dy, -dy)
	return minCost*max(dx, dy) + minCost*(diagNum-diagDen)/diagDen*min(dx, dy)
}

// trace appends the tiles from start to end.
func (s *search) trace(path []int32, start, end int32) []int32 {
	dirs := steps()
	s.tiles = s.tiles[:0]
	for at := end; ; {
		s.tiles = append(s.tiles, at)
		if at == start {
			break
		}
		d := dirs[s.from[at]&^closed]
		at -= d[1]*MapTiles + d[0]
	}
	for i := len(s.tiles) - 1; i >= 0; i-- {
		path = append(path, s.tiles[i])
	}
	return path
}

// The heap has four children per node. It is half as deep as a binary heap, and the children share a cache line.

func (s *search) push(e open) {
	h := append(s.heap, e)
	i := len(h) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&h[p]) {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = e
	s.heap = h
}

func (s *search) pop() open {
	h := s.heap
	top, last := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	s.heap = h
	if len(h) == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= len(h) {
			break
		}
		best := c
		for k := c + 1; k < min(c+4, len(h)); k++ {
			if h[k].before(&h[best]) {
				best = k
			}
		}
		if !h[best].before(&last) {
			break
		}
		h[i] = h[best]
		i = best
	}
	h[i] = last
	return top
}
