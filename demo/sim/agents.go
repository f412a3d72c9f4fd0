package sim

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
)

// Agent is a gopher that walks from village to village.
type Agent struct {
	X, Y, VX, VY float32
	Path         []int32 // tiles; Path[Next:] is still to be walked
	Next         int
	Goal         int32 // tile
	Hue          uint8 // index into Palette.Agent
	Waiting      bool  // its newest request is under way
}

// Sprite returns the name of the sprite that shows an agent: the way it looks.
func (a *Agent) Sprite() string {
	switch {
	case a.VX > 6 && a.VX > abs32(a.VY)*0.6:
		return "gopher-right"
	case a.VX < -6 && -a.VX > abs32(a.VY)*0.6:
		return "gopher-left"
	}
	return "gopher-front"
}

// PathTable decides which answer counts: that of the latest request. Each agent has a generation, and a request takes
// the next one. An answer whose generation is not the agent's is dropped. Jobs read the generation from their
// goroutines, and give up when a newer request has superseded them.
type PathTable struct {
	Requested  uint64 // searches asked for
	Delivered  uint64 // answers that an agent took
	Superseded uint64 // answers, or unstarted searches, dropped for a newer request
	Failed     uint64 // no path, or a partial one
	InFlight   int    // requested and not committed

	gen  []atomic.Uint32
	free []*pathJob
}

const (
	retarget = 840 // ticks between two goals of an agent
	renew    = 210 // ticks between two requests for the way to the same goal
	walking  = 34  // world units per second on a meadow
)

func newAgents(seed uint64, m *Map, n int) []Agent {
	if len(m.Sites) == 0 {
		return nil // a valley without a village has no walkers
	}
	list := make([]Agent, n)
	for i := range list {
		a := &list[i]
		site := m.Sites[mix64(seed+uint64(i)*31)%uint64(len(m.Sites))]
		a.X, a.Y = site.X+float32(i%7)-3, site.Y+float32(i%5)-2
		a.Goal, a.Hue = site.Tile, uint8(i%len(Palette{}.Agent))
	}
	return list
}

// goal returns where agent i wants to be in its k-th span of time: a village not far from the one before.
func (w *World) goal(i int, k uint64) int32 {
	sites := w.Map.Sites
	home := mix64(w.opts.Seed+uint64(i)*31) % uint64(len(sites))
	hop := mix64(w.opts.Seed^uint64(i)<<20^k) % 13
	return sites[(home+hop+uint64(len(sites))-6)%uint64(len(sites))].Tile
}

// walk moves the agents, and then asks for their paths. In this order an answer that comes at once takes effect at the
// same tick as an answer that comes before the next Step. An agent asks at ticks that depend on its number only, not on
// whether its last answer has come.
func (w *World) walk(dt float32, r Runner) {
	for i := range w.Agents {
		w.Agents[i].step(w.Map, dt)
	}
	for i := range w.Agents {
		if at := w.Tick + uint64(i)*(retarget/60+7); at%renew == 0 || w.Tick == 1 {
			w.Agents[i].Goal = w.goal(i, at/retarget)
			w.request(i, r)
		}
	}
}

// request submits a search for agent i, which supersedes the one before.
func (w *World) request(i int, r Runner) {
	t := &w.Paths
	a := &w.Agents[i]
	var j *pathJob
	if n := len(t.free); n > 0 {
		j, t.free = t.free[n-1], t.free[:n-1]
	} else {
		j = &pathJob{w: w}
	}
	j.agent, j.start, j.goal = i, w.Map.firm(w.Map.Tile(a.X, a.Y)), a.Goal
	j.gen = t.gen[i].Add(1)
	t.Requested++
	t.InFlight++
	a.Waiting = true
	r.Submit(KindPath, deadline.UserBlocking, j)
}

// pathJob is one search for one agent.
type pathJob struct {
	w           *World
	agent       int
	gen         uint32
	start, goal int32
	path        []int32
	result      PathResult
}

func (j *pathJob) Run() { j.RunPatiently(nil) }

// RunPatiently is Run that calls pause after each 512 tiles.
func (j *pathJob) RunPatiently(pause func()) {
	current := &j.w.Paths.gen[j.agent]
	if current.Load() != j.gen {
		j.result = PathStale
		return
	}
	j.path, j.result = j.w.Map.findPath(j.path[:0], j.start, j.goal, current, j.gen, pause)
}

// Commit swaps the path with the agent's old one, whose memory serves the next search.
func (j *pathJob) Commit() {
	t := &j.w.Paths
	t.InFlight--
	defer func() { t.free = append(t.free, j) }()
	if t.gen[j.agent].Load() != j.gen || j.result == PathStale {
		t.Superseded++
		return
	}
	a := &j.w.Agents[j.agent]
	a.Waiting = false
	if j.result != PathFound {
		t.Failed++
	}
	if j.result == PathNone {
		return
	}
	t.Delivered++
	a.Path, j.path = j.path, a.Path
	a.Next = a.rejoin(j.w.Map)
}

// rejoin returns the index of the path's tile to head for. The agent has walked on since it asked for the path.
func (a *Agent) rejoin(m *Map) int {
	best, bestD := 0, float32(1e9)
	for i := range min(len(a.Path), 64) {
		x, y := m.Centre(a.Path[i])
		if d := (x-a.X)*(x-a.X) + (y-a.Y)*(y-a.Y); d <= bestD {
			best, bestD = i, d
		}
	}
	return min(best+1, len(a.Path))
}

// step walks towards a point some tiles ahead, which rounds the corners of the grid.
func (a *Agent) step(m *Map, dt float32) {
	if a.Next >= len(a.Path) {
		a.VX, a.VY = a.VX*0.9, a.VY*0.9
		return
	}
	x, y := m.Centre(a.Path[a.Next])
	if a.Next+1 < len(a.Path) {
		x2, y2 := m.Centre(a.Path[a.Next+1])
		x, y = (x+x2)/2, (y+y2)/2
	}
	dx, dy := x-a.X, y-a.Y
	d := sqrt32(dx*dx + dy*dy)
	if d < TileSize*0.8 {
		a.Next++
	}
	v := float32(walking)
	if c := m.cost[m.Tile(a.X, a.Y)]; c > minCost {
		v *= max(float32(minCost)/float32(c), 0.45)
	}
	if d > 0.01 {
		k := min(dt*7, 1)
		a.VX += (dx/d*v - a.VX) * k
		a.VY += (dy/d*v - a.VY) * k
	}
	nx, ny := a.X+a.VX*dt, a.Y+a.VY*dt
	if !m.land[m.Tile(nx, ny)] && m.land[m.Tile(a.X, a.Y)] {
		a.VX, a.VY = dx*2, dy*2 // straight to the path's tile, which is walkable
		a.X, a.Y = a.X+dx*min(dt*3, 1), a.Y+dy*min(dt*3, 1)
		return
	}
	a.X, a.Y = nx, ny
}
