package deadline

import (
	"math/bits"
	"time"
)

// Estimate learns what work of one kind costs, so that a scheduler can tell whether it fits into what is left
// of a frame. The zero Estimate is ready. It takes about 200 bytes, Observe about 10 ns, and nothing
// allocates. It is not safe for concurrent use; the caller guards it.
//
// Costs of a kind are rarely spread around their mean. They are bimodal (in the cache or not, an empty chunk
// or a full one), and a mean predicts neither mode: work that takes 0.1 ms nine times of ten and 3 ms the
// tenth has a mean of 0.4 ms, and overruns every frame that had 1 ms left. So [Estimate.High] is a quantile,
// the 95th percentile of recent runs, and three rules keep it honest:
//
//   - A rare outlier is not the work's fault (a garbage collection, a descheduled thread): of up to 20 runs
//     the most expensive one is ignored, of more the most expensive twentieth. The first run alone has
//     nothing beside it and counts.
//   - Repeated ones are: runs above High in a row count 1, 2, 4, 8 times, so the third in a row raises it for
//     certain, whatever came before.
//   - What is not seen again is forgotten: after 32 runs in a row which all took at least about a third less
//     than High, everything above them is dropped. Should the dropped cost come back within 128 runs, then it
//     was a mode that kept away by chance (as one in ten runs does for 32 runs now and then), and the first
//     such run restores it. A slower decline fades: all runs count half after 64 more.
//   - What keeps work waiting is forgotten sooner: see [Estimate.Refused].
//
// The second and third rule make it follow a change (another level, another graphics setting) within 3 runs
// upward and 32 downward.
type Estimate struct {
	// hist counts recent runs by cost, a byte per bucket: an octave per word, an eighth of an octave per
	// byte.
	hist  [octaves]uint64
	count uint64
	mean  float64 // ns

	total  uint8 // sum of hist; fewer than 256, so that the bytes of a word can be added up in a byte
	high   uint8 // the bucket of High
	above  uint8 // runs in hist above it
	top    uint8 // no octave above this one has runs in it
	streak uint8 // runs in a row above high
	quiet  uint8 // runs in a row well below high
	loud   uint8 // the greatest bucket of those
	ghost  uint8 // the high bucket that was forgotten last
	haunts uint8 // runs for which ghost may still come back
	waits  uint8 // frames in which work waited because of High, without a run that cost about as much; see Refused

	peak     time.Duration // the greatest cost of peakRuns runs in the bucket of High, since it has been that
	peakRuns uint8         // faded as hist is: at(high) if those are all that count there, and less otherwise
}

const (
	firstOctave = 12 // costs below 2^12 ns, 4 µs, share the first bucket: they always fit
	octaves     = 18 // costs from 2^30 ns, 1 s, share the last one: they never do
	lastBucket  = 8*octaves - 1

	fadeAt     = 128 // runs after which all count half
	maxStreak  = 3   // log2 of the greatest weight of a run
	forgetRuns = 32
	waitFrames = 3
	ghostRuns  = 128
	wellBelow  = 4 // buckets: half an octave
	rareShare  = 20
)

// bucketOf returns d's bucket.
func bucketOf(d time.Duration) int {
	if d < 1<<firstOctave {
		return 0
	}
	octave := bits.Len64(uint64(d)) - 1
	if octave >= firstOctave+octaves {
		return lastBucket
	}
	return (octave-firstOctave)*8 + int(d>>(octave-3)&7)
}

// bucketEnd returns the cost at which the next bucket begins.
func bucketEnd(b int) time.Duration {
	return time.Duration(8+b&7+1) << (b>>3 + firstOctave - 3)
}

// Observe records that a run took d. A negative d counts as zero.
func (e *Estimate) Observe(d time.Duration) {
	d = max(d, 0)
	b := bucketOf(d)
	weight := uint64(1)
	switch high := int(e.high); {
	case e.count == 0:
	case b > high:
		weight = 1 << min(e.streak, maxStreak)
		if e.haunts > 0 && b >= int(e.ghost)-wellBelow {
			weight = uint64(e.ignored()) + 2 // restored for certain
			e.haunts = 0
		}
		e.streak++
		e.quiet = 0
	case b < high-wellBelow:
		e.streak = 0
		e.quiet++
		e.loud = max(e.loud, uint8(b))
	default:
		e.streak = 0
		e.quiet = 0
	}
	if e.quiet == 0 {
		e.loud, e.waits = 0, 0
	}
	e.streak = min(e.streak, maxStreak)
	if e.haunts > 0 {
		e.haunts--
	}
	e.count++
	if e.total >= fadeAt {
		e.fade()
	}
	e.hist[b>>3] += weight << (b & 7 * 8)
	e.total += uint8(weight)
	if b > int(e.high) {
		e.above += uint8(weight)
	}
	e.top = max(e.top, uint8(b>>3))
	if e.quiet >= forgetRuns {
		e.forget(int(e.loud))
	}
	if ignore := e.ignored(); e.above > ignore || e.above+e.at(e.high) <= ignore {
		e.rank(ignore)
	}
	e.notePeak(b, d, uint8(weight))
	e.average(d)
}

// notePeak keeps the greatest cost in the bucket of High, which is more exact than the end of the bucket.
func (e *Estimate) notePeak(b int, d time.Duration, weight uint8) {
	if b == int(e.high) {
		e.peak = max(e.peak, d)
		e.peakRuns += weight
	}
}

// average moves the mean: the plain mean of the first 16 runs, then a moving one in which a run weighs a
// sixteenth. A run far above what the kind is known to take counts as twice that: a mean has no other defence
// against outliers.
func (e *Estimate) average(d time.Duration) {
	x := float64(d)
	if e.count > 1 {
		x = min(x, 2*float64(bucketEnd(int(e.high))))
	} else {
		x = min(x, 1<<62) // else the mean of the longest ones is no Duration
	}
	e.mean += (x - e.mean) / float64(min(e.count, 16))
}

// sum returns the sum of w's bytes, which must be less than 256.
func sum(w uint64) uint8 { return uint8(w * 0x0101010101010101 >> 56) }

// at returns the number of runs in bucket b.
func (e *Estimate) at(b uint8) uint8 { return uint8(e.hist[b>>3] >> (b & 7 * 8)) }

// recount restores the sums after hist has changed.
func (e *Estimate) recount() {
	e.total = 0
	for _, w := range e.hist[:e.top+1] {
		e.total += sum(w)
	}
	e.rank(e.ignored())
}

// fade makes all runs so far count half. Single ones vanish.
func (e *Estimate) fade() {
	for i := range e.hist[:e.top+1] {
		e.hist[i] = e.hist[i] >> 1 & 0x7f7f7f7f7f7f7f7f
	}
	e.peakRuns /= 2
	e.recount()
}

// Refused says that work of this kind waited for a frame because High did not fit. After three such frames High is
// forgotten, if at least three runs were well below High and no run has cost about as much meanwhile. As always, one
// run of that cost restores High if it comes within 128 runs.
func (e *Estimate) Refused() {
	e.waits = min(e.waits+1, waitFrames)
	if e.waits == waitFrames && e.quiet >= waitFrames {
		e.forget(int(e.loud))
	}
}

// forget drops the runs above bucket b, until one of them comes back.
func (e *Estimate) forget(b int) {
	e.ghost, e.haunts = e.high, ghostRuns
	octave := b >> 3
	e.hist[octave] &= ^uint64(0) >> (56 - b&7*8)
	clear(e.hist[octave+1:])
	e.top = uint8(octave)
	e.quiet, e.loud, e.waits = 0, 0, 0
	e.recount()
}

// ignored returns how many runs High may leave out.
func (e *Estimate) ignored() uint8 {
	if e.total <= 1 {
		return 0
	}
	return max(e.total/rareShare, 1)
}

// rank finds the bucket above which no more than ignore runs lie. It is called when high is no longer that
// one.
func (e *Estimate) rank(ignore uint8) {
	was := e.high
	e.high, e.above = 0, 0
	defer func() {
		if e.high != was {
			e.peak, e.peakRuns = 0, 0
		}
	}()
	for octave := int(e.top); octave >= 0; octave-- {
		w := e.hist[octave]
		if s := sum(w); e.above+s <= ignore {
			e.above += s
			continue
		}
		for i := 7; i >= 0; i-- {
			n := uint8(w >> (8 * i))
			if e.above+n > ignore {
				e.high = uint8(8*octave + i)
				return
			}
			e.above += n
		}
	}
}

// Mean returns the moving average of the cost, outliers clipped: what a backlog of this kind takes, per
// piece. It is 0 before the first Observe.
func (e *Estimate) Mean() time.Duration { return time.Duration(e.mean) }

// High returns what to allow for one run: a cost that all but the rarest stay below. It is 0 before the first
// Observe.
//
// It is rounded up, by at most an eighth, and not at all for a kind whose runs all cost the same. Costs below 4.6 µs
// are reported as that, and those above 1.07 s, which no frame can hold, as that.
func (e *Estimate) High() time.Duration {
	if e.count == 0 {
		return 0
	}
	end := bucketEnd(int(e.high))
	if e.high > 0 && e.high < lastBucket && e.peakRuns >= e.at(e.high) {
		return min(e.peak, end) // of all the runs that count in this bucket
	}
	return end
}

// Known reports whether anything was observed: whether Mean and High mean something.
func (e *Estimate) Known() bool { return e.count > 0 }

// Count returns the number of runs observed, forgotten ones included.
func (e *Estimate) Count() uint64 { return e.count }
