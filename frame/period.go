package frame

import (
	"slices"
	"time"
)

// rates are the refresh rates in hertz to which a measured period snaps: those that displays and
// browsers have. A clock of a display is exact to some 0.1 %, a median of 60 intervals is not, and a
// period that is 1 % too long loses one frame in a hundred.
var rates = [...]int{30, 50, 60, 72, 75, 90, 100, 120, 144, 165, 240}

const (
	periodWindow   = 60                      // samples kept
	periodEnough   = 8                       // samples before the first estimate
	periodLearning = 24                      // frames with a small slice at the start and after a change
	periodProbe    = 64                      // frames without a sample before one frame gets a small slice
	periodSmall    = 500 * time.Microsecond  // the small slice: an eighth of 240 Hz's period
	unpacedBelow   = 3750 * time.Microsecond // 240 Hz, the fastest display, less a tenth for scatter
	pacedAbove     = 4 * time.Millisecond    // hysteresis, and still below the period of 240 Hz
	longestPeriod  = 50 * time.Millisecond   // slower than 20 Hz is a slow game, not a display
)

// period estimates the display's refresh period from frame intervals, for hosts that do not tell it.
//
// The trap is feedback. What the slice may use depends on the estimate, and what the slice uses changes
// the interval: drain for too long and the host misses a refresh, the interval doubles, the estimate
// follows, and the game is locked at 30 FPS by its own scheduler; assume 60 Hz before a 144 Hz display,
// always fill the slice, and no interval ever shows 144. So only natural intervals count: of frames whose
// slice was small and that left the host at least half of the time. To have such frames under a
// permanent backlog, the slice is kept small for the first frames and for one frame in 64 after that
// (1.5 % of the throughput, only while no frame is natural by itself); three such probes in a row that
// contradict the estimate start the learning again.
type period struct {
	target time.Duration // assumed until measured, and while nothing paces the host
	value  time.Duration // in force
	raw    time.Duration // the last median, unsnapped
	paced  bool          // the host blocks until the display (or its own timer) lets it go

	ring    [periodWindow]time.Duration
	n, at   int
	fresh   int           // samples since the last median
	learn   int           // frames to go with a small slice
	quiet   int           // frames since the last natural one
	odd     int           // probes in a row that contradict the estimate
	pending time.Duration // a new value that the next median must confirm
}

// newPeriod assumes target and begins to learn.
func newPeriod(target time.Duration) period {
	return period{target: target, value: target, paced: true, learn: periodLearning}
}

// sliceCap returns the most that this frame's slice may use so that its interval can be natural, and 0
// for no limit.
func (p *period) sliceCap() time.Duration {
	if p.learn > 0 || p.quiet >= periodProbe || p.odd > 0 {
		return periodSmall
	}
	return 0
}

// observe takes one frame: its interval start to start without the time that frameslice itself waited,
// the time from its Begin to its End (again without waiting), and the part of that which the slice used.
func (p *period) observe(interval, busy, slice time.Duration) {
	if p.learn > 0 {
		p.learn--
	}
	// An eighth of the period cannot by itself push a frame that had half of its time to spare over a refresh. What is
	// shorter than any display's period is natural in any case: nothing held that frame up.
	full := slice > p.value/8 || busy > interval/2
	if interval <= 0 || interval > longestPeriod || full && interval >= unpacedBelow {
		p.quiet++
		return
	}
	probed := p.quiet >= periodProbe || p.odd > 0
	p.quiet = 0
	if probed && p.raw > 0 && (interval < p.raw*3/4 || interval > p.raw*5/4) {
		if p.odd++; p.odd >= 3 {
			p.n, p.at, p.fresh, p.odd, p.learn = 0, 0, 0, 0, periodLearning
		}
		return
	}
	p.odd = 0
	// A single missed refresh says nothing about the period, and half a window of them says it all:
	// that is the median's work, not a filter's. A filter at 1.5 P could never follow 60 -> 30 Hz.
	p.ring[p.at] = interval
	p.at = (p.at + 1) % periodWindow
	p.n = min(p.n+1, periodWindow)
	if p.fresh++; p.fresh >= periodEnough {
		p.fresh = 0
		p.update()
	}
}

// update takes the median and lets it rule once it has been seen twice, or at once the first time.
func (p *period) update() {
	sorted := p.ring
	s := sorted[:p.n]
	slices.Sort(s)
	first := p.raw == 0
	p.raw = s[p.n/2]
	// A free host on a busy machine has long intervals too, but among them short ones; a display lets none
	// through.
	switch low := s[p.n/4]; {
	case low < unpacedBelow:
		p.paced = false
	case low > pacedAbove || first:
		p.paced = true
	}
	next := p.target
	if p.paced {
		next = snap(p.raw)
	}
	switch {
	case next == p.value:
		p.pending = 0
	case first || next == p.pending:
		p.value, p.pending = next, 0
	default:
		p.pending = next
	}
}

// snap returns the period of the nearest known rate if it is within 6 %, and d itself if none is: a host
// may be paced by something that is not a display.
func snap(d time.Duration) time.Duration {
	best, bestOff := d, d*6/100
	for _, hz := range rates {
		r := time.Second / time.Duration(hz)
		if off := (d - r).Abs(); off <= bestOff {
			best, bestOff = r, off
		}
	}
	return best
}
