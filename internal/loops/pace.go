package loops

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// How an automatic ParallelFor chooses its grain: it measures the first elements, and then every piece, since the first
// ones may tell little of the rest. The very first may read what all need, or the system may stop the thread in it.

const (
	// probeFor is how long an automatic ParallelFor measures its body before it decides. probeHot is the same where a
	// worker is awake and looks for work.
	probeFor = 4 * time.Microsecond
	probeHot = time.Microsecond

	// worthWaking is how much work must be left after that before a worker is woken for it. A wake-up costs about 5 µs
	// of the caller's time, and the helper begins after 10 µs. With 16 µs a loop of 19 µs took 29. worthSharing is the
	// same where a worker is awake and looks for work. Loops of 6 and of 9 µs then take 6.5, and loops of 15 take 9.5.
	worthWaking  = 40 * time.Microsecond
	worthSharing = 8 * time.Microsecond

	// chunkMin and chunkMax bound the time of an automatic chunk. With the lower bound, taking a chunk (10 to 50 ns)
	// and measuring it (about 40) cost a few per cent. The upper bound limits how long the caller waits for a helper
	// that was descheduled with the last chunk. A loop of 15 µs whose helper is awake takes 19.4 µs with a lower bound
	// of 8 µs, since then one goroutine takes it all. It takes 10.7 with 4, 9.5 with 2 and 8.9 with 1.
	//
	// Many helpers take their chunks from one counter, one after the other. So the lower bound is chunkEach for each of
	// them, but no more than chunkMany, or a loop of some hundred µs would have fewer chunks than helpers. (These two
	// are a guess: nobody has measured them on so many processors.)
	chunkMin  = 2 * time.Microsecond
	chunkEach = 500 * time.Nanosecond
	chunkMany = 8 * time.Microsecond
	chunkMax  = 200 * time.Microsecond

	// stepMin and stepMax are what a caller does alone between two looks at the clock.
	stepMin = time.Microsecond
	stepMax = 8 * time.Microsecond
)

// chunkFor returns the least time of an automatic chunk of a loop that so many may help with.
func chunkFor(helpers int64) time.Duration {
	return min(max(chunkMin, time.Duration(helpers)*chunkEach), chunkMany)
}

// probe runs the first elements of a loop, [0, lo), until the rest is known to be worth sharing, or there is none and
// lo is n. It returns how long an element takes, in ns.
func (t *Table) probe(n int, body func(lo, hi int)) (lo int, each float64) {
	start := deadline.Now()
	now, long := start, probeFor
	if t.set.Searching() {
		long = probeHot
	}
	for size := 1; lo < n && now.Sub(start) < long; size += min(size, math.MaxInt/2-size) {
		hi := n - (n-lo)/2
		if n-lo > size {
			hi = lo + size
		}
		body(lo, hi)
		lo, now = hi, deadline.Now()
	}
	each = float64(now.Sub(start)) / float64(lo)
	for lo < n && each*float64(n-lo) < float64(t.worth()) {
		size := max(int64(n-lo-(n-lo)/2), within(stepMin, each))
		hi := lo + int(min(size, within(stepMax, each), int64(n-lo)))
		body(lo, hi)
		before := now
		now = deadline.Now()
		each = float64(max(now.Sub(before), 1)) / float64(hi-lo)
		lo = hi
	}
	return lo, each
}

// within returns how many elements take d in all. each is the ns of one element.
func within(d time.Duration, each float64) int64 {
	return max(1, int64(min(float64(d)/each, 1<<62)))
}

// worth returns how much of a loop must be left to be shared.
func (t *Table) worth() time.Duration {
	if t.set.Searching() {
		return worthSharing
	}
	return worthWaking
}

// A pace is how many elements one goroutine takes from a loop at a time. If the grain is measured, the pace follows the
// time of the goroutine's last piece: down at once, and up by doubling, so that a wrong guess costs little.
type pace struct {
	least, most int64
	chunk       time.Duration    // the least time of a piece
	since       deadline.Instant // when the last piece ended
}

// pace returns the pace to begin with.
func (l *Loop) pace() (s pace) {
	s.least, s.most, s.chunk = l.min, l.max, l.chunk
	if l.chunk != 0 {
		s.since = deadline.Now()
	}
	return s
}

// learn is told of each piece that has ended. A piece of half the least time is long enough: what is left may not be
// much, and others shall have their part of it.
func (s *pace) learn(size int64) {
	before := s.since
	s.since = deadline.Now()
	took := max(s.since.Sub(before), 1)
	each := float64(took) / float64(size)
	least := min(within(s.chunk, each), double(size))
	if least < s.least || took < s.chunk/2 {
		s.least = least
	}
	s.most = min(within(chunkMax, each), double(size))
}

// double returns twice n, or the greatest number.
func double(n int64) int64 { return n + min(n, math.MaxInt64-n) }
