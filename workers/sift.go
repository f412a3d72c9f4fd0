package workers

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/runqueue"
)

// A job that was canceled, or that its waiter claimed, leaves its entry in its lane, in a worker's deque or in a batch.
// Workers that are busy do not come by, and where there are no workers nobody does. So the goroutine that leaves an
// entry behind looks whether an eighth of the lane's entries may be stale, and then takes them out. Each stale entry
// costs eight looks at most, and the stale entries are never more than a seventh of the others.
//
//	J6  A sifter takes each entry out of its lane, and then looks at the entry's job. If the job neither waits nor is
//	    in the hands of a goroutine that looks at it (J2), the entry goes: a goroutine that makes the job wait from
//	    then on makes another entry after that. The others stay, in their order. The sifter is counted meanwhile (C2).
//	    At the end it notifies the workers as if it had made all the entries visible (W1), and looks at the pool's
//	    state (C1) and at bells (O1). One goroutine sifts a lane at a time. Another that comes meanwhile leaves its
//	    entries to that one, which looks again at the end, up to siftTurns times.
//	J8  left is raised once for each entry that becomes stale in its queue, after the entry has, and lowered when one
//	    is met. The count may be wrong for a moment; each sifting sets it right. The jobs that wait are the entries
//	    without left.
//
// A worker that looked at the lane while the one live entry was in the sifter's hands may sleep. The notify at the end
// comes after the entry is visible again, so the proof of W1 to W6 holds with the sifter for the submitter. A
// background worker's thread may stop for long with an entry in its hands. So it does not sift the lanes of ordinary
// workers, and the next other goroutine does.
//
// model_sift_test.go explores the protocol, with a worker that sleeps, and with four mutants.
type sifted struct {
	left atomic.Int64 // J8
	busy atomic.Bool  // somebody sifts
	live atomic.Int64 // what may be in queues: raised before a push, lowered after a pop
	// What stays goes from one of the queues, and then from the rest of the lane, to the other one, which is looked at
	// first. So whoever takes jobs meanwhile finds them in their order, but for the one in the sifter's hands; with one
	// queue, from whose head to its end they would go, he would find the youngest first half of the time.
	queues [2]runqueue.Injector[item]
	to     atomic.Uint32
}

const (
	siftShare = 8 // see above: one of so many
	siftTurns = 8 // how often a sifter looks again
)

func (s *sifted) pop() (it item, ok bool) {
	if s.live.Load() == 0 {
		return item{}, false
	}
	to := s.to.Load()
	if it, ok = s.queues[to].Pop(); !ok {
		it, ok = s.queues[1-to].Pop()
	}
	if ok {
		s.live.Add(-1)
	}
	return it, ok
}

func (s *sifted) size() int { return s.queues[0].Size() + s.queues[1].Size() }
func (s *sifted) empty() bool {
	return s.live.Load() == 0 || s.queues[0].Empty() && s.queues[1].Empty()
}

// met is called by who has taken a stale entry out (J8).
func (s *sifted) met() {
	for {
		left := s.left.Load()
		if left <= 0 || s.left.CompareAndSwap(left, left-1) {
			return
		}
	}
}

// leftBehind is called by who has made n entries of the lane stale without having taken them out.
func (p *Pool) leftBehind(at, n int) {
	l := &p.lanes[at]
	l.sifted.left.Add(int64(n))
	c := p.crewOf[at]
	for range siftTurns {
		if !p.worthSifting(at) || !c.low && p.onLowThread() || !l.sifted.busy.CompareAndSwap(false, true) {
			return
		}
		p.restless.Add(awoke)
		l.sifted.left.Store(0)
		p.sift(at)
		l.sifted.busy.Store(false)
		c.notify()
		p.noneIfGone()
		p.settle()
	}
}

// entries returns how many entries a lane has, roughly, those in workers' hands included.
func (p *Pool) entries(at int) int {
	l := &p.lanes[at]
	return l.size() + p.local(at)
}

// local returns how many of them are in workers' deques and batches.
func (p *Pool) local(at int) (n int) {
	if p.lanes[at].extra.Load()&useLocal != 0 {
		c := p.crewOf[at]
		for i := range c.used.Load() {
			if v := c.slots[i].Load(); v != nil {
				n += v.shared(at)
			}
		}
	}
	return n
}

func (p *Pool) worthSifting(at int) bool {
	left := p.lanes[at].sifted.left.Load()
	return left > 0 && siftShare*left >= int64(p.entries(at))
}

// sift takes the stale entries out.
func (p *Pool) sift(at int) {
	l := &p.lanes[at]
	s := &l.sifted
	s.queues[0].Init() // before useSifted, without which nobody looks there
	s.queues[1].Init()
	if l.extra.Load()&useHeld != 0 {
		for range l.held.Size() { // whose order is a loose one: see RunUntil
			if it, ok := l.held.Pop(); ok && !it.stale() {
				l.held.Push(it)
			}
		}
	}
	to := s.to.Load()
	old := &s.queues[1-to]
	keep := func(n int, pop func() (item, bool)) {
		for range n {
			it, ok := pop()
			if !ok {
				return
			}
			if !it.stale() {
				l.use(useSifted)
				s.live.Add(1)
				s.queues[to].Push(it)
			}
		}
	}
	keep(old.Size(), func() (item, bool) {
		it, ok := old.Pop()
		if ok {
			s.live.Add(-1)
		}
		return it, ok
	})
	keep(p.local(at), func() (item, bool) { return p.rob(at) })
	keep(l.outside.Size(), l.outside.Pop)
	keep(l.below.Size(), l.below.Pop)
	s.to.Store(1 - to)
	if l.size() < trimBelow {
		l.trim()
	}
}

// trimBelow is as many entries as one big ring has: a lane with fewer is not about to fill big rings.
const trimBelow = 1 << 13

// trim lets go of the rings that are kept for use again.
func (l *lane) trim() {
	for _, q := range []*runqueue.Injector[item]{&l.outside, &l.held, &l.below} {
		q.Trim()
	}
	l.sifted.queues[0].Trim()
	l.sifted.queues[1].Trim()
}

// stale reports whether nobody needs the entry, which is the caller's.
func (it item) stale() bool {
	if it.job() == nil {
		return false
	}
	switch State(it.job().state.Load()) {
	case Queued, moved, looking:
		return false
	}
	return true
}
