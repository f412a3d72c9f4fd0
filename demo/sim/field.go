package sim

import "math"

// field is the valley as a function of the seed: the height of the ground at any point, and how moist it is. The map,
// the terrain chunks and the villages all ask it, so they agree without sharing memory.
//
// Heights are in units where 0 is the water's surface, 0.1 a bank, 0.5 a rocky slope and 1 a snowy summit.
type field struct {
	seed  uint32
	phase [4]float64 // of the meanders
}

func newField(seed uint64) field {
	f := field{seed: uint32(mix64(seed))}
	for i := range f.phase {
		f.phase[i] = float64(mix64(seed+uint64(i)*7919+1)%6283) / 1000
	}
	return f
}

// mix64 is the finaliser of SplitMix64: a bijection whose output passes for random.
func mix64(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// column is what the height needs to know of an x: where the river runs.
type column struct {
	middle float32 // y of the river
	lean   float32 // cosine of its slope: vertical distance times lean is about the distance from the river
	width  float32 // half of it
	bed    float32 // height of the river bed: fords are shallow
}

// riverY returns the y of the river's middle, and its derivative.
func (f *field) riverY(x float64) (y, dy float64) {
	const (
		w0, w1, w2 = 1 / 640.0, 1 / 270.0, 1 / 118.0
		a0, a1, a2 = 420.0, 130.0, 26.0
	)
	s0, c0 := math.Sincos(x*w0 + f.phase[0])
	s1, c1 := math.Sincos(x*w1 + f.phase[1])
	s2, c2 := math.Sincos(x*w2 + f.phase[2])
	return WorldSize/2 + a0*s0 + a1*s1 + a2*s2, a0*w0*c0 + a1*w1*c1 + a2*w2*c2
}

func (f *field) column(x float32) column {
	y, dy := f.riverY(float64(x))
	ford := math.Sin(float64(x)/173 + f.phase[3])
	return column{
		middle: float32(y),
		lean:   float32(1 / math.Sqrt(1+dy*dy)),
		width:  float32(30 + 12*math.Sin(float64(x)/410+f.phase[3])),
		bed:    float32(-0.075 + 0.058*max(0, ford*ford*ford)),
	}
}

// height returns the height at (x, y), c being column(x). About 150 ns.
func (f *field) height(c *column, x, y float32) float32 {
	d := abs32(y-c.middle)*c.lean +
		15*noise2(f.seed+3, x*(1.0/95), y*(1.0/95)) + 5*noise2(f.seed+4, x*(1.0/31), y*(1.0/31))
	far := smooth((d - 60) / 1050)
	hills := f.fbm(x*(1.0/460), y*(1.0/460), 5, 11)
	h := 0.085 + 0.17*far + hills*(0.26+0.20*far)
	if slopes := far - 0.06; slopes > 0 {
		ridge := f.ridged(x*(1.0/620), y*(1.0/620), 4, 37)
		h += ridge * ridge * slopes * (0.35 + 0.80*slopes)
	}
	if near := 1 - smooth((d-c.width*0.45)/(c.width*2.1)); near > 0 {
		h += (min(c.bed, h) - h) * near
	}
	return h
}

// moisture returns how moist the ground is, about -0.7 to 0.7: forests stand where it is positive.
func (f *field) moisture(x, y float32) float32 {
	return f.fbm(x*(1.0/350), y*(1.0/350), 3, 71)
}

// rotation between octaves: without it the lattice shows.
const rotC, rotS = 0.8, 0.6

// fbm sums octaves of noise: about -0.8 to 0.8.
func (f *field) fbm(x, y float32, octaves int, salt uint32) float32 {
	var sum float32
	amp := float32(0.62)
	for i := range octaves {
		sum += amp * noise2(f.seed+salt+uint32(i)*101, x, y)
		x, y = 2.03*(rotC*x-rotS*y), 2.03*(rotS*x+rotC*y)
		amp *= 0.48
	}
	return sum
}

// ridged sums octaves of noise folded at zero, each weighed by the octave before, for sharp crests and smooth
// valleys: 0 to 1.
func (f *field) ridged(x, y float32, octaves int, salt uint32) float32 {
	var sum float32
	amp, weight := float32(0.55), float32(1)
	for i := range octaves {
		n := noise2(f.seed+salt+uint32(i)*101, x, y)
		n = 1 - sqrt32(n*n+0.0016)*1.5 // the crests are a little worn
		n = max(n, 0)
		n *= n * weight
		weight = min(n*1.6, 1)
		sum += amp * n
		x, y = 2.03*(rotC*x-rotS*y), 2.03*(rotS*x+rotC*y)
		amp *= 0.52
	}
	return sum
}

// noise2 is gradient noise on the integer lattice, about -0.8 to 0.8, with zero mean. About 10 ns.
func noise2(seed uint32, x, y float32) float32 {
	xi, yi := floor32(x), floor32(y)
	fx, fy := x-float32(xi), y-float32(yi)
	// A hash of each corner, with the products shared.
	hx0, hy0 := uint32(xi)*hashX, seed^uint32(yi)*hashY
	hx1, hy1 := uint32(xi+1)*hashX, seed^uint32(yi+1)*hashY
	a := grad(hx0^hy0, fx, fy)
	b := grad(hx1^hy0, fx-1, fy)
	c := grad(hx0^hy1, fx, fy-1)
	d := grad(hx1^hy1, fx-1, fy-1)
	u := fx * fx * fx * (fx*(fx*6-15) + 10)
	v := fy * fy * fy * (fy*(fy*6-15) + 10)
	p := a + u*(b-a)
	q := c + u*(d-c)
	return (p + v*(q-p)) * (1.5 / 0x8000)
}

func grad(h uint32, fx, fy float32) float32 {
	h = (h ^ h>>15) * 0x2C1B3C6D
	h ^= h >> 13
	return float32(int16(h))*fx + float32(int16(h>>16))*fy
}

const hashX, hashY = 0x9E3779B1, 0x85EBCA77

func hash2(seed uint32, x, y int32) uint32 {
	h := seed ^ uint32(x)*hashX ^ uint32(y)*hashY
	h = (h ^ h>>15) * 0x2C1B3C6D
	h = (h ^ h>>12) * 0x297A2D39
	return h ^ h>>15
}

// unit turns 16 bits of a hash into [0, 1).
func unit(h uint32) float32 { return float32(h&0xFFFF) * (1.0 / 0x10000) }

func floor32(v float32) int32 {
	i := int32(v)
	if float32(i) > v {
		i--
	}
	return i
}

func abs32(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}

// smooth is the cubic step from 0 at t <= 0 to 1 at t >= 1.
func smooth(t float32) float32 {
	t = min(max(t, 0), 1)
	return t * t * (3 - 2*t)
}

func sqrt32(v float32) float32 { return float32(math.Sqrt(float64(v))) }
