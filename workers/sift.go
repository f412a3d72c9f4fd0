package workers

import "sync/atomic"

// A job that was canceled, or that its waiter claimed, leaves its entry in its lane. Where there are workers they meet
// it, and throw it away. Where there are none a program may wait for all its jobs, and nobody would ever look: so there
// who leaves an entry behind looks whether as many as half of the lane's may be such, and then takes them out. That is
// no more than two looks at an entry for each that was left.
//
//	J6  Who sifts a lane takes each entry out, and then looks at its job. If that neither waits nor is in the hands of
//	    who looks at it (J2), the entry goes: whoever makes the job wait from then on makes another entry after that.
//	    The others stay, in their order. He is counted meanwhile (C2), and at the end looks at the pool's state (C1)
//	    and at bells (O1). One sifts a lane at a time; who comes meanwhile leaves it to him, and he looks again at the
//	    end.
//
// model_sift_test.go explores it, with three mutants.
type sifted struct {
	// left is how many entries have been left behind since the lane was sifted last, or more: others may have met some.
	left atomic.Int64
	busy atomic.Bool // somebody sifts
	// What stays goes from one of the queues, and then from the rest of the lane, to the other one, which is looked at
	// first. So whoever takes jobs meanwhile finds them in their order, but for the one in the sifter's hands; with one
	// queue, from whose head to its end they would go, he would find the youngest first half of the time.
	queues [2]injector
	to     atomic.Uint32
}

func (s *sifted) pop() (it item, ok bool) {
	to := s.to.Load()
	if it, ok = s.queues[to].pop(); !ok {
		it, ok = s.queues[1-to].pop()
	}
	return it, ok
}

func (s *sifted) size() int   { return s.queues[0].size() + s.queues[1].size() }
func (s *sifted) empty() bool { return s.queues[0].empty() && s.queues[1].empty() }

// leftBehind is called by who has made an entry of the lane stale without having taken it out.
func (p *Pool) leftBehind(at int) {
	if p.crewOf[at].want.Load() > 0 {
		return
	}
	l := &p.lanes[at]
	l.sifted.left.Add(1)
	for l.worthSifting() && l.sifted.busy.CompareAndSwap(false, true) {
		p.restless.Add(awoke)
		l.sifted.left.Store(0)
		l.sift()
		l.sifted.busy.Store(false)
		p.crewOf[at].notify() // it may have workers by now
		p.noneIfGone()
		p.settle()
	}
}

func (l *lane) worthSifting() bool {
	left := l.sifted.left.Load()
	return left > 0 && 2*left >= int64(l.size())
}

// sift takes the stale entries out.
func (l *lane) sift() {
	s := &l.sifted
	if s.queues[0].out.Load() == nil {
		s.queues[0].init() // before useSifted, without which nobody looks there
		s.queues[1].init()
	}
	if l.extra.Load()&useHeld != 0 {
		for range l.held.size() { // whose order is a loose one: see RunUntil
			if it, ok := l.held.pop(); ok && !it.stale() {
				l.held.push(it)
			}
		}
	}
	from, to := &s.queues[1-s.to.Load()], &s.queues[s.to.Load()]
	for _, q := range []*injector{from, &l.outside, &l.below} {
		for range q.size() {
			it, ok := q.pop()
			if !ok {
				break
			}
			if !it.stale() {
				l.use(useSifted)
				to.push(it)
			}
		}
	}
	s.to.Store(1 - s.to.Load())
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
