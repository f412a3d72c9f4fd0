package workers

import "slices"

// changeRunners replaces the list of every runner that has rested. A list never changes.
func (q *quiet) changeRunners(f func(all []*runner) []*runner) {
	for {
		old := q.runners.Load()
		var all []*runner
		if old != nil {
			all = slices.Clone(*old)
		}
		list := &all
		if all = f(all); len(all) == 0 {
			list = nil
		}
		if q.runners.CompareAndSwap(old, list) {
			return
		}
	}
}

// wakeRunners calls wake of every runner that rests, if there is a job that no worker takes.
//
// The protocol is Dekker's. The explorer runs it in rest_explore_test.go.
//
//	O1  A submitter makes its job visible, and then looks whether a runner rests.
//	O2  A runner first rests, and then looks whether a job is visible. Its goroutine sleeps only after that.
//	O3  A goroutine that finds both ends the rest by a compare-and-swap, and calls wake if the swap succeeded.
//
// Claim: no goroutine sleeps over a job while its runner rests. Either the job became visible before the look of O2,
// which then found the job. Or the job became visible later, so after the runner rested, and the look of O1 found the
// runner. The goroutine that found both calls wake by O3, unless the job was taken meanwhile. ∎
//
// wake must also end a sleep that has not begun yet. A job behind another submitter's half-filled slot becomes visible
// with that slot, and that submitter looks afterwards. A job may have had workers when its submitter looked. If the
// last worker leaves without the job (E3), that worker looks.
func (q *quiet) wakeRunners() {
	all := q.runners.Load()
	if all == nil {
		return
	}
	for _, s := range *all {
		if s.rests.Load() && q.anyOrphan(false) && s.rests.CompareAndSwap(true, false) {
			s.wake()
		}
	}
}
