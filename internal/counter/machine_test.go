package counter_test

import (
	"math/rand/v2"
	"testing"

	"github.com/frameslice/frameslice/internal/counter"
)

// machine is a computer with a clock and a counter. Real is the time in ps, of which nobody knows.
type machine struct {
	rng    *rand.Rand
	ps     int64
	clock  float64 // ps that the system's clock has counted, at its own pace
	ticks  float64
	pace   float64 // of the clock: 1, but for ppm of adjustment
	mhz    float64 // of the counter
	offset uint64  // what jumps have added to the counter
	steps  int64   // and to the clock, in ns

	c         counter.Clock
	gap       int64 // ps from a reading of the counter to one of the clock
	anchor    int64 // the last reading of the clock
	inRow     int   // readings of the counter since
	quick     int
	slow      int
	ahead     int64 // the most, in ns, and
	behind    int64
	beyond    int64 // furthest from the anchor
	mostInRow int
}

func newMachine(mhz float64, seed uint64) *machine {
	return &machine{rng: rand.New(rand.NewPCG(seed, 1)), pace: 1, mhz: mhz, gap: 13_000}
}

// pass lets time pass.
func (m *machine) pass(ps int64) {
	m.ps += ps
	m.clock += float64(ps) * m.pace
	m.ticks += float64(ps) * m.mhz / 1e6
}

func (m *machine) count() uint64 { return uint64(m.ticks) + m.offset }
func (m *machine) now() int64    { return int64(m.clock/1000) + m.steps }

// read does what the scheduler does to read the time.
func (m *machine) read() {
	m.pass(10_000)
	if m.c.Ready() {
		if t, ok := m.c.At(m.count()); ok {
			m.quick++
			m.inRow++
			m.ahead = max(m.ahead, t-m.now())
			m.behind = max(m.behind, m.now()-t)
			m.beyond = max(m.beyond, t-m.anchor)
			m.mostInRow = max(m.mostInRow, m.inRow)
			return
		}
	}
	m.slow++
	if !m.c.Due() {
		return
	}
	before := m.count()
	m.pass(m.gap)
	now := m.now()
	m.pass(m.gap)
	m.c.Note(now, before, m.count())
	m.anchor, m.inRow = now, 0
}

// run has tasks of up to 2*mean ns each for ms milliseconds, and a new slice every 5 ms.
func (m *machine) run(ms, mean int64) {
	slice := m.ps
	for end := m.ps + ms*1e9; m.ps < end; {
		m.pass(m.rng.Int64N(2 * mean * 1000))
		if m.ps-slice > 5e9 {
			slice = m.ps
			m.c.Begin()
		}
		m.read()
	}
}

// share returns how many of the readings since it was asked last were the counter's.
func (m *machine) share() float64 {
	s := float64(m.quick) / float64(max(m.quick+m.slow, 1))
	m.quick, m.slow = 0, 0
	return s
}

// TestP2: an even counter is never ahead of the clock, and behind by less than 1 µs.
func TestP2AnEvenCounterIsRight(t *testing.T) {
	for _, mhz := range []float64{1000, 1999.9, 2694.5, 3400, 5000} {
		for _, ppm := range []float64{0, 500, -500} {
			m := newMachine(mhz, uint64(mhz))
			m.pace = 1 + ppm/1e6
			m.run(20, 100)
			m.share()
			for range 10 {
				m.run(6, 50+m.rng.Int64N(300))
				m.pace = 1 + (m.rng.Float64()-0.5)*800/1e6 // an adjustment of at most 400 ppm, either way
			}
			if m.ahead > 0 || m.behind >= 1000 {
				t.Errorf("%v MHz, %v ppm: %d ns ahead, %d behind", mhz, ppm, m.ahead, m.behind)
			}
			// Some 0.9; adjustments that are far apart cost a measurement each, and of 4,500 runs one had 0.73.
			if s := m.share(); s < 0.5 {
				t.Errorf("%v MHz, %v ppm: %.2f of the readings are the counter's", mhz, ppm, s)
			}
		}
	}
}

// TestP1: whatever the counter and the clock do.
func TestP1ABadCounterIsBounded(t *testing.T) {
	for seed := range uint64(10) {
		m := newMachine(500+float64(seed)*551, seed)
		for range 40 {
			switch m.rng.IntN(9) {
			case 0:
				m.offset += m.rng.Uint64N(1 << m.rng.IntN(63))
			case 1:
				m.offset -= m.rng.Uint64N(1 << m.rng.IntN(63))
			case 2:
				m.mhz = 0 // stopped
			case 3:
				m.mhz = m.rng.Float64() * 8000
			case 4:
				m.steps += m.rng.Int64N(1 << m.rng.IntN(50))
			case 5:
				m.steps -= m.rng.Int64N(1 << m.rng.IntN(50))
			case 6:
				m.gap = m.rng.Int64N(1 << m.rng.IntN(25))
			case 7:
				m.pass(m.rng.Int64N(1 << m.rng.IntN(45)))
			}
			steps := m.steps
			m.run(1+m.rng.Int64N(8), 50+m.rng.Int64N(1000))
			if m.steps == steps && m.beyond > 250_000 || m.mostInRow > 256 {
				t.Fatalf("%d ns from the anchor, %d readings in a row", m.beyond, m.mostInRow)
			}
		}
	}
}
