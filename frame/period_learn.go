package frame

import "time"

// agreement is why the slices of most frames of a learning need not be small: the first natural frames that agree with
// one another already tell what the period is, or a multiple of it. So it is assumed from then on, and each fourth
// frame stays small. If it was a multiple (what a program does at its start has made each of those frames miss a
// refresh) such a frame is shorter. Then the samples are forgotten, as they would mislead the median, too, and all
// slices are small until there is another agreement.
//
// That matters where a game loads at its start: small slices load a thirtieth of what whole ones do, so that a load of
// two frames took as long as the learning.
type agreement struct {
	frames int           // sure ones in a row, each of about the same interval; of the learning only
	on     time.Duration // the shortest of those
}

const (
	periodAgree  = 4 // such frames make an agreement
	periodVerify = 4 // one frame in so many stays small
)

// reached reports whether there is one.
func (a *agreement) reached() bool { return a.frames >= periodAgree }

// add takes a natural frame. One that is not sure may have missed a refresh because of its own work, and one that is
// shorter than any display's period, as while the queue of the swap is empty, says nothing about that.
func (a *agreement) add(interval time.Duration, sure bool) {
	switch {
	case !sure || interval < pacedAbove:
		a.frames = 0
	case a.frames > 0 && near(interval, a.on, 8):
		a.frames++
		a.on = min(a.on, interval)
	default:
		a.frames, a.on = 1, interval
	}
}

// learns takes a natural frame of the learning. Before the first median an agreement rules.
func (p *period) learns(interval time.Duration, sure bool) {
	if p.agreed.reached() && interval < p.agreed.on*7/8 {
		p.forget()
	}
	p.agreed.add(interval, sure)
	if p.raw == 0 && p.agreed.reached() {
		p.value, p.pending = p.agreed.on, 0
		p.shown = p.value
	}
}

// learning reports whether the frame's slice is to be small so that the period can be learned.
func (p *period) learning() bool {
	return p.learn > 0 && (!p.agreed.reached() || p.learn%periodVerify == 1)
}
