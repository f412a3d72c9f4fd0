package frame

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// gridDrift is which part of a frame's lateness the grid follows: at 60 Hz it has caught up with a display whose
// refresh is 0.1 % slower than the interval says (17 µs a frame) when it runs 0.5 ms ahead.
const gridDrift = 32

// grid knows when the next frame of a hosted loop is due. Frames that a display lets go lie on a grid, and are late
// by what the system and the host took. So a frame that is earlier than the grid says shows where the grid is, and a
// late one hardly moves it: a whole number of intervals, for refreshes that were missed, and a part of the rest. But
// one that is late by more than half an interval looks early, and moves it to where no frame lies. That shows when
// all frames of a while are far off it: then it goes to the least late of them.
type grid struct {
	tick  deadline.Instant
	of    time.Duration // the interval
	far   int           // frames in a row that were later than an eighth of the interval
	least time.Duration // by which they were
}

// gridFar is how many of them are enough.
const gridFar = 8

// observe takes the beginning of a frame.
func (g *grid) observe(now deadline.Instant, interval time.Duration) {
	late := now.Sub(g.tick)
	if g.tick == 0 || interval <= 0 || !near(interval, g.of, 32) { // another display: its grid begins here
		g.tick, g.of, g.far = now, interval, 0
		return
	}
	g.of = interval
	late -= (late + interval/2) / interval * interval // in [-interval/2, interval/2), once late is not before the grid
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

// next returns when the next frame is due that is not due yet.
func (g *grid) next(now deadline.Instant, interval time.Duration) deadline.Instant {
	if interval <= 0 {
		return now
	}
	past := max(now.Sub(g.tick), 0)
	return g.tick.Add((past/interval + 1) * interval)
}

// graceful is which part of the interval a frame may be late before the pool stands back for it: 0.26 ms at 60 Hz. A
// frame on an idle machine is late by up to 0.1 ms.
const graceful = 64

// expected returns when the next frame counts as late, and for how long the pool is to stand back then: 0 if nothing
// paces the frames. A frame that is later than half an interval is one that the display will not show in time anyway.
func (l *Loop) expected(now deadline.Instant) (late deadline.Instant, trail time.Duration) {
	interval := l.interval()
	switch {
	case l.running || l.pacing:
		late = max(l.pacer.due(), now)
	case l.period.paced && l.period.raw > 0:
		late = l.grid.next(now, interval)
	default:
		return 0, 0
	}
	return late.Add(interval / graceful), interval / 2
}
