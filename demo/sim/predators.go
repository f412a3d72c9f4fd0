package sim

import "math"

// Predator hunts one species: a falcon hunts birds, a wolf sheep, a pike fish.
type Predator struct {
	X, Y, VX, VY float32
	Prey         Species
	rest         float32 // seconds until it hunts again
}

const predatorsPerKind = 4

func newPredators(seed uint64, m *Map) []Predator {
	list := make([]Predator, 0, 3*predatorsPerKind)
	for i := range uint64(3 * predatorsPerKind) {
		kind := Species(i % 3)
		x, y := m.spawn(seed+4242, kind, i, i)
		list = append(list, Predator{X: x, Y: y, Prey: kind})
	}
	return list
}

// hunt moves the predators, on the frame goroutine: about 10 µs for all.
func (w *World) hunt(dt float32) {
	for i := range w.Predators {
		w.Predators[i].step(w.Crowd, dt, w.Tick, i)
	}
}

func (p *Predator) step(c *Crowd, dt float32, tick uint64, index int) {
	top := [3]float32{Bird: 148, Sheep: 33, Fish: 46}[p.Prey]
	sight := [3]float32{Bird: 300, Sheep: 230, Fish: 150}[p.Prey]
	ax, ay := float32(0), float32(0)
	if p.rest -= dt; p.rest <= 0 {
		if dx, dy, d, ok := c.nearest(p.X, p.Y, sight, p.Prey, tick, index); ok {
			ax, ay = dx/d*top*2.4, dy/d*top*2.4
			if d < 7 {
				p.rest = 5 // it missed, as always: nobody dies in this valley
			}
		} else {
			p.rest = 1
		}
	}
	if p.rest > 0 {
		top *= 0.45
		a := float64(hash2(uint32(tick>>6), int32(index), 5)%6283) / 1000
		ax, ay = top*float32(math.Cos(a)), top*float32(math.Sin(a))
		if p.Prey == Bird { // back to its flyway
			x, y := c.m.flyway(tick, index/3%leaders)
			ax, ay = ax+(x-p.X)*0.12, ay+(y-p.Y)*0.12
		}
	}
	if p.Prey != Bird {
		away := c.m.away[p.Prey][c.m.Tile(p.X+p.VX*0.5, p.Y+p.VY*0.5)]
		ax, ay = ax+float32(away.x)*1.6, ay+float32(away.y)*1.6
	}
	p.VX, p.VY = p.VX+ax*dt, p.VY+ay*dt
	if v := sqrt32(p.VX*p.VX + p.VY*p.VY); v > top {
		k := 1 - 0.1*(v-top)/v // slows down gently from a chase
		p.VX, p.VY = p.VX*k, p.VY*k
	}
	x := min(max(p.X+p.VX*dt, 12), WorldSize-12)
	y := min(max(p.Y+p.VY*dt, 12), WorldSize-12)
	if !c.m.suits(p.Prey, c.m.Tile(x, y)) && c.m.suits(p.Prey, c.m.Tile(p.X, p.Y)) {
		p.VX, p.VY = -p.VX*0.5, -p.VY*0.5
		return
	}
	p.X, p.Y = x, y
}

// nearest looks for prey in an eighth of the crowd, another one each tick. So the cost is small, and a predator still
// sees every animal within an eighth of a second.
func (c *Crowd) nearest(
	x, y, sight float32, kind Species, tick uint64, index int,
) (dx, dy, d float32, ok bool) {
	best := sight * sight
	for i := int((tick + uint64(index)) & 7); i < len(c.X); i += 8 {
		if c.Kind[i] != kind {
			continue
		}
		ex, ey := c.X[i]-x, c.Y[i]-y
		if q := ex*ex + ey*ey; q < best && q > 0 {
			best, dx, dy, ok = q, ex, ey, true
		}
	}
	return dx, dy, sqrt32(best), ok
}
