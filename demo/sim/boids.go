package sim

import "math/bits"

// Species says what an animal is, and where it lives.
type Species uint8

// The species of the crowd.
const (
	Bird  Species = iota // anywhere, over everything
	Sheep                // on sand, meadow and in woods
	Fish                 // in water
)

// manner is how a species moves. Distances are in world units, speeds in units per second, weights in units per
// second².
type manner struct {
	slow, fast       float32 // limits of the speed
	sight, space     float32 // radius of perception, of personal space; sight is at most gridCell
	separate         float32 // weights
	align, cohere    float32
	wander           float32
	fear, flight     float32 // radius and weight of flight from a predator
	habitat, journey float32 // weights: away from bad ground, towards the flyway
}

func manners() [3]manner {
	return [3]manner{
		Bird: {slow: 48, fast: 98, sight: 20, space: 15, separate: 460, align: 2.2, cohere: 1.5, wander: 60,
			fear: 110, flight: 420, journey: 22},
		Sheep: {slow: 0, fast: 19, sight: 20, space: 13, separate: 90, align: 0.5, cohere: 0.35, wander: 26,
			fear: 90, flight: 120, habitat: 120},
		Fish: {slow: 7, fast: 30, sight: 20, space: 13, separate: 150, align: 1.6, cohere: 0.9, wander: 34,
			fear: 60, flight: 150, habitat: 190},
	}
}

func (c *Crowd) stepRange(lo, hi int) {
	for i := lo; i < hi; i++ {
		c.stepOne(i)
	}
}

// stepOne computes the next state of animal i from the last state of all.
func (c *Crowd) stepOne(i int) {
	x, y, vx, vy, kind := c.X[i], c.Y[i], c.VX[i], c.VY[i], c.Kind[i]
	m := &c.manners[kind]
	ax, ay := c.flock(x, y, vx, vy, kind, m)
	scared := false
	for mask := c.danger[int(y)/ChunkSize*WorldChunks+int(x)/ChunkSize]; mask != 0; mask &= mask - 1 {
		t := &c.threats[bits.TrailingZeros32(mask)]
		if t.prey >= 0 && Species(t.prey) != kind {
			continue
		}
		dx, dy := x-t.x, y-t.y
		if q := dx*dx + dy*dy; q < m.fear*m.fear && q > 0 {
			d := sqrt32(q)
			k := m.flight * (1.15 - d/m.fear) / d
			ax += dx * k
			ay += dy * k
			scared = true
		}
	}
	rnd := hash2(uint32(c.tick>>3), int32(i), int32(kind))
	wander := m.wander
	if kind == Sheep {
		// A sheep grazes and walks in turns of about four seconds. Each sheep has times of its own.
		if hash2(uint32((c.tick+uint64(i)*37)>>8), int32(i), 99)&7 < 5 && !scared {
			wander = 0
			ax, ay = ax*0.35-vx*2.2, ay*0.35-vy*2.2
		}
	}
	ax += (unit(rnd) - 0.5) * 2 * wander
	ay += (unit(rnd>>16) - 0.5) * 2 * wander
	if kind == Bird {
		l := &c.leader[c.Flock(i)%leaders]
		dx, dy := l[0]-x, l[1]-y
		if d := sqrt32(dx*dx + dy*dy); d > 30 {
			k := m.journey * min(d/260, 4) / d
			ax += dx * k
			ay += dy * k
		}
	} else {
		p := c.m.away[kind][c.m.Tile(x+vx*0.7, y+vy*0.7)]
		ax += float32(p.x) * (1.0 / 127) * m.habitat
		ay += float32(p.y) * (1.0 / 127) * m.habitat
	}
	c.move(i, x, y, vx+ax*c.dt, vy+ay*c.dt, kind, m, scared)
}

// flock returns the acceleration of the three rules of boids: keep apart, fly alike, stay together.
func (c *Crowd) flock(x, y, vx, vy float32, kind Species, m *manner) (ax, ay float32) {
	var sx, sy, hx, hy, px, py float32
	n := 0
	sight, space, perSpace := m.sight*m.sight, m.space*m.space, 1/m.space
	cx, cy := int(x*(1.0/gridCell)), int(y*(1.0/gridCell))
	x0, x1 := max(cx-1, 0), min(cx+1, gridSide-1)
scan:
	for _, gy := range [3]int{cy, cy - 1, cy + 1} { // its own row first, because of the limit
		if gy < 0 || gy >= gridSide {
			continue
		}
		// The three cells of a row are one run in sorted. The animal itself is among them, and adds nothing.
		row := c.sorted[c.start[gy*gridSide+x0]:c.start[gy*gridSide+x1+1]]
		for k := range row {
			o := &row[k]
			dx, dy := o.x-x, o.y-y
			q := dx*dx + dy*dy
			if q >= sight || o.kind != kind {
				continue
			}
			if q < space {
				near := (1 - sqrt32(q)*perSpace) / (q + 0.01)
				sx -= dx * near
				sy -= dy * near
			}
			hx += o.vx
			hy += o.vy
			px += dx
			py += dy
			if n++; n == neighbors {
				break scan
			}
		}
	}
	inv := 1 / float32(max(n, 1))
	ax = sx*m.separate + (hx*inv-vx)*m.align + px*inv*m.cohere
	ay = sy*m.separate + (hy*inv-vy)*m.align + py*inv*m.cohere
	return ax, ay
}

// move writes the next state: limits the speed, keeps the animal in the valley and off bad ground.
func (c *Crowd) move(i int, x, y, vx, vy float32, kind Species, m *manner, scared bool) {
	v := sqrt32(vx*vx + vy*vy)
	fast := m.fast
	if scared {
		fast *= 1.7
	}
	if v > fast {
		k := fast / v
		vx, vy = vx*k, vy*k
	} else if v < m.slow && v > 0 {
		k := m.slow / v
		vx, vy = vx*k, vy*k
	}
	nx, ny := x+vx*c.dt, y+vy*c.dt
	if kind != Bird {
		if t := c.m.Tile(nx, ny); !c.m.suits(kind, t) && c.m.suits(kind, c.m.Tile(x, y)) {
			// It stops at the edge and turns around.
			p := c.m.away[kind][t]
			nx, ny = x, y
			vx, vy = -vx*0.4+float32(p.x)*0.05, -vy*0.4+float32(p.y)*0.05
		}
	}
	const edge = 12
	if nx < edge {
		nx, vx = edge, abs32(vx)
	} else if nx > WorldSize-edge {
		nx, vx = WorldSize-edge, -abs32(vx)
	}
	if ny < edge {
		ny, vy = edge, abs32(vy)
	} else if ny > WorldSize-edge {
		ny, vy = WorldSize-edge, -abs32(vy)
	}
	c.nx[i], c.ny[i], c.nvx[i], c.nvy[i] = nx, ny, vx, vy
}
