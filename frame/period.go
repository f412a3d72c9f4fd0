package frame

import (
	"slices"
	"time"
)

const (
	periodWindow   = 60                      // samples kept
	periodEnough   = 8                       // samples before the first estimate
	periodLearning = 24                      // frames with small slices at the start and after a change: see agreement
	periodProbe    = 64                      // frames without a sample before one frame gets a small slice
	periodSmall    = 500 * time.Microsecond  // the small slice: an eighth of 240 Hz's period
	unpacedBelow   = 3750 * time.Microsecond // 240 Hz less a tenth for scatter: below, see freedom
	periodScatter  = 750 * time.Microsecond  // by which the starts of frames may be off a display's refreshes
	pacedAbove     = 4 * time.Millisecond    // hysteresis, and still below the period of 240 Hz
	longestPeriod  = 60 * time.Millisecond   // slower than 17 Hz is a slow game, not a display
)

// period estimates the display's refresh period from frame intervals, for hosts that do not tell it.
//
// The trap is feedback. What the slice may use depends on the estimate, and what the slice uses changes
// the interval: drain for too long and the host misses a refresh, the interval doubles, the estimate
// follows, and the game is locked at 30 FPS by its own scheduler; assume 60 Hz before a 144 Hz display,
// always fill the slice, and no interval ever shows 144. So only natural intervals count: of frames whose
// slice was small. To have such frames under a permanent backlog, the slice is kept small for the first frames (until
// they agree: see agreement; but where the interval was given: see trust) and for one frame in 64 after that (1.5 %
// of the throughput, only while no frame is natural by itself), and once when eight frames in a row contradict the
// estimate. Three such probes in a row that contradict it start the learning again, and so do eight natural frames in
// a row that agree with one another: a window on another display.
//
// Natural intervals are of two kinds. Where the frame left the host at least half of the time, it was the display that
// the host waited for: such are sure. Where it did not, its own work may have cost a refresh: 33 ms after 20 of work
// are one refresh at 30 Hz or two at 60. Sure ones rule as long as there are some. Without them it does not matter
// what the display could do: no frame of this game comes sooner than the shorter ones of the others. But frames are
// not to be judged by what they took themselves: that is what shown is for.
type period struct {
	target time.Duration // assumed until measured, and while nothing paces the host
	value  time.Duration // in force
	shown  time.Duration // the display's as far as known: never longer because of the frames' own work
	raw    time.Duration // the last median
	paced  bool          // the host blocks until the display (or its own timer) lets it go
	limit  bool          // no frame is to come sooner than the target: a host whose frames do is not paced

	fit     fit
	ring    [periodWindow]natural
	n, at   int
	fresh   int // samples since the last median
	learn   int // frames to go in which slices are small: see agreement
	agreed  agreement
	quiet   int           // frames since the last natural one
	strange int           // of these the last ones, whose interval contradicts the estimate
	odd     int           // probes in a row that contradict the estimate
	moved   int           // samples in a row that do, and agree with movedTo
	movedTo time.Duration // the first of them
	pending time.Duration // a new value that the next median must confirm
	free    freedom
}

// natural is a frame with a small slice.
type natural struct {
	interval, busy time.Duration
	sure           bool
}

// newPeriod assumes target and begins to learn.
func newPeriod(target time.Duration) period {
	return period{target: target, value: target, shown: target, paced: true, learn: periodLearning}
}

// trust takes the target for measured: who has given it knows the host, and no slice is kept small for the first
// frames. Where it is wrong, natural frames and probes contradict it, and the learning begins then.
func (p *period) trust() { p.raw, p.learn = p.target, 0 }

// sliceCap returns the most that this frame's slice may use so that its interval can be natural, and 0
// for no limit.
func (p *period) sliceCap() time.Duration {
	switch {
	case p.free.doubt > 0:
		return p.free.sliceCap(p.raw)
	case p.learning() || p.quiet >= periodProbe || p.odd > 0:
		return periodSmall
	}
	return 0
}

// observe takes one frame: its interval start to start without the time that frameslice itself waited,
// the time from its Begin to its End (again without waiting), and the part of that which the slice used.
func (p *period) observe(interval, busy, slice time.Duration) {
	capped := p.sliceCap() > 0
	if p.learn > 0 {
		p.learn--
	}
	p.free.pass(slice)
	// An eighth of the period cannot by itself push a frame that had half of its time to spare over a refresh. What is
	// shorter than any display's period is natural in any case: nothing held that frame up.
	free := interval < unpacedBelow && !p.free.held
	small := max(p.value/8, periodSmall+periodSmall/4) // which leaves a little for the last task's overrun
	sure := slice <= small && busy <= p.usual(interval)/2 || free
	switch {
	case interval <= 0 || interval > p.longest() && (!p.limit || slice <= small):
		p.quiet, p.odd = 0, 0
		p.fit.clear()
		return
	}
	if p.fit.add(interval) {
		defer p.refine()
	}
	switch {
	case sure || slice <= min(small, 2*periodSmall):
	case capped: // in vain: the first task alone is too long, and the next 63 slices are not to be small for nothing
		p.quiet, p.odd = 0, 0
		return
	default:
		p.full(interval)
		return
	}
	probed := p.quiet >= periodProbe || p.odd > 0
	p.quiet, p.strange = 0, 0
	if probed && p.raw > 0 && p.contradicts(interval) {
		if p.odd++; p.odd >= periodProbes {
			p.again()
		}
		return
	}
	p.odd = 0
	if p.learn > 0 {
		p.learns(interval, sure)
	}
	// A single missed refresh says nothing about the period, and half a window of them says it all:
	// that is the median's work, not a filter's. A filter at 1.5 P could never follow 60 -> 30 Hz.
	p.ring[p.at] = natural{interval, busy, sure}
	p.at = (p.at + 1) % periodWindow
	p.n = min(p.n+1, periodWindow)
	if !free && p.hasMoved(interval, busy) {
		p.again()
		return
	}
	if p.fresh++; p.fresh >= periodEnough {
		p.fresh = 0
		p.update()
	}
}

// refine makes the value as exact as the starts of the newest frames are.
func (p *period) refine() {
	if !p.paced || p.raw == 0 && !p.agreed.reached() {
		return
	}
	exact, ok := p.fit.period(p.value)
	if !ok || !near(exact, p.value, 8) {
		return
	}
	if near(p.shown, p.value, 8) {
		p.shown = exact
	}
	p.value = exact
}

// measured returns the period that a median stands for. If there is a fit, this is the exact period. Otherwise it is
// the period in force, if the median does not clearly contradict that period.
func (p *period) measured(median time.Duration) time.Duration {
	if exact, ok := p.fit.period(median); ok && near(exact, median, 8) {
		return exact
	}
	if near(median, p.value, 32) {
		return p.value
	}
	return median
}

// longest returns the longest interval that says something about the host.
func (p *period) longest() time.Duration {
	if p.limit {
		return max(longestPeriod, p.target)
	}
	return longestPeriod
}

// usual returns what a frame's work is compared with to tell whether it left half of the time: the last median, and
// the interval itself only as long as there is none. Compared with their own intervals, of frames that scatter the long
// ones would be sure and the short ones not, and so would those be that missed a refresh: what is chosen so is no
// display's period.
func (p *period) usual(interval time.Duration) time.Duration {
	if p.raw == 0 {
		return interval
	}
	return p.raw
}

const (
	periodProbes = 3
	periodMoved  = 8
)

// full takes the interval of a frame with a slice that was not small.
func (p *period) full(interval time.Duration) {
	p.quiet++
	if !p.contradicts(interval) {
		p.strange = 0
	} else if p.strange++; p.strange == periodMoved {
		p.quiet = max(p.quiet, periodProbe)
	}
}

// contradicts reports whether the interval is off the median by more than scatter.
func (p *period) contradicts(interval time.Duration) bool {
	return (interval - p.raw).Abs() > max(p.raw/8, periodScatter)
}

// hasMoved takes a natural frame and tells that it is the eighth in a row to say the same, and not what the median
// does, although it left half of the one time or the other: on another display what was much of a frame may be little.
func (p *period) hasMoved(interval, busy time.Duration) bool {
	switch {
	case p.raw == 0 || !p.contradicts(interval) || busy > max(interval, p.raw)/2:
		p.moved = 0
	case p.moved > 0 && near(interval, p.movedTo, 8):
		p.moved++
	default:
		p.moved, p.movedTo = 1, interval
	}
	return p.moved >= periodMoved
}

// again starts the learning again. The value stays in force until it is over, or there is an agreement.
func (p *period) again() {
	p.forget()
	p.learn = periodLearning
}

// forget drops the samples, and what they have told but the value.
func (p *period) forget() {
	p.n, p.at, p.fresh, p.odd, p.moved = 0, 0, 0, 0, 0
	p.raw, p.free, p.agreed = 0, freedom{held: p.free.held}, agreement{}
	p.fit.clear()
}

// update takes the median and lets it rule once it has been seen twice, or at once the first time.
func (p *period) update() {
	var into [periodWindow]time.Duration
	s, sure := typical(p.ring[:p.n], into[:0])
	first := p.raw == 0
	p.raw = s[len(s)/2]
	if low := s[len(s)/4]; !sure && low < p.raw*3/4 { // a refresh less, and not what makes intervals scatter
		p.raw = low
	}
	// A free host on a busy machine has long intervals too, but among them short ones; a display lets none
	// through, unless it is a fast one.
	was := p.paced
	switch low := s[len(s)/4]; {
	case low < unpacedBelow:
		p.paced = p.free.judge(p.ring[:p.n], sure, &p.fit, p.raw)
	case low > pacedAbove || first:
		p.paced, p.free = true, freedom{}
	}
	if p.limit && p.sooner(was) {
		p.paced = false
	}
	next := p.target
	if p.paced {
		next = p.measured(p.raw)
	}
	switch {
	case near(next, p.value, 256):
		p.pending = 0
	case first || near(next, p.pending, 32):
		p.value, p.pending = next, 0
	default:
		p.pending = next
	}
	switch {
	case !p.paced:
		p.shown = p.target
	case sure || p.value < p.shown*7/8:
		p.shown = p.value
	}
}

// sooner reports whether the host's own frames are clearly shorter than the target. A renderer that takes 32 ms for
// each frame is as regular as a display of 31 Hz, and keeps nobody to 15.
func (p *period) sooner(was bool) bool {
	most := p.target - p.target/8
	if !was { // hysteresis
		most = p.target - p.target/16
	}
	return p.raw < most
}

// typical returns the intervals of the samples from which the period is to be taken, sorted: of the sure ones, if there
// are enough, or of all.
func typical(samples []natural, into []time.Duration) (sorted []time.Duration, sure bool) {
	n := 0
	for i := range samples {
		if samples[i].sure {
			n++
		}
	}
	sure = n >= periodEnough
	for i := range samples {
		if samples[i].sure || !sure {
			into = append(into, samples[i].interval)
		}
	}
	slices.Sort(into)
	return into, sure
}

// near reports whether a is b, give or take the given part of b.
func near(a, b, part time.Duration) bool { return (a - b).Abs() <= b/part }
