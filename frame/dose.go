package frame

import (
	"time"

	"github.com/frameslice/frameslice/internal/refresh"
)

// doses learns how long a slice is best beside a host that is late without any work. There a longer slice may cost
// nothing, since a frame that misses its refresh waits for the next one anyway. Or it may cost one more refresh.
// Nothing but a try tells which, because the host's work after the slice cannot be measured.
//
// So the slice is what fits or the share of work, and a dose, which is some quarters of a refresh. For each dose the
// table has the response: the work that such a frame has done, and the refreshes that it has missed. Most of those that
// the host misses without any work are taken off. The best dose does the most work for each of the others. Every fourth
// frame tries another dose, the smallest first. When all have been tried in vain, it takes twice as many frames until
// the next try.
//
// If all refreshes counted that a frame misses, a game that shows every other one would soon show every third, for
// three times the work. If none of the host's own counted, work beside an uneven host would have the least dose. Then
// the load would last so long that the host misses more refreshes meanwhile than the load would have cost.
type doses struct {
	table [doseLevels]struct {
		tried  bool
		work   float64 // of a frame, in refreshes
		missed float64 // of a frame
	}
	own   float64 // of the refreshes that a frame misses, those that do not count
	level int     // of the frame in progress
	best  int
	wait  int // frames until the next try
	every int // frames between two tries
	try   int // the level of the next try
}

const (
	doseLevels = 5       // up to a whole refresh
	doseFirst  = 2       // half a refresh
	doseTry    = 4       // frames until the first try of another dose
	doseRare   = 64      // the most frames until the next one
	doseMemory = 6       // frames after which two thirds of a response are new
	doseOwn    = 3. / 4  // of the refreshes that the host misses by itself do not count
	doseCalm   = 1. / 16 // the least number of missed refreshes that counts
)

// nextDose returns the dose of the next slice.
func (d *doses) nextDose(refresh time.Duration) time.Duration {
	if !d.table[d.best].tried {
		d.best = doseFirst
	}
	d.level, d.every = d.best, max(d.every, doseTry)
	if d.wait++; d.wait >= d.every {
		if d.try == d.best {
			d.try++
		}
		if d.try >= doseLevels {
			d.try, d.every = 0, min(2*d.every, doseRare)
			if d.try == d.best {
				d.try++
			}
		}
		d.wait, d.level = 0, d.try
		d.try++
	}
	return time.Duration(d.level) * refresh / (doseLevels - 1)
}

// respond takes the response to the last dose: the work done in a frame that took interval. Without work the host's
// frames take alone.
func (d *doses) respond(work, interval, period, alone time.Duration) {
	if period <= 0 {
		return
	}
	d.own = doseOwn * max(float64(alone)/float64(period)-1, 0)
	e := &d.table[d.level]
	done := float64(work) / float64(period)
	missed := float64(refresh.Missed(interval, period))
	if !e.tried {
		e.tried, e.work, e.missed = true, done, missed
	}
	e.work += (done - e.work) / doseMemory
	e.missed += (missed - e.missed) / doseMemory
	best := d.best
	for i := range d.table {
		if d.table[i].tried && d.score(i) > d.score(best) {
			best = i
		}
	}
	if best != d.best {
		d.best, d.every = best, doseTry
	}
}

// score returns the work for each missed refresh.
func (d *doses) score(level int) float64 {
	e := &d.table[level]
	if !e.tried {
		return 0
	}
	return e.work / max(e.missed-d.own, doseCalm)
}
