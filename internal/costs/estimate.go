package costs

import (
	"math/bits"
	"time"
)

// Estimate learns the cost of one kind of work. [Estimate.High] is the cost to allow for: about the 95th percentile of
// recent runs.
//
//   - The most expensive of up to 20 runs is ignored, and of more runs the most expensive twentieth.
//   - Three expensive runs in a row raise High.
//   - After 32 cheap runs in a row, High falls. See also [Estimate.Refused].
//
// The zero Estimate is ready and takes about 200 bytes. Nothing allocates. One goroutine at a time.
type Estimate struct {
	// hist counts recent runs by cost, a byte per bucket: an octave per word, an eighth of an octave per byte.
	hist  [octaves]uint64
	count uint8   // of all runs, at most meanRuns
	mean  float64 // ns

	total  uint8 // sum of hist; fewer than 256, so that the bytes of a word can be added up in a byte
	high   uint8 // the bucket of High
	above  uint8 // runs in hist above high
	top    uint8 // no octave above top has runs in it
	streak uint8 // runs in a row above high
	quiet  uint8 // runs in a row well below high
	loud   uint8 // the greatest bucket of the quiet runs

	// A forgotten cost that comes back is restored by one run. Otherwise a cost that stayed away by chance would have
	// to be learned again. Now and then a cost of one run in ten stays away for 32 runs.
	oldHigh uint8 // the high that was forgotten last
	oldRuns uint8 // runs for which oldHigh may still come back

	waits    uint8         // frames in which work waited because of High, without a run of about that cost; see Refused
	peakRuns uint8         // runs that peak covers; at least at(high) if peak covers all that count there
	peak     time.Duration // the greatest cost in the bucket of High, since that is the bucket
}

const (
	firstOctave = 12 // costs below 2^12 ns, 4 µs, share the first bucket: they always fit
	octaves     = 18 // costs from 2^30 ns, 1 s, share the last bucket: they never fit
	lastBucket  = 8*octaves - 1

	fadeAt     = 128 // runs after which all count half
	maxStreak  = 3   // log2 of the greatest weight of a run
	forgetRuns = 32  // quiet runs after which High is forgotten
	waitFrames = 3   // frames of waiting after which High is forgotten: as long as the scheduler's patience
	returnRuns = 128 // runs within which a forgotten cost comes back at once
	wellBelow  = 4   // buckets: half an octave
	rareShare  = 20  // one part in rareShare of the runs is ignored
	meanRuns   = 16
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

// Observe records that a run took d, in about 10 ns. A negative d counts as zero.
func (e *Estimate) Observe(d time.Duration) {
	d = max(d, 0)
	b := bucketOf(d)
	weight := uint64(1)
	switch high := int(e.high); {
	case e.count == 0:
	case b > high:
		weight = 1 << min(e.streak, maxStreak)
		if e.oldRuns > 0 && b >= int(e.oldHigh)-wellBelow {
			weight = uint64(e.ignored()) + 2 // restored for certain
			e.oldRuns = 0
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
	if e.oldRuns > 0 {
		e.oldRuns--
	}
	e.count = min(e.count+1, meanRuns)
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

// average moves the mean: the plain mean of the first meanRuns runs, then a moving one. A run counts as at most twice
// High: a mean has no other defence against outliers.
func (e *Estimate) average(d time.Duration) {
	x := float64(d)
	if e.count > 1 {
		x = min(x, 2*float64(bucketEnd(int(e.high))))
	} else {
		x = min(x, 1<<62) // otherwise the mean of the longest runs is no Duration
	}
	e.mean += (x - e.mean) / float64(e.count)
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

// fade makes all runs so far count half. Single runs vanish.
func (e *Estimate) fade() {
	for i := range e.hist[:e.top+1] {
		e.hist[i] = e.hist[i] >> 1 & 0x7f7f7f7f7f7f7f7f
	}
	e.peakRuns /= 2
	e.recount()
}

// Refused says that work waited for a frame because High did not fit. After three such frames High falls, if at least
// three runs were cheap meanwhile and none expensive. One expensive run within the next 128 restores High.
func (e *Estimate) Refused() {
	e.waits = min(e.waits+1, waitFrames)
	if e.waits == waitFrames && e.quiet >= waitFrames {
		e.forget(int(e.loud))
	}
}

// forget drops the runs above bucket b.
func (e *Estimate) forget(b int) {
	e.oldHigh, e.oldRuns = e.high, returnRuns
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

// rank sets high to the lowest bucket above which no more than ignore runs lie.
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

// Mean returns the moving average without outliers, and 0 before the first Observe.
func (e *Estimate) Mean() time.Duration { return time.Duration(e.mean) }

// High returns the cost to allow for one run, and 0 before the first Observe. It is rounded up by at most an eighth,
// and not at all if all runs cost the same. It is never below 4.6 µs or above 1.07 s.
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
