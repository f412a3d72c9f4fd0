package load

import "github.com/frameslice/frameslice/workers"

// places bounds how many flights may be ahead. It belongs to the tasks.
//
// A bound that nobody has given follows the commits: when all that waits has been committed, and the pool had no place
// for more, the slice has nothing to do although there is time left. Twice as many as one slice commits are enough
// for it always to find something: as many wait, and as many are decoded meanwhile. It grows within the slice, so that
// the pool has something to do until the next. It shrinks by half a frame at most, as one frame says little, and when
// nothing has been ahead it begins again, for what comes then may be larger.
type places struct {
	bound       int // in force; negative: none
	least, most int
	number      uint64 // the frame for which commits are counted
	commits     int    // flights whose last commits began in it
}

const (
	// defaultAhead is how many values may wait to begin with, by default: about as many as a frame has time to commit,
	// if each takes as long as it takes to make a texture.
	defaultAhead = 32

	// aheadGrowth is how many times as many they may become. No bound is no default: a folder of pictures, decoded by
	// some workers in a tenth of the time that their commits take, would all be in memory; and small pictures, of
	// which a frame commits hundreds, may be followed by large ones.
	aheadGrowth = 8
)

// newPlaces returns the places that Options.Ahead grants in a pool. By default there are at least twice as many as
// it has workers, as what has been decoded between two slices is not heard of until the next, and its worker wants
// another one. As no less than each of them has one, decodes that wait for something come to a stop for want of workers
// before they do for want of a place.
func newPlaces(ahead int, p *workers.Pool) places {
	if ahead != 0 {
		return places{bound: ahead, least: ahead, most: ahead}
	}
	var s workers.Stats
	p.Stats(&s)
	n := max(defaultAhead, 2*(s.Workers+s.Background))
	return places{bound: n, least: n, most: aheadGrowth * n}
}

// restart forgets what commits have told.
func (p *places) restart() { p.bound, p.commits = p.least, 0 }

// committed counts a flight whose last commit begins in the frame with that number. Who calls it has another look.
func (p *places) committed(number uint64) {
	if number != p.number {
		p.bound = max(p.least, min(p.bound, max(2*p.commits, p.bound/2)))
		p.number, p.commits = number, 0
	}
	p.commits++
	p.bound = max(p.bound, min(2*p.commits, p.most))
}
