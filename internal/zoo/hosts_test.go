package zoo_test

import (
	"fmt"
	"math"
	"time"

	"github.com/frameslice/frameslice/frame"
)

// A host calls the frames: a display, a GPU, the game's own work, and how the loop is driven.
type host struct {
	name     string
	interval time.Duration // by which frames are judged: the display's refresh, or what the game wants
	measured bool          // the loop is not told the interval, and must measure it

	own  course // the game's work before the slice
	tail course // the host's after it: flush and GPU

	display func() display // nil: free-running, a frame begins when the tail has ended
	runs    bool           // the loop's Run drives the frames; there is no tail
	paces   bool           // Options.Pace
	shadow  bool           // PlaceShadow
	workers int
}

// A moment says when a part of a frame begins: in frame n at t. The frame before began at last.
type moment struct {
	n       int
	t, last time.Duration
	seed    uint64
}

// A course says how long a part takes. It depends on the moment and the seed alone, so that every way meets the same
// host.
type course func(m moment) time.Duration

// random returns a number from 0 to 1 for the frame: splitmix64 of the seed and the frame's number.
func (m moment) random(salt uint64) float64 {
	z := m.seed*0xa0761d6478bd642f + (uint64(m.n)+1)*0x9e3779b97f4a7c15 + salt*0xe7037ed1a0b428db
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// times returns k times d.
func times(d time.Duration, k float64) time.Duration { return time.Duration(float64(d) * k) }

func steady(d time.Duration) course { return func(moment) time.Duration { return d } }

func alternating(a, b time.Duration) course {
	return func(m moment) time.Duration {
		if m.n%2 == 0 {
			return a
		}
		return b
	}
}

// uneven takes 0.55 to 3.7 times the base, and the base in the mean.
func uneven(base time.Duration) course {
	return func(m moment) time.Duration {
		u := m.random(1)
		return times(base, 0.55+0.25*u/(1.08-u))
	}
}

func between(lo, hi time.Duration) course {
	return func(m moment) time.Duration { return lo + times(hi-lo, m.random(2)) }
}

func lognormal(median time.Duration) course {
	return func(m moment) time.Duration {
		normal := math.Sqrt(-2*math.Log(1-m.random(3))) * math.Cos(2*math.Pi*m.random(4))
		return times(median, math.Exp(0.3*normal))
	}
}

// drifting goes to and fro in 8 s.
func drifting(lo, hi time.Duration) course {
	return func(m moment) time.Duration {
		return lo + times(hi-lo, 0.5-0.5*math.Cos(2*math.Pi*m.t.Seconds()/8))
	}
}

// stalling is c with a stall of d at each multiple of every.
func stalling(c course, d, every time.Duration) course {
	return func(m moment) time.Duration {
		if m.last >= 0 && m.t/every != m.last/every {
			return c(m) + d
		}
		return c(m)
	}
}

// stopping is c with one stop of 20 s, four seconds after the start.
func stopping(c course) course {
	return func(m moment) time.Duration {
		if m.last < 4*time.Second && m.t >= 4*time.Second {
			return c(m) + 20*time.Second
		}
		return c(m)
	}
}

// A display says for each frame when it is shown, and when the swap returns. The frame is handed over at submitted, and
// the GPU needs the tail for it.
type display interface {
	swap(m moment, submitted, tail time.Duration) (shown, returns time.Duration)
}

// grid is a display with a fixed refresh. The swap of a frame returns when the frame that lies ahead frames before has
// been shown: its own with ahead 0, where the GPU's work lies within the frame; the one before with double buffers.
type grid struct {
	refresh time.Duration
	ahead   int
	jitter  time.Duration // of the return: a browser's animation frames
	gpu     time.Duration // until when the GPU works
	shown   []time.Duration
}

func (g *grid) swap(m moment, submitted, tail time.Duration) (shown, returns time.Duration) {
	g.gpu = max(g.gpu, submitted) + tail
	at := g.gpu
	if k := len(g.shown); k > 0 {
		at = max(at, g.shown[k-1])
	}
	shown = (at/g.refresh + 1) * g.refresh
	g.shown = append(g.shown, shown)
	if k := len(g.shown) - 1 - g.ahead; k >= 0 {
		returns = g.shown[k]
	}
	return shown, max(returns, submitted) + times(g.jitter, m.random(5))
}

// variable is a display that shows a frame when it is ready, at most at fast. It shows the last picture once more after
// each slow, and is busy for fast then.
type variable struct{ fast, slow, shown time.Duration }

func (v *variable) swap(_ moment, submitted, tail time.Duration) (shown, returns time.Duration) {
	at := submitted + tail
	for v.shown+v.slow < at {
		v.shown += v.slow
	}
	v.shown = max(at, v.shown+v.fast)
	return v.shown, v.shown
}

func hz(rate float64) time.Duration { return time.Duration(float64(time.Second) / rate) }

// on returns h behind a display of the refresh, with frames ahead.
func (h host) on(refresh time.Duration, ahead int) host {
	h.interval = refresh
	h.display = func() display { return &grid{refresh: refresh, ahead: ahead} }
	return h
}

// free returns a host that nothing paces. It wants 60 frames a second.
func free(name string, own, tail course) host {
	return host{name: name, interval: hz(60), own: own, tail: tail}
}

func (h host) with(workers int) host {
	h.name, h.workers = fmt.Sprintf("%s, %d workers", h.name, workers), workers
	return h
}

func (h host) asShadow() host {
	h.name, h.shadow = h.name+", shadow", true
	return h
}

func (h host) measuring() host {
	h.measured = true
	return h
}

func (h host) ran() host {
	h.name, h.runs, h.tail = "Run, "+h.name, true, steady(0)
	return h
}

func (h host) paced() host {
	h.name, h.paces = "Pace, "+h.name, true
	return h
}

func (h host) options(o frame.Options) frame.Options {
	o.Interval, o.Pace = h.interval, h.paces
	if h.measured {
		o.Interval = 0
	}
	o.Placement = frame.PlaceAfterDraw
	if h.shadow {
		o.Placement = frame.PlaceShadow
	}
	if o.Workers.Workers = h.workers; h.workers == 0 {
		o.Workers.Workers = -1
	}
	return o
}

// hosts returns the zoo.
func hosts() []host {
	two, one := steady(2*ms), steady(ms)
	h := []host{
		free("59.94 Hz", two, one).on(hz(59.94), 0),
		free("60 Hz", two, one).on(hz(60), 0),
		free("60 Hz", two, one).on(hz(60), 0).with(1),
		free("60 Hz", two, one).on(hz(60), 0).with(3),
		free("60 Hz", two, one).on(hz(60), 0).asShadow(),
		free("144 Hz", one, steady(ms/2)).on(hz(144), 0).measuring(),
		free("240 Hz", one, steady(ms/2)).on(hz(240), 0).measuring(),
		free("60 Hz double", two, steady(6*ms)).on(hz(60), 1),
		free("60 Hz triple", two, steady(6*ms)).on(hz(60), 2),
		free("144 Hz triple", one, steady(3*ms)).on(hz(144), 2).measuring(),
		variableRate("variable 40-120", two, between(5*ms, 12*ms)),
		variableRate("variable uneven", two, uneven(9*ms)),

		free("GPU 25", two, steady(25*ms)),
		free("GPU 60", two, steady(60*ms)),
		free("GPU 60", two, steady(60*ms)).with(1),
		free("GPU 60", two, steady(60*ms)).asShadow(),
		free("GPU 100", two, steady(100*ms)),
		free("GPU 100", two, steady(100*ms)).with(3),
		free("GPU 200", two, steady(200*ms)),
		free("GPU 60 lognormal", two, lognormal(60*ms)),
		free("GPU 12 lognormal 60 Hz", two, lognormal(9*ms)).on(hz(60), 0),
		free("GPU 20/30", two, alternating(20*ms, 30*ms)),
		free("GPU 20/30 60 Hz", two, alternating(20*ms, 30*ms)).on(hz(60), 0),
		free("GPU 5-40 drifting 60 Hz", two, drifting(5*ms, 40*ms)).on(hz(60), 0),
		free("GPU 30-120 drifting", two, drifting(30*ms, 120*ms)),
		free("60 Hz stalls", two, stalling(one, 300*ms, 5*time.Second)).on(hz(60), 0),
		free("GPU 60 stalls", two, stalling(steady(60*ms), 300*ms, 5*time.Second)),

		free("900 FPS", steady(ms/4), steady(ms*861/1000)),
		free("free 900 FPS uneven", steady(ms/4), uneven(ms)),
		free("free uneven 5", steady(ms), uneven(5*ms)),
		free("1 Hz window", two, one).minimised(),
		free("60 Hz stops 20 s", two, stopping(one)).on(hz(60), 0),
		free("browser", two, one).browser(3 * ms),
		free("browser own 9", steady(9*ms), one).browser(2 * ms),

		free("own 2", two, steady(0)).ran(),
		free("own 10", steady(10*ms), steady(0)).ran(),
		free("own 10", steady(10*ms), steady(0)).ran().with(1),
		free("own 5/15", alternating(5*ms, 15*ms), steady(0)).ran(),
		free("own 20", steady(20*ms), steady(0)).ran(),
		free("own 40", steady(40*ms), steady(0)).ran().with(1),
		free("own 2", two, one).paced(),
		free("own 2 tail uneven 6", two, uneven(6*ms)).paced(),
	}
	for _, own := range []time.Duration{10, 16, 20, 40, 120} {
		even := free(fmt.Sprintf("own %d 60 Hz", own), steady(own*ms), one).on(hz(60), 0)
		h = append(h, even)
		alt := free(fmt.Sprintf("own %d/%d 60 Hz", own/2, own*3/2), alternating(own*ms/2, own*ms*3/2), one)
		h = append(h, alt.on(hz(60), 0))
	}
	h = append(h, free("own 20 60 Hz", steady(20*ms), one).on(hz(60), 0).with(3))
	for _, base := range []time.Duration{8, 12, 16, 25, 40, 60, 100, 200} {
		name := fmt.Sprintf("uneven %d", base)
		h = append(h, free(name, two, uneven(base*ms)))
		h = append(h, free(name+" 60 Hz", two, uneven(base*ms)).on(hz(60), 0))
	}
	return append(h,
		free("uneven 12 60 Hz", two, uneven(12*ms)).on(hz(60), 0).asShadow(),
		free("uneven 40", two, uneven(40*ms)).asShadow(),
		free("own 40", steady(40*ms), one),
		free("own 40", steady(40*ms), one).asShadow(),
		free("own 40 60 Hz", steady(40*ms), one).on(hz(60), 0).asShadow(),
		free("own 16 60 Hz", uneven(16*ms), one).on(hz(60), 0).asShadow(),
		free("own 120", uneven(120*ms), one).asShadow(),
		free("uneven 25 60 Hz", two, uneven(25*ms)).on(hz(60), 0).with(1))
}

// variableRate returns a host whose display shows frames at 40 to 120 Hz. A frame is missed where the display falls out
// of its range, or nearly.
func variableRate(name string, own, tail course) host {
	h := free(name, own, tail)
	h.display = func() display { return &variable{fast: hz(120), slow: hz(40)} }
	return h
}

// minimised returns h in a window that gets a frame a second. The rate that is wanted stays.
func (h host) minimised() host {
	h.display = func() display { return &grid{refresh: time.Second} }
	return h
}

// browser returns h in a browser of 60 Hz whose animation frames come late by up to jitter.
func (h host) browser(jitter time.Duration) host {
	h.interval = hz(60)
	h.display = func() display { return &grid{refresh: hz(60), jitter: jitter} }
	return h
}
