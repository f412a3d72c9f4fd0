package workers

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/internal/where"
)

// What one worker alone runs: jobs that were bound to it, and its share of a Broadcast. It waits in the worker's
// inbox, an injector (R1 to R6) that is made at its first use, so that who never binds a job pays a load.
//
//	I1  deliver puts the item into the inbox, then looks at four things: whether the worker is in idle, and
//	    posts to it as W1 does, but to this one; whether it is in joining, and posts to it; whether it serves a
//	    wait, and knocks; whether it has a goroutine at all, and starts it if not. At last it looks whether the
//	    pool is gone (C1).
//	I2  next looks into the inbox, in every search. So step 3 of W2 comes between the worker's entering idle
//	    and its waiting.
//	I3  A worker that leaves looks into its inbox between two jobs, and stays while there is something. It looks
//	    once more after it has said that it has no goroutine any more; if it then finds something, it takes the
//	    word back, unless deliver was quicker: then that has started it.
//	I4  A job that waits (Wait, Graph.Run, Scope, ParallelFor, Close, a Stream) on a worker counts the worker in
//	    serving before it looks into the inbox, and looks again whenever it has taken a knock, one sticky token.
//	    One that waits in Join is in joining before it looks, and looks again whenever its parker lets it go (F1).
//	I5  Nobody but the worker's own goroutine, or a coroutine of it, takes from the inbox, unless the pool is
//	    gone; and it takes in the order of coming.
//
// Claim: if there is something in the inbox of a worker for good, then the worker is awake, or within a job that
// neither ends nor waits, or the pool is gone, which ends it (C1). Let A be the moment at which the item became
// visible. Suppose that the worker sleeps, with no token. If its last entering of idle came after A, so did its
// step 3 (I2), which found nothing: a contradiction. If it came before A, deliver found the worker in idle, and
// posted to it, or found that somebody had in the epoch that it read, which is this one, or an earlier one if
// the worker left idle after A, and then its last entering came after A. The token of this epoch is there, or
// has ended the sleep: a contradiction. Suppose that it waits within a job, with no knock pending. If it was
// counted before deliver looked, there was a knock after A, and it has looked since (I4). If not, its first look
// came after A. The same in Join, with the bit in joining for the count and the token in its parker for the knock: if
// somebody else has taken the bit out, he has posted. Suppose that it has no goroutine. If it said so before deliver
// looked, deliver has started it; if it said so later, its last look came after A (I3). ∎
//
// Looking into the inbox comes first but for every 16th search, where it comes last: a flood of bound jobs leaves
// room for the lanes.
const bindingsFirst = 16

// deliver gives an item to this worker. Any goroutine; it never blocks.
func (w *Worker) deliver(it item) {
	q := w.inbox.Load()
	if q == nil {
		q = new(injector)
		first := newRing(inboxMin)
		q.in.Store(first)
		q.out.Store(first)
		if !w.inbox.CompareAndSwap(nil, q) {
			q = w.inbox.Load()
		}
	}
	q.push(it)
	if w.crew.idle.Load()>>w.index&1 != 0 {
		w.rouse()
	}
	if w.crew.joining.Load()>>w.index&1 != 0 {
		w.parker.Post()
	}
	if w.serving.Load() != 0 {
		select {
		case w.knock <- struct{}{}:
		default:
		}
	}
	p := w.pool
	if !w.alive.Load() && p.state.Load() != gone {
		p.start(w)
	}
	p.noneIfGone()
}

// inboxMin is the length of an inbox's first ring: 1.5 KiB.
const inboxMin = 64

// rouse posts to this worker, unless somebody has in its present sleep: see wakeOne.
func (w *Worker) rouse() {
	if epoch := w.epoch.Load(); w.posted.Load() != epoch {
		w.pool.woken.Add(1)
		w.summon()
		w.posted.Store(epoch)
	}
}

// called reports whether there is something in the inbox. Any goroutine.
func (w *Worker) called() bool {
	q := w.inbox.Load()
	return q != nil && !q.empty()
}

// letters returns how many items are in the inbox. Any goroutine.
func (w *Worker) letters() int {
	if q := w.inbox.Load(); q != nil {
		return q.size()
	}
	return 0
}

// takeBound takes the oldest item of the inbox, which from then on is claimed, into cur.
func (w *Worker) takeBound() bool {
	it, lane, ok := w.openLetter()
	if ok {
		w.cur, w.lane, w.claimed, w.robbed = it, lane, true, false
		w.urgent++
	}
	return ok
}

// openLetter takes the oldest item that is still to be run out of the inbox.
func (w *Worker) openLetter() (it item, lane int, ok bool) {
	q := w.inbox.Load()
	if q == nil {
		return item{}, 0, false
	}
	for {
		if it, ok = q.pop(); !ok {
			return item{}, 0, false
		}
		if j := it.job(); j == nil {
			return it, capFrom - 1, true
		} else if j.claimFor(w) {
			return it, j.Priority.Lane(), true
		}
	}
}

// A job that is bound is in a state of its own for each worker, from boundTo on, so that an entry that it has
// left behind, in a lane or in another inbox, cannot claim it; unless that is the inbox of the same number in another
// pool. So an entry claims it by looking, as one that has moved, and who finds it another pool's sends it home: J4.
const boundTo State = 16

// boundState is the state of a job that waits for this worker.
func (w *Worker) boundState() uint32 {
	s := uint32(boundTo) + uint32(w.index)
	if w.crew.low {
		s += MaxWorkers
	}
	return s
}

// claimFor is claim, by an entry of w's inbox, for a job that is bound to w.
func (j *Job) claimFor(w *Worker) bool {
	bound := w.boundState()
	if !j.state.CompareAndSwap(bound, uint32(looking)) {
		return false
	}
	if j.pool == w.pool {
		j.state.Store(uint32(Running))
		return true
	}
	home := j.pool.crews[ordinary].slots[w.index].Load() // a background worker has shares of a Broadcast only
	j.state.Store(bound)
	home.deliver(jobItem(j)) // its entry may have been thrown away meanwhile (J2)
	return false
}

// claimBound takes a job away from the worker that it is bound to, whichever that is.
func (j *Job) claimBound(next State) bool {
	s := j.state.Load()
	return State(s) >= boundTo && j.state.CompareAndSwap(s, uint32(next))
}

// home returns the worker on whose goroutine, or on a coroutine of it, w's job runs: w itself, or nil.
func (w *Worker) home() *Worker {
	if w.crew != nil {
		return w
	}
	return w.host
}

// workerHere returns the worker of this pool on whose goroutine the caller runs, or on a coroutine of it, or nil.
// It takes some nanoseconds for each worker.
func (p *Pool) workerHere() *Worker {
	if p.crews[ordinary].used.Load()+p.crews[background].used.Load() == 0 {
		return nil
	}
	return p.workerOf(where.ID())
}

// workerOf returns the worker on whose goroutine, or a coroutine of it, that is, or nil.
func (p *Pool) workerOf(id uintptr) *Worker {
	for i := range p.crews {
		c := &p.crews[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w != nil && w.goid.Load() == id {
				return w
			}
		}
	}
	return nil
}

// runLetter runs the oldest item of the inbox within a job that waits on this worker, and reports whether there
// was one.
func (w *Worker) runLetter() bool {
	if len(w.aside) > 0 && w.resumeAside() {
		return true
	}
	it, lane, ok := w.openLetter()
	if ok {
		w.runOpened(it, lane)
	}
	return ok
}

// runOpened runs an item of the inbox within a job that waits on this worker. It gets a Worker of its own with this
// one's index: what the waiting job has of its Worker, such as its forks, and what Local gave it, stays untouched.
func (w *Worker) runOpened(it item, lane int) {
	h := w.borrowWithin()
	h.w.stands = true
	ended := true
	defer func() { // deferred, as OnPanic may panic
		if ended {
			w.pool.giveBack(h)
		}
	}()
	ended = h.run(it, lane)
}

// await waits until done has a token, ctx is done, over has a token, which is errOver, or again has come, which is
// errNewEra; those two may be nil. Meanwhile it runs what is bound to this worker (I4). It is called on the worker's
// goroutine, or on a coroutine of it.
func (w *Worker) await(ctx context.Context, done, over <-chan struct{}, again <-chan time.Time) error {
	w.serving.Add(1)
	defer w.serving.Add(-1)
	var ended <-chan struct{}
	if ctx != nil {
		ended = ctx.Done()
	}
	for {
		select {
		case <-done:
			return nil
		default:
		}
		if w.runLetter() {
			continue
		}
		select {
		case <-done:
			return nil
		case <-w.knock:
		case <-over:
			return errOver
		case <-again:
			return errNewEra
		case <-ended:
			return context.Cause(ctx)
		}
	}
}

// rest waits for a token in done, as await does if the caller is on a worker: bound jobs and broadcasts may come to
// any.
func (p *Pool) rest(done <-chan struct{}) { p.restOn(p.workerHere(), done) }

// restOn is rest of a caller that knows on which worker it is, or that it is on none.
func (p *Pool) restOn(w *Worker, done <-chan struct{}) {
	if w == nil {
		<-done
		return
	}
	_ = w.await(context.Background(), done, nil, nil) // which ends without an error
}

// returnLetters ends everything in the inbox, because the pool is gone.
func (w *Worker) returnLetters() {
	q := w.inbox.Load()
	if q == nil {
		return
	}
	for {
		it, ok := q.pop()
		if !ok {
			return
		}
		if it.job() == nil || it.job().claimFor(w) {
			w.pool.lose(it)
		}
	}
}

// anyLetters reports whether something is bound to a worker and waits.
func (p *Pool) anyLetters() bool {
	for i := range p.crews {
		c := &p.crews[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w != nil && w.called() {
				return true
			}
		}
	}
	return false
}
