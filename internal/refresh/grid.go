package refresh

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A Grid knows when the next frame is due. Frames that a display lets go lie on a grid, and the system and the host
// make them late. So a frame that comes earlier than the grid says shows where the grid is. A late frame hardly moves
// the grid: by the whole intervals of the refreshes that it missed, and by a small part of the rest.
//
// A frame that is late by more than half an interval looks early, and moves the grid to a wrong place. That shows when
// all frames of a while are far off: then the grid goes to the least late of them.
type Grid struct {
	tick  deadline.Instant
	of    time.Duration // the interval
	far   int           // frames in a row that were later than an eighth of the interval
	least time.Duration // the least lateness of these
}

// Observe takes the beginning of a frame.
func (g *Grid) Observe(now deadline.Instant, interval time.Duration) {
	late := now.Sub(g.tick)
	if g.tick == 0 || interval <= 0 || !near(interval, g.of, 32) { // another display: its grid begins here
		g.tick, g.of, g.far = now, interval, 0
		return
	}
	g.of = interval
	late -= (late + interval/2) / interval * interval // in [-interval/2, interval/2), unless now is long before tick
	if late <= interval/8 {
		g.far = 0
	} else if g.far++; g.far == 1 || late < g.least {
		g.least = late
	}
	switch {
	case late <= 0:
		g.tick = now
	case g.far == gridFar:
		g.tick, g.far = now.Add(g.least-late), 0
	default:
		g.tick = now.Add(late/gridDrift - late)
	}
}

// Next returns the first instant after now at which a frame is due.
func (g *Grid) Next(now deadline.Instant, interval time.Duration) deadline.Instant {
	if interval <= 0 {
		return now
	}
	past := max(now.Sub(g.tick), 0)
	return g.tick.Add((past/interval + 1) * interval)
}
