package workers

import "slices"

// changeSeats replaces the list of every Seat that has rested. A list never changes.
func (p *Pool) changeSeats(f func(all []*Seat) []*Seat) {
	for {
		old := p.seats.Load()
		var all []*Seat
		if old != nil {
			all = slices.Clone(*old)
		}
		list := &all
		if all = f(all); len(all) == 0 {
			list = nil
		}
		if p.seats.CompareAndSwap(old, list) {
			return
		}
	}
}

// wakeSeats calls Wake of every Seat that rests, if there is a job that no worker takes.
//
// The protocol is Dekker's.
//
//	O1  A submitter makes its job visible, and then looks whether a Seat rests.
//	O2  A Seat first rests, and then looks whether a job is visible. Its goroutine sleeps only after that.
//	O3  A goroutine that finds both ends the rest by a compare-and-swap, and calls Wake if the swap succeeded.
//
// Claim: no goroutine sleeps over a job while its Seat rests. Either the job became visible before the look of O2,
// which then found the job. Or the job became visible later, so after the Seat rested, and the look of O1 found the
// Seat. The goroutine that found both calls Wake by O3, unless the job was taken meanwhile. ∎
//
// Wake must also end a sleep that has not begun yet. A job behind another submitter's half-filled slot becomes visible
// with that slot, and that submitter looks afterwards. A job may have had workers when its submitter looked. If the
// last worker leaves without the job (E3), that worker looks.
func (p *Pool) wakeSeats() {
	all := p.seats.Load()
	if all == nil {
		return
	}
	for _, s := range *all {
		if s.rests.Load() && p.anyOrphan() && s.rests.CompareAndSwap(true, false) {
			s.Wake()
		}
	}
}

// anyOrphan reports whether there is a job that no worker takes.
func (p *Pool) anyOrphan() bool {
	for at := range p.lanes {
		if p.orphaned(at, false) {
			return true
		}
	}
	return false
}

func (p *Pool) orphaned(at int, all bool) bool {
	return !p.lanes[at].yielded.Empty() || (all || p.classOf[at].want.Load() == 0) && p.queued(at)
}
