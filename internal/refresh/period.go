// Package refresh finds the refresh period of a display, and when the next refresh is due, from the starts of frames.
//
// A host tells neither. So a Period learns the period from the intervals between frames:
//
//	p := refresh.New(time.Second / 60)
//	for each frame {
//		slice := min(slice, p.SliceCap()) // if that is not 0
//		p.Observe(interval, busy, slice)
//		_ = p.Value()
//	}
//
// The trap is feedback. The estimate bounds the slice, and the slice changes the interval. A slice that is too long
// misses a refresh, the interval doubles, and the estimate follows. Then the game is locked at 30 frames a second by
// its own scheduler. Or the loop assumes 60 Hz, fills the slice, and a display of 144 Hz never shows.
//
// So only the intervals of frames with a small slice are samples. SliceCap asks for such frames:
//
//   - At the start, until some frames agree (consensus). Trust skips that.
//   - One frame in 64 after that, but only while no frame is small by itself.
//   - One when eight frames in a row contradict the estimate.
//
// The learning starts again after three such probes in a row that contradict the estimate. It also starts again after
// eight samples in a row that agree with one another and not with the estimate: the window is on another display.
//
// A sample is clean if the frame left the host at least half of its time. Then the host waited for the display. Other
// frames may have missed a refresh by their own work: 33 ms after 20 ms of work are one refresh at 30 Hz or two at 60.
// Clean samples rule as long as there are some. Without them the shorter samples rule: no frame of this game comes
// sooner, whatever the display can do. But frames are not to be judged by their own work. For that there is Shown.
package refresh

import (
	"slices"
	"time"
)

// A Period estimates a display's refresh period. It is for one goroutine.
type Period struct {
	target time.Duration // assumed until measured, and while nothing paces the host
	value  time.Duration
	shown  time.Duration
	median time.Duration // the last one; 0 before
	paced  bool
	given  bool // the target is what the program wants
	limit  bool // a host whose own frames come sooner than the target is not paced

	fit       fit
	ring      [window]sample
	n, at     int
	fresh     int // samples since the last median
	learn     int // frames to go in which slices are small
	consensus consensus
	quiet     int           // frames since the last sample
	strange   int           // of these, the last in a row whose interval contradicts the estimate
	odd       int           // probes in a row that contradict the estimate
	moved     int           // samples in a row that contradict it and agree with movedTo
	movedTo   time.Duration // the first of them
	pending   time.Duration // a new value that the next median must confirm
	unpaced   unpaced
}

// A sample is a frame with a small slice.
type sample struct {
	interval, busy time.Duration
	clean          bool
}

// New assumes target and begins to learn.
func New(target time.Duration) Period {
	return Period{target: target, value: target, shown: target, paced: true, learn: learning}
}

// Trust takes the target for measured: no slice is kept small for the first frames. A wrong target is corrected by
// samples and probes. With limit no frame is to come sooner than the target: a host whose frames do is not paced.
//
// The target is what the program wants. So a period that is longer by half is no display's: the host is slow. Nor is
// one that is shorter and uneven: nothing holds the frames up, or a display of a variable rate does. Slices then go by
// the middle between that period and the target. They could take all of the target, but uneven frames would then be
// late.
func (p *Period) Trust(limit bool) { p.median, p.learn, p.limit, p.given = p.target, 0, limit, true }

// PacedAs takes over from another Period whether anything paces the host.
func (p *Period) PacedAs(was *Period) { p.paced, p.unpaced = was.paced, was.unpaced }

// Value is the period in force.
func (p *Period) Value() time.Duration { return p.value }

// Shown is the display's period as far as known. The frames' own work never makes it longer.
func (p *Period) Shown() time.Duration { return p.shown }

// Paced reports whether the host blocks until the display, or a timer of its own, lets it go.
func (p *Period) Paced() bool { return p.paced }

// Known reports whether the period has been measured, or given by Trust.
func (p *Period) Known() bool { return p.median > 0 }

// Disturbed says that something other than the host chose the starts of the last frames.
func (p *Period) Disturbed() { p.fit.clear() }

// SliceCap returns the most that this frame's slice may use so that its interval is a sample, and 0 for no limit.
func (p *Period) SliceCap() time.Duration {
	switch {
	case p.unpaced.doubt > 0:
		return p.unpaced.sliceCap(p.median)
	case p.learns() || p.quiet >= probe || p.odd > 0:
		return smallest
	}
	return 0
}

// Observe takes a frame. interval is the time from start to start, without the time that the loop itself waited. busy
// is the time from Begin to End, and slice is the part of busy that the slice used.
func (p *Period) Observe(interval, busy, slice time.Duration) {
	capped := p.SliceCap() > 0
	if p.learn > 0 {
		p.learn--
	}
	p.unpaced.pass(slice)
	// An eighth of the period alone does not push a frame that had half of its time to spare over a refresh. An
	// interval that is shorter than any display's period is always a sample: nothing held that frame up.
	free := interval < unpacedBelow && !p.unpaced.held
	small := max(p.value/8, smallest+smallest/4) // which leaves a little for the last task's overrun
	clean := slice <= small && busy <= p.usual(interval)/2 || free
	if interval <= 0 || interval > p.longest() && (!p.limit || slice <= small) {
		p.quiet, p.odd = 0, 0
		p.fit.clear()
		return
	}
	if p.fit.add(interval) {
		defer p.refine()
	}
	switch {
	case clean || slice <= min(small, 2*smallest):
	case capped: // in vain: the first task alone is too long, and the next 63 slices are not to be small for nothing
		p.quiet, p.odd = 0, 0
		return
	default:
		p.full(interval)
		return
	}
	probed := p.quiet >= probe || p.odd > 0
	p.quiet, p.strange = 0, 0
	if probed && p.median > 0 && p.contradicts(interval) {
		if p.odd++; p.odd >= probes {
			p.relearn()
		}
		return
	}
	p.odd = 0
	if p.learn > 0 {
		p.agrees(interval, clean)
	}
	// A single missed refresh says nothing about the period, and half a window of them says it all: that is the
	// median's work. A filter of long intervals could never follow from 60 to 30 Hz.
	p.ring[p.at] = sample{interval, busy, clean}
	p.at = (p.at + 1) % window
	p.n = min(p.n+1, window)
	if !free && p.hasMoved(interval, busy) {
		p.relearn()
		return
	}
	if p.fresh++; p.fresh >= enough {
		p.fresh = 0
		p.update()
	}
}

// refine makes the value as exact as the starts of the newest frames are.
func (p *Period) refine() {
	if !p.paced || p.median == 0 && !p.consensus.reached() {
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

// measured returns the period that a median stands for: the exact one if there is a fit. Otherwise it is the period in
// force, if the median does not clearly contradict that.
func (p *Period) measured(median time.Duration) time.Duration {
	if exact, ok := p.fit.period(median); ok && near(exact, median, 8) {
		return exact
	}
	if near(median, p.value, 32) {
		return p.value
	}
	return median
}

// longest returns the longest interval that says something about the host.
func (p *Period) longest() time.Duration {
	if p.limit {
		return max(Longest, p.target)
	}
	return Longest
}

// usual returns the time of which a clean frame leaves half: the last median, or without one the interval itself.
// Compared with their own intervals, the long ones of scattered frames would be clean and the short ones not. Frames
// that missed a refresh would be clean, too.
func (p *Period) usual(interval time.Duration) time.Duration {
	if p.median == 0 {
		return interval
	}
	return p.median
}

// full takes the interval of a frame with a slice that was not small.
func (p *Period) full(interval time.Duration) {
	p.quiet++
	if !p.contradicts(interval) {
		p.strange = 0
	} else if p.strange++; p.strange == moved {
		p.quiet = max(p.quiet, probe)
	}
}

// contradicts reports whether the interval is off the median by more than scatter.
func (p *Period) contradicts(interval time.Duration) bool {
	return (interval - p.median).Abs() > max(p.median/8, scattered)
}

// hasMoved takes a sample, and reports whether it is the eighth in a row that says the same, and not what the median
// says. The frame must have left half of the longer of the two: on another display much work may be little.
func (p *Period) hasMoved(interval, busy time.Duration) bool {
	switch {
	case p.median == 0 || !p.contradicts(interval) || busy > max(interval, p.median)/2:
		p.moved = 0
	case p.moved > 0 && near(interval, p.movedTo, 8):
		p.moved++
	default:
		p.moved, p.movedTo = 1, interval
	}
	return p.moved >= moved
}

// relearn starts the learning again. The value stays in force until a consensus or a median.
func (p *Period) relearn() {
	p.forget()
	p.learn = learning
}

// forget drops the samples and what they have told, except the value.
func (p *Period) forget() {
	p.n, p.at, p.fresh, p.odd, p.moved = 0, 0, 0, 0, 0
	p.median, p.unpaced, p.consensus = 0, unpaced{held: p.unpaced.held}, consensus{}
	p.fit.clear()
}

// update takes the median. A median rules once it has been seen twice, or at once if it is the first.
//
// The quarters here and in scattered are one rank above those of hist.At, because unpacedBelow is tuned for these. With
// the lower rank and a jitter of 0.3 ms, a change from 48 to 240 Hz is taken for a host that nothing paces.
func (p *Period) update() {
	var into [window]time.Duration
	s, clean := typical(p.ring[:p.n], into[:0])
	first := p.median == 0
	p.median = s[len(s)/2]
	low := s[len(s)/4]
	if !clean && low < p.median*3/4 { // shorter by a refresh, which is more than scatter
		p.median = low
	}
	// An unpaced host on a busy machine has long intervals, too, but short ones among them. A display lets no short
	// interval through, unless the display is fast.
	was := p.paced
	switch {
	case low < unpacedBelow:
		p.paced = p.unpaced.judge(p.ring[:p.n], clean, &p.fit, p.median)
	case low > pacedAbove || first:
		p.paced, p.unpaced = true, unpaced{}
	}
	if p.limit && p.sooner(was) {
		p.paced = false
	}
	next := p.target
	switch {
	case p.paced && p.scattered(s) && p.median > p.value+p.value/8:
		next = p.value
	case p.paced && p.scattered(s) && p.given && p.median < p.target-p.target/8:
		next = (p.median + p.target) / 2 // see Trust
	case p.paced:
		next = p.measured(p.median)
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
	case p.given && p.value > p.target+p.target/2:
		p.shown = p.target
	case clean || p.value < p.shown*7/8:
		p.shown = p.value
	}
}

// scattered reports whether the sorted intervals are uneven. A display with a fixed rate is even. Longer uneven frames
// are a slow host's, and no period.
func (p *Period) scattered(s []time.Duration) bool {
	low, high := s[len(s)/4], s[len(s)*3/4]
	return high-low > p.median/8+scattered
}

// sooner reports whether the host's own frames are clearly shorter than the target. A renderer that takes 32 ms for
// each frame is as regular as a display of 31 Hz, and does not hold a host to 15 Hz.
func (p *Period) sooner(was bool) bool {
	most := p.target - p.target/8
	if !was { // hysteresis
		most = p.target - p.target/16
	}
	return p.median < most
}

// typical returns the sorted intervals of the samples that count: of the clean ones, if there are enough, or of all.
func typical(samples []sample, into []time.Duration) (sorted []time.Duration, clean bool) {
	n := 0
	for i := range samples {
		if samples[i].clean {
			n++
		}
	}
	clean = n >= enough
	for i := range samples {
		if samples[i].clean || !clean {
			into = append(into, samples[i].interval)
		}
	}
	slices.Sort(into)
	return into, clean
}

// near reports whether a differs from b by at most b/part.
func near(a, b, part time.Duration) bool { return (a - b).Abs() <= b/part }
