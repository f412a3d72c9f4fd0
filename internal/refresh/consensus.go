package refresh

import "time"

// A consensus lets most slices stay whole while the Period learns. The first clean frames that agree with one another
// already tell the period, or a multiple of it. So the Period assumes their interval, and each fourth frame stays
// small. If it was a multiple, because the program's start made each frame miss a refresh, such a small frame is
// shorter. Then the Period forgets the samples, which would mislead the median, and keeps all slices small until the
// next consensus.
//
// That matters where a game loads at its start: small slices load a thirtieth of what whole ones do.
type consensus struct {
	frames int           // clean ones in a row, all of about the same interval; only while learning
	on     time.Duration // the shortest of those
}

// reached reports whether there is a consensus.
func (a *consensus) reached() bool { return a.frames >= agree }

// add takes a sample. A frame that is not clean may have missed a refresh by its own work. A frame that is shorter than
// any display's period says nothing about the display. It comes while the queue of the swap is empty, for example.
func (a *consensus) add(interval time.Duration, clean bool) {
	switch {
	case !clean || interval < pacedAbove:
		a.frames = 0
	case a.frames > 0 && near(interval, a.on, 8):
		a.frames++
		a.on = min(a.on, interval)
	default:
		a.frames, a.on = 1, interval
	}
}

// agrees takes a sample while the Period learns. Before the first median a consensus rules.
func (p *Period) agrees(interval time.Duration, clean bool) {
	if p.consensus.reached() && interval < p.consensus.on*7/8 {
		p.forget()
	}
	p.consensus.add(interval, clean)
	if p.median == 0 && p.consensus.reached() {
		p.value, p.pending = p.consensus.on, 0
		p.shown = p.value
	}
}

// learns reports whether the frame's slice must be small so that the period can be learned.
func (p *Period) learns() bool {
	return p.learn > 0 && (!p.consensus.reached() || p.learn%verify == 1)
}
