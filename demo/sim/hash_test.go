package sim

import "math"

// Hash is of all that follows from the options, the ticks and the inputs alone: the tick, the crowd, the
// predators, and what each agent wants. Two worlds with the same past have the same Hash in every mode,
// however their jobs were cut, delayed and ordered.
func (w *World) Hash() uint64 {
	h := mixer(mix64(w.Tick))
	c := w.Crowd
	for i := range c.X {
		h.two(c.X[i], c.Y[i])
		h.two(c.VX[i], c.VY[i])
		h.word(uint64(c.Kind[i]))
	}
	for i := range w.Predators {
		p := &w.Predators[i]
		h.two(p.X, p.Y)
		h.two(p.VX, p.VY)
		h.two(p.rest, float32(p.Prey))
	}
	for i := range w.Agents {
		h.word(uint64(w.Agents[i].Goal)<<32 | uint64(w.Paths.gen[i].Load()))
	}
	return uint64(h)
}

// HashAll is of Hash and of where the agents are and go, which depends on when their answers came. It is the
// same for Runners that end all jobs of a Step before the next one.
func (w *World) HashAll() uint64 {
	h := mixer(w.Hash())
	for i := range w.Agents {
		a := &w.Agents[i]
		h.two(a.X, a.Y)
		h.two(a.VX, a.VY)
		for _, t := range a.Path[a.Next:] {
			h.word(uint64(t))
		}
	}
	return uint64(h)
}

type mixer uint64

func (m *mixer) word(v uint64) { *m = mixer(mix64(uint64(*m) ^ v)) }

func (m *mixer) two(a, b float32) {
	m.word(uint64(math.Float32bits(a))<<32 | uint64(math.Float32bits(b)))
}
