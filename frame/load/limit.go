package load

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// limit is how many decodings may be in flight. It belongs to the tasks.
//
// The default limit follows the commits: twice as many as one slice commits, because as many wait for their commits,
// and as many are decoded meanwhile. It grows within a slice, so that the pool has work until the next slice. Each
// frame halves it at most, as one frame says little. When nothing is in flight it starts again: what comes then may be
// larger.
type limit struct {
	now         int // in force; negative: no limit
	least, most int
	number      uint64 // the frame for which commits are counted
	commits     int    // decodings whose last commit began in that frame
}

const (
	// defaultAhead is the default limit at first: about as many as a frame commits if each commit makes a texture.
	defaultAhead = 32

	// aheadGrowth is how many times as large the default limit may become. Without such a bound a folder of pictures
	// would be in memory as a whole: some workers decode it in a tenth of the time that its commits take.
	aheadGrowth = 8
)

// newLimit returns the limit for Options.Ahead. The default is at least twice the number of workers: the loader hears
// of a decode in the next slice, and meanwhile the worker wants another one.
func newLimit(ahead int, p *workers.Pool) limit {
	if ahead != 0 {
		return limit{now: ahead, least: ahead, most: ahead}
	}
	var s workers.Stats
	p.Stats(&s)
	n := max(defaultAhead, 2*(s.Workers+s.Background))
	return limit{now: n, least: n, most: aheadGrowth * n}
}

// allows reports whether one more decoding of that priority may be in flight beside those that are, by lane.
func (l *limit) allows(inFlight [deadline.NumPriorities]int, p deadline.Priority) bool {
	urgent, all := 0, 0
	for lane, n := range inFlight {
		if all += n; lane <= p.Lane() {
			urgent += n
		}
	}
	return l.now < 0 || urgent < l.now && all/2 < l.now
}

// restart forgets the commits.
func (l *limit) restart() { l.now, l.commits = l.least, 0 }

// committed counts a decoding whose last commit begins in the frame with that number. The caller then looks whether a
// held one can start.
func (l *limit) committed(number uint64) {
	if number != l.number {
		l.now = max(l.least, min(l.now, max(2*l.commits, l.now/2)))
		l.number, l.commits = number, 0
	}
	l.commits++
	l.now = max(l.now, min(2*l.commits, l.most))
}
