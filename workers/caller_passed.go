package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// What does not fit into a RunUntil where no worker takes it would wait for ever if calls never have more time, or
// never when its turn has come: because it takes long, or because its kind seemed to, when the one run that is known
// met a garbage collection. So it waits for patience, and then goes first in the next call, whatever it costs. Before,
// from half of that on, it goes first in a call in which it fits: it may be that what is ahead of it in its lane has
// used up each slice before. One does in each such time, the next of those held in the lane whose turn it is, or else
// in the most urgent one; the next, because calls put behind the others what they have looked at. It is time and not a
// number of calls that counts, since a program may call several times a frame. A lane's turn alone (W9) would not do:
// that comes after 15 jobs, and here perhaps none runs.

// patience is for how long jobs that no worker takes are passed over because they do not fit.
const patience = 100 * time.Millisecond

// runPassed runs one of the jobs that have been passed over, if they have been for long, and reports whether it ended.
func (h *caller) runPassed(now deadline.Instant) (ended bool) {
	p := h.w.pool
	since := p.passed.Load()
	waited := now.Sub(deadline.Instant(since))
	if since == 0 || waited < patience/2 || !p.passed.CompareAndSwap(since, 0) {
		return false
	}
	for i := range 1 + numLanes {
		at := i - 1
		if i == 0 {
			at = max(h.turn.owed-1, 0)
		}
		l := &p.lanes[at]
		if l.extra.Load()&useHeld == 0 || p.crewOf[at].want.Load() > 0 {
			continue
		}
		for {
			it, ok := l.held.Pop()
			if !ok {
				break
			}
			if it.job() != nil && !it.job().lookFrom(p, nil) {
				continue // stale
			}
			cost := p.costOf(it)
			if !h.w.until.Fits(now, cost) {
				if waited < patience {
					p.hold(at, it)
					p.passed.CompareAndSwap(0, since)
					return false
				}
				p.forced.Add(1)
			}
			p.began(cost)
			ended = h.start(it, at)
			h.turn.ran(p, at)
			return ended
		}
	}
	return false
}

// notePassed notes whether a RunUntil with an end has left anything behind that was passed over, by it or before.
func (p *Pool) notePassed(now deadline.Instant) {
	passed := false
	for at := range p.lanes {
		l := &p.lanes[at]
		passed = passed || l.extra.Load()&useHeld != 0 && p.crewOf[at].want.Load() == 0 && !l.held.Empty()
	}
	switch since := p.passed.Load(); {
	case !passed && since != 0:
		p.passed.Store(0)
	case passed && since == 0:
		p.passed.CompareAndSwap(0, int64(now))
	}
}

// start runs what RunUntil has taken, and nobody else may have now, and reports whether it ended.
func (h *caller) start(it item, at int) (ended bool) {
	p := h.w.pool
	if it.job() != nil {
		at = it.job().Priority.Lane() // a stale entry may have been in another
		sliced := it.job().Func != nil && p.crewOf[at].want.Load() == 0
		if sliced {
			p.lanes[at].use(useYielded) // before it is seen to run: who waits for it has to look whether it yields
		}
		it.job().unlook(true)
		if sliced {
			it.job().slice = p.begin(it, at)
			return h.goOn(&p.lanes[at], it, h.w.until)
		}
	}
	h.run(it, at)
	return true
}
