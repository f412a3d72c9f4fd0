package sim

import (
	"math"
	"testing"
)

// lived returns a world whose crowd has moved for a number of ticks.
func lived(t *testing.T, ticks int) *World {
	t.Helper()
	w := world(Options{Seed: 2, Boids: 2400, Agents: -1, NoAssets: true})
	for range ticks {
		w.Tick++
		w.Crowd.step(1.0/60, w.Tick, w.fears(), &crew{})
		w.hunt(1.0 / 60)
	}
	return w
}

func TestAnimalsStayWhereTheyLive(t *testing.T) {
	w := lived(t, 420)
	c := w.Crowd
	var lost, all [3]int
	for i := range c.X {
		if !(c.X[i] >= 12 && c.X[i] <= WorldSize-12 && c.Y[i] >= 12 && c.Y[i] <= WorldSize-12) {
			t.Fatalf("animal %d is at (%v, %v)", i, c.X[i], c.Y[i])
		}
		v := math.Hypot(float64(c.VX[i]), float64(c.VY[i]))
		if !(v <= float64(c.manners[c.Kind[i]].fast)*1.71) {
			t.Fatalf("a %v moves at %v", c.Kind[i], v)
		}
		all[c.Kind[i]]++
		if !w.Map.suits(c.Kind[i], w.Map.Tile(c.X[i], c.Y[i])) {
			lost[c.Kind[i]]++
		}
	}
	for kind, n := range lost {
		if all[kind] == 0 || n*50 > all[kind] {
			t.Errorf("%d of %d %vs are out of their element", n, all[kind], Species(kind))
		}
	}
	for _, p := range w.Predators {
		if !w.Map.suits(p.Prey, w.Map.Tile(p.X, p.Y)) {
			t.Errorf("the hunter of %vs is out of its element", p.Prey)
		}
	}
}

func heading(vx, vy float32) (ux, uy float32) {
	d := sqrt32(vx*vx + vy*vy)
	if d < 0.05 {
		return 1, 0
	}
	return vx / d, vy / d
}

// order returns how much birds fly as their neighbours do: the mean cosine between them.
func order(c *Crowd) float64 {
	sum, n := 0.0, 0
	for i := range c.X {
		for j := i + 1; j < len(c.X); j++ {
			dx, dy := c.X[i]-c.X[j], c.Y[i]-c.Y[j]
			if c.Kind[i] == Bird && c.Kind[j] == Bird && dx*dx+dy*dy < 400 {
				a, b := heading(c.VX[i], c.VY[i])
				d, e := heading(c.VX[j], c.VY[j])
				sum += float64(a*d + b*e)
				n++
			}
		}
	}
	return sum / float64(max(n, 1))
}

func TestBirdsFlockWithoutClumping(t *testing.T) {
	w := lived(t, 420)
	if got := order(w.Crowd); got < 0.6 {
		t.Errorf("neighbours fly alike to %.2f, want at least 0.6", got)
	}
	c, close, birds := w.Crowd, 0, 0
	for i := range c.X {
		if c.Kind[i] != Bird {
			continue
		}
		birds++
		for j := range c.X {
			dx, dy := c.X[i]-c.X[j], c.Y[i]-c.Y[j]
			if j != i && c.Kind[j] == Bird && dx*dx+dy*dy < 4 {
				close++
				break
			}
		}
	}
	if close*5 > birds {
		t.Errorf("%d of %d birds fly into another one", close, birds)
	}
}

func TestAnimalsFlee(t *testing.T) {
	w := lived(t, 60)
	c := w.Crowd
	for _, kind := range []Species{Bird, Sheep, Fish} {
		i := 0
		for c.Kind[i] != kind {
			i++
		}
		x, y := c.X[i], c.Y[i]
		around := func() (k int) {
			for i := range c.X {
				dx, dy := c.X[i]-x, c.Y[i]-y
				if c.Kind[i] == kind && dx*dx+dy*dy < 45*45 {
					k++
				}
			}
			return k
		}
		before := around()
		for range 240 {
			w.Tick++
			c.step(1.0/60, w.Tick, []threat{{x: x, y: y, prey: int8(kind)}}, Inline{})
		}
		if after := around(); before < 2 || after*2 > before {
			t.Errorf("%v: %d around the threat before, %d after", kind, before, after)
		}
	}
}

func TestGridHoldsEachAnimalOnceInItsCell(t *testing.T) {
	w := lived(t, 30)
	c := w.Crowd
	c.X[5], c.Y[5], c.X[6], c.Y[6] = 15, 15, WorldSize-12, WorldSize-12 // the first cell and the last
	c.sort()
	if got := int(c.start[len(c.start)-1]); got != len(c.X) {
		t.Fatalf("the grid holds %d animals, want %d", got, len(c.X))
	}
	want := map[boid]int{}
	for i := range c.X {
		want[boid{c.X[i], c.Y[i], c.VX[i], c.VY[i], c.Kind[i]}]++
	}
	for k := range len(c.start) - 1 {
		for _, b := range c.sorted[c.start[k]:c.start[k+1]] {
			want[b]--
			if int(b.y/gridCell)*gridSide+int(b.x/gridCell) != k {
				t.Fatalf("(%v, %v) is in cell %d", b.x, b.y, k)
			}
		}
	}
	for b, n := range want {
		if n != 0 {
			t.Fatalf("%+v is %+d times too few in the grid", b, n)
		}
	}
}

func TestS3_BodyWritesItsRangeOnly(t *testing.T) {
	w := lived(t, 10)
	c := w.Crowd
	mark := float32(-77)
	for i := range c.nx {
		c.nx[i] = mark
	}
	x := append([]float32(nil), c.X...)
	c.stepRange(100, 200)
	for i := range c.nx {
		if in := i >= 100 && i < 200; (c.nx[i] != mark) != in {
			t.Fatalf("index %d: written %t, want %t", i, !in, in)
		}
		if c.X[i] != x[i] {
			t.Fatalf("index %d: the last state has changed", i)
		}
	}
}
