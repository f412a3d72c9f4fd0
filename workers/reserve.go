package workers

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A reserve keeps ordinary workers from beginning, right before the frame forks, what will not have ended by then.
//
//	K1  While at is not zero, a worker that has taken a job of the lanes Normal, Low or Idle which would not end
//	    before at puts it back and bars its lane; no worker takes from a barred lane as long as at is not zero,
//	    neither between two jobs nor within one that yields, and none leaves a job or a loop for what is there.
//	K2  Whoever ends the time stores zero in at, and then notifies, as if it had made visible what was barred.
//	    Who puts a job back does so before it looks at at again, and notifies itself if that is zero.
//
// So nothing is stranded: a job in a barred lane was visible before the end of the time, and then its end
// notifies after that, or it became visible after, and who made it so has seen that and notifies. A worker that
// has looked at the lane in vain and goes to sleep looks again after it has entered idle (W2): it finds at zero,
// or is found by the notify that follows. A bar that is set late bars nothing, as at is zero, or the lane in the
// next time, which ends too.
type reserve struct {
	at    atomic.Int64 // the deadline.Instant of the fork, or 0
	timer *time.Timer  // that ends the time, the frame goroutine's
}

// firstPatient is the first lane whose jobs wait for a fork.
const firstPatient = 2 // Normal

// ExpectFork says that the frame is going to fork in d, by ParallelFor, Graph.Run or Scope, and wants workers for it:
// until then ordinary workers do not begin jobs of the priorities Normal, Low and Idle that would not have ended, going
// by Job.Cost or by what their kind has cost so far. A kind that has never run is begun. The time ends after d, or by
// EndFrame. If d is not positive, it ends now. The frame goroutine, at most once or twice a frame; about 200 ns.
func (p *Pool) ExpectFork(d time.Duration) {
	r := &p.reserve
	if d <= 0 {
		p.endReserve()
		return
	}
	for at := firstPatient; at < numLanes; at++ {
		p.lanes[at].barred.Store(false)
	}
	r.at.Store(int64(deadline.Now().Add(d)))
	if r.timer == nil {
		r.timer = time.AfterFunc(d, p.endReserve)
	} else {
		r.timer.Reset(d)
	}
}

// endReserve is K2. A timer of the last time that comes late ends this one early, which costs only its use.
func (p *Pool) endReserve() {
	if p.reserve.at.Swap(0) != 0 {
		p.crews[ordinary].notify()
	}
}

// bars reports whether nothing is to be taken from the lane now (K1).
func (p *Pool) bars(lane int) bool { return p.reserve.at.Load() != 0 && p.lanes[lane].barred.Load() }

// barred reports whether the worker is not to take anything from the lane now (K1).
func (w *Worker) barred(lane int) bool {
	return lane >= firstPatient && !w.crew.low && w.pool.bars(lane)
}

// mayStart reports whether the worker may begin what it has taken from a lane. If not it has been put back (K1).
func (w *Worker) mayStart(lane int, it item) bool {
	p := w.pool
	at := deadline.Instant(p.reserve.at.Load())
	if at == 0 || lane < firstPatient || w.crew.low {
		return true
	}
	if it.job() != nil && !it.job().lookFrom(p, w.crew) {
		return true // stale: to take it is to throw it away
	}
	cost := p.costOf(it)
	now := deadline.Now()
	fits := cost == 0 || now >= at || now.Add(cost) <= at
	if it.job() != nil {
		lane = it.job().Priority.Lane()    // the entry may be a stale one, of an earlier submission,
		fits = fits || lane < firstPatient // and the job an urgent one now, whose lane is never barred
		it.job().unlook(false)             // before it is visible again (J2)
	}
	if fits {
		return true
	}
	l := &p.lanes[lane]
	l.barred.Store(true)
	l.use(useHeld)
	l.held.push(it)
	if p.reserve.at.Load() == 0 {
		w.crew.notify()
	}
	p.noneIfGone()
	return false
}
