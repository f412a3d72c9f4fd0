package sim

import "math"

const (
	gridCell  = 20 // world units: the 3x3 cells around an animal hold all that it sees
	gridSide  = (WorldSize + gridCell - 1) / gridCell
	neighbors = 14 // an animal minds at most so many, itself included: a bound of the cost in dense crowds
	leaders   = 4  // flyways
	boidGrain = 256
)

// Crowd is the boids, as a structure of arrays. Index i is always the same animal. Step reads the state of the last
// tick and writes the next one into a second set of arrays. So the ranges of the ParallelFor are independent of each
// other, and the result does not depend on where they are cut. The front reads the exported fields between two Steps.
type Crowd struct {
	X, Y, VX, VY []float32
	Kind         []Species

	nx, ny, nvx, nvy []float32 // the next state
	sorted           []boid    // the last state in the order of the grid: neighbours lie side by side
	cell             []int32   // of each animal
	start            []int32   // gridSide²+1: where each cell's animals begin in sorted

	m       *Map
	manners [3]manner
	dt      float32
	tick    uint64
	threats []threat
	danger  [WorldChunks * WorldChunks]uint32 // which threats matter in a chunk: bit i for threats[i]
	leader  [leaders][2]float32
	body    func(lo, hi int) // stepRange, bound once: a method value allocates
}

type boid struct {
	x, y, vx, vy float32
	kind         Species
}

// threat is what an animal flees from.
type threat struct {
	x, y float32
	prey int8 // species that fear it; -1: all
}

const maxThreats = 32 // bits of danger

// newCrowd places n animals, each kind in flocks where it lives: half of them birds, a third sheep, the rest fish.
func newCrowd(seed uint64, m *Map, n int) *Crowd {
	c := &Crowd{m: m, manners: manners()}
	c.resize(n)
	c.body = c.stepRange
	for i := range n {
		kind := Bird
		if r := i % 6; r == 3 || r == 4 {
			kind = Sheep
		} else if r == 5 {
			kind = Fish
		}
		flock := uint64(c.Flock(i))
		x, y := m.spawn(seed, kind, flock, uint64(i))
		a := float64(mix64(seed^uint64(flock)*31+uint64(kind))%6283) / 1000
		v := (c.manners[kind].slow + c.manners[kind].fast) / 2
		c.X[i], c.Y[i], c.Kind[i] = x, y, kind
		c.VX[i], c.VY[i] = v*float32(math.Cos(a)), v*float32(math.Sin(a))
	}
	return c
}

// Flock returns the number of the group with which animal i started: 120 birds, 80 sheep and 40 fish each.
func (c *Crowd) Flock(i int) int { return i / (6 * 40) }

func (c *Crowd) resize(n int) {
	for _, p := range []*[]float32{&c.X, &c.Y, &c.VX, &c.VY, &c.nx, &c.ny, &c.nvx, &c.nvy} {
		*p = make([]float32, n)
	}
	c.Kind = make([]Species, n)
	c.sorted = make([]boid, n)
	c.cell = make([]int32, n)
	c.start = make([]int32, gridSide*gridSide+1)
}

// spawn returns a place for an animal of a flock: near the flock's middle, near the river, on ground that
// suits it.
func (m *Map) spawn(seed uint64, kind Species, flock, i uint64) (x, y float32) {
	for try := range uint64(64) {
		h := mix64(seed + flock*977 + uint64(kind)*13 + try*7777777)
		fx := 120 + float32(h%(WorldSize-240))
		ry, _ := m.field.riverY(float64(fx))
		spread := float32(1100)
		if kind == Fish {
			spread = 60
		}
		fy := float32(ry) + spread*(unit(uint32(h>>20))-0.5)
		g := mix64(h ^ (i+1)*0x9E37)
		x = fx + 120*(unit(uint32(g))-0.5)
		y = fy + 120*(unit(uint32(g>>16))-0.5)
		x, y = min(max(x, 20), WorldSize-20), min(max(y, 20), WorldSize-20)
		if m.suits(kind, m.Tile(x, y)) {
			return x, y
		}
	}
	return x, y // an animal that starts on bad ground walks off it
}

// suits reports whether a species lives on a tile.
func (m *Map) suits(kind Species, tile int32) bool {
	switch g := m.Ground[tile]; kind {
	case Sheep:
		return g >= Sand && g <= Forest
	case Fish:
		return g <= Shallow
	}
	return true
}

// step advances the crowd by dt seconds: 0.1 ms of sorting on the caller, then the ParallelFor.
func (c *Crowd) step(dt float32, tick uint64, threats []threat, r Runner) {
	c.dt, c.tick, c.threats = dt, tick, threats
	c.survey()
	c.sort()
	for i := range c.leader {
		x, y := c.m.flyway(tick, i)
		c.leader[i] = [2]float32{x, y}
	}
	r.ParallelFor(len(c.X), boidGrain, c.body)
	c.X, c.nx = c.nx, c.X
	c.Y, c.ny = c.ny, c.Y
	c.VX, c.nvx = c.nvx, c.VX
	c.VY, c.nvy = c.nvy, c.VY
}

// survey marks the chunks in which each threat matters.
func (c *Crowd) survey() {
	clear(c.danger[:])
	for i, t := range c.threats {
		const r = 112 // at least the largest fear
		x0, x1 := max(int(t.x-r)/ChunkSize, 0), min(int(t.x+r)/ChunkSize, WorldChunks-1)
		y0, y1 := max(int(t.y-r)/ChunkSize, 0), min(int(t.y+r)/ChunkSize, WorldChunks-1)
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				c.danger[y*WorldChunks+x] |= 1 << i
			}
		}
	}
}

// sort fills the grid: a counting sort, so the animals of a cell keep their order.
func (c *Crowd) sort() {
	start := c.start
	clear(start)
	for i := range c.X {
		k := int32(c.Y[i]*(1.0/gridCell))*gridSide + int32(c.X[i]*(1.0/gridCell))
		c.cell[i] = k
		start[k+1]++
	}
	var sum int32
	for k := range start {
		sum += start[k]
		start[k] = sum
	}
	for i := range c.X {
		k := c.cell[i]
		c.sorted[start[k]] = boid{c.X[i], c.Y[i], c.VX[i], c.VY[i], c.Kind[i]}
		start[k]++
	}
	copy(start[1:], start[:len(start)-1]) // each start is now its cell's end, which is the next one's start
	start[0] = 0
}

// flyway returns where leader i of the birds is at a tick. The camera glides after leader 0. All four follow the
// river up and down, at different times and on different sides.
func (m *Map) flyway(tick uint64, i int) (x, y float32) {
	t := float64(tick) / 60
	period := [leaders]float64{150, 190, 130, 230}[i]
	u := math.Sin(2*math.Pi*(t/period) + float64(i)*1.7 - 0.9)
	x = float32(WorldSize/2 + u*(WorldSize/2-760))
	ry, _ := m.field.riverY(float64(x))
	return x, float32(ry + 260*math.Sin(t/17+float64(i)*2.1) + 90*math.Sin(t/7.3+float64(i)))
}
