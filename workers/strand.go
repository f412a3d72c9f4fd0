package workers

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/freelist"
)

// A Strand runs its jobs one at a time, in the order of their submission, on any worker: the saves of a file, the
// packets of a connection, the edits of a chunk. They need no lock then. Jobs of different strands run at the same
// time. A strand without jobs keeps no worker and needs no Close. Create a Strand with NewStrand. Any goroutine may
// call its methods, and pass the Strand to the function Submit for a Future.
//
// A job takes some 0.7 µs more than in the pool, and 1.1 µs if its strand alone has work. It waits for those before it,
// whatever their priorities. Where Job.Wait runs the job itself, it runs those before it too. A job that waits for a
// later job of its strand waits in a circle, and so does Close in a job with others behind it. When Close has given up,
// the jobs behind one that still runs end after that one.
//
// In Stats.Queued a strand counts at most once.
type Strand struct {
	pool   *Pool
	head   atomic.Pointer[turn] // the newest job behind; &busy: none is behind; nil: nobody has the turn
	busy   turn                 // the end of each list
	holder atomic.Pointer[Job]  // the job that has the turn, a guess for those without the turn
	passed atomic.Pointer[chan struct{}]

	// The goroutine with the turn owns these.
	ready *turn // jobs behind that have been taken from head, the oldest first
	over  notice
	lent  *freelist.Lent[strandFunc] // the holder, if it is one

	funcs freelist.List[strandFunc]
}

// The protocol of a Strand. Its turn belongs to one job, the holder, until that job has ended. The other jobs are in
// the state behind: in the list head, the newest first, or in ready.
//
//	ST1  A submission exchanges head: from nil to &busy, and the job has the turn; or to the job's own turn in front
//	     of what was there. Only the goroutine with the turn takes the list, or exchanges &busy for nil and so ends
//	     the turn. A submission between its look and its swap makes that swap fail, and it looks again.
//	ST2  The holder's notice (J7) passes the turn on. It is enlisted before the holder is queued, and called once,
//	     when this run of the holder has ended, whether it ran, was canceled or was dropped. From then on the
//	     goroutine in pass has the turn, until it has queued the next holder. OnPanic, which need not return, is
//	     called after the notice.
//	ST3  A turn that waits leaves this state once: to free by the goroutine with the strand's turn, which then owns
//	     the job; or to canceled by Cancel, which owns the job likewise. A canceled turn stays in its list, and
//	     becomes free when it is taken from there. Its job may be submitted again before that, and gets another
//	     turn.
//	ST4  A wait that relies on nobody else stores passed, and then looks for a holder that is queued, to run it. A
//	     holder is queued first, and then passed is taken and closed. The look claims the holder (J2), and asks
//	     whose turn it has: it may be queued for something else by now.
//	ST5  A submission counts itself in restless (C2) before it looks at the pool's state, until its job is queued. A
//	     job behind stays counted until it is queued or has ended. So a pool with jobs behind is never quiet,
//	     whoever passes the turn: perhaps a Cancel.
//
// Claim: one job of a strand is queued or runs at a time, in the order of the swaps of ST1, and none is left behind.
// The turn belongs to one job at a time, by ST1 and ST2, and no job is queued without the turn. The list keeps the
// order, and is turned round when ready is empty, so ready is older than head. A pass that finds ready and head empty
// gives the turn up by ST1, and that swap fails if a job came meanwhile. By ST3 a pass queues each job that was not
// canceled. By ST4 a wait sees a holder that is queued, or the pass that queued it ends the sleep. A wait relies on
// others only if every lane has workers, and E2 ends its sleep when that changes. ∎
//
// Rejected: a worker that runs the whole list. It keeps other jobs of its lane waiting, and an urgent job in the list
// waits for a lane that is less urgent. Rejected: a mutex. A background worker that loses its processor while it holds
// the mutex would keep the frame waiting.
//
// model_strand_test.go explores ST1 to ST4, with mutants.

// The states of a turn.
const (
	turnFree     uint32 = iota // in no list
	turnWaits                  // its job is behind
	turnCanceled               // its job was canceled; it is still in a list
)

// A turn is a job's place in a Strand.
type turn struct {
	job    *Job
	strand *Strand
	next   *turn
	state  atomic.Uint32
}

// NewStrand returns a Strand for jobs of p. It panics if p is nil.
func NewStrand(p *Pool) *Strand {
	if p == nil {
		panic("workers: NewStrand with a nil Pool")
	}
	s := &Strand{pool: p}
	s.over.f, s.over.then = s.pass, &s.over
	return s
}

// Go runs f after the strand's earlier jobs, in the lane of the priority. It is Pool.Go otherwise. In steady state it
// allocates only while more than 256 functions wait in the strand. If f panics, the next job may begin before
// Options.OnPanic is called.
func (s *Strand) Go(prio deadline.Priority, f func()) {
	if f == nil {
		panic("workers: Strand.Go of a nil function")
	}
	laneOf(prio)
	l, full := s.funcs.FreeAmong(keptFuncs)
	if l == nil {
		l = new(freelist.Lent[strandFunc])
		l.It.lent = l
		l.It.Job.exec = &l.It
		if !full {
			s.funcs.Add(l)
		} // else nobody else finds it, and to give it back does nothing
	}
	l.It.f, l.It.Priority = f, prio
	if !s.submit(&l.It.Job) {
		l.GiveBack()
	}
}

// Submit runs j after the strand's earlier jobs. It is Pool.Submit otherwise: it never blocks, and a job that a closed
// pool does not take ends with ErrClosed at once. A job's first Submit to a strand allocates some 40 bytes. So does a
// Submit after the Cancel of a job that is behind. These bytes stay until that place comes up.
func (s *Strand) Submit(j *Job) { s.submit(j) }

// keptFuncs bounds the memory that an idle strand keeps, and the time that Go looks for a strandFunc.
const keptFuncs = 256

// A strandFunc is the job of a function that was passed to Strand.Go.
type strandFunc struct {
	function
	lent *freelist.Lent[strandFunc]
}

// submit takes j, and reports whether the pool has accepted j.
func (s *Strand) submit(j *Job) bool {
	p := s.pool
	j.take(p)
	p.restless.Add(awoke) // ST5
	if p.state.Load() != running {
		p.dropped.Add(1)
		p.settle()
		j.finish(ErrClosed)
		return false
	}
	t := j.turn.Load()
	if t == nil || t.strand != s || t.state.Load() != turnFree {
		t = &turn{job: j, strand: s}
		j.turn.Store(t)
	}
	j.set(behind)
	for {
		old := s.head.Load()
		if old == nil {
			if s.head.CompareAndSwap(nil, &s.busy) {
				s.give(j)
				return true
			}
			continue
		}
		t.next = old
		t.state.Store(turnWaits)
		if s.head.CompareAndSwap(old, t) {
			return true
		}
		if !t.state.CompareAndSwap(turnWaits, turnFree) {
			t.state.Store(turnFree) // j was canceled, and t is in no list
			return true
		}
	}
}

// give makes j, which is behind and the caller's, the holder, and ends its count. The caller has the strand's turn.
func (s *Strand) give(j *Job) {
	p := s.pool
	s.lent = nil
	if f, ok := j.exec.(*strandFunc); ok {
		s.lent = f.lent
	}
	s.holder.Store(j)
	s.over.of(j)
	s.over.enlist() // ST2
	at := j.Priority.Lane()
	// On a background worker, a frame may wait for the slot of an urgent lane's queue: see lane.below.
	low := p.classOf[at] == &p.classes[ordinary] && p.onLowThread()
	j.set(j.queued())
	p.inject(at, jobItem(j), low)
	p.settle()                                                             // ST5
	if c := s.passed.Load(); c != nil && s.passed.CompareAndSwap(c, nil) { // ST4
		close(*c)
	}
}

// pass passes the turn on, when the holder has ended.
func (s *Strand) pass() {
	p := s.pool
	if l := s.lent; l != nil {
		s.lent = nil
		l.GiveBack()
	}
	for {
		j := s.next()
		if j == nil {
			return
		}
		if p.state.Load() != gone {
			s.give(j)
			return
		}
		j.set(settling)
		p.lose(jobItem(j))
		p.settle()
	}
}

// next takes the oldest job behind, or gives the turn up and returns nil.
func (s *Strand) next() *Job {
	for {
		if s.ready == nil {
			if s.head.Load() == &s.busy {
				s.holder.Store(nil)
				s.over.job, s.over.next = nil, nil // an idle strand keeps no job and no waiters of it
				if s.head.CompareAndSwap(&s.busy, nil) {
					return nil
				}
			}
			for t := s.head.Swap(&s.busy); t != &s.busy; {
				t.next, s.ready, t = s.ready, t, t.next
			}
		}
		t := s.ready
		s.ready, t.next = t.next, nil
		if t.state.CompareAndSwap(turnWaits, turnFree) { // ST3
			return t.job
		}
		t.state.Store(turnFree)
	}
}

// cancelBehind ends a job that is behind, and reports whether it did.
func (j *Job) cancelBehind() bool {
	t := j.turn.Load()
	if t == nil || !t.state.CompareAndSwap(turnWaits, turnCanceled) { // ST3
		return false
	}
	j.set(settling)
	j.finish(ErrCanceled)
	t.strand.pool.settle()
	return true
}

// awaitTurn is Wait's part for a job that is behind. It returns when the wait has to look again: the channel is closed
// when the turn has passed. If the caller relies on nobody else, awaitTurn runs the holder, which it reports by ran.
// yields says that the holder may be between two turns of RunUntil.
func (j *Job) awaitTurn(ctx context.Context) (era <-chan struct{}, ran, yields bool) {
	p := j.pool
	era = p.classes[ordinary].thisEra() // E2: until Close only the ordinary class changes
	nested := withinJob()
	// The holder may be of any class.
	served := p.classOf[0].want.Load() > 0 && p.classOf[numLanes-1].want.Load() > 0
	if served && !nested && ctx != nil && ctx.Done() != nil {
		return era, j.at() != behind, false
	}
	s := j.turn.Load().strand
	c := s.passed.Load()
	for c == nil {
		made := make(chan struct{})
		s.passed.CompareAndSwap(nil, &made)
		c = s.passed.Load()
	}
	if ctx != nil && ctx.Err() != nil {
		return *c, false, false
	}
	ran, yields = s.help(ctx, nested)
	return *c, ran || j.at() != behind, yields
}

// help runs the holder if it is queued. again says to look once more.
func (s *Strand) help(ctx context.Context, nested bool) (again, yields bool) {
	p := s.pool
	h := s.holder.Load()
	if h == nil {
		return false, false // a goroutine has the turn, and is about to give it
	}
	var host *Worker
	if nested {
		host = p.workerHere()
	}
	if !nested || host == nil && !p.inside() { // else the caller's job is counted
		p.enter()
		defer p.leave()
	}
	if !h.look() {
		if h.at() == looking {
			runtime.Gosched()
			return true, false
		}
		for at := range p.lanes {
			if p.continueHere(ctx, h, at) {
				return true, false
			}
			yields = yields || p.lanes[at].extra.Load()&useYielded != 0
		}
		return false, yields
	}
	if t := h.turn.Load(); t == nil || t.strand != s {
		h.pool.putOlder(h.Priority.Lane(), jobItem(h)) // queued for something else: ST4
		return false, false
	}
	at := h.Priority.Lane()
	h.unlook(true)
	if p.state.Load() == gone {
		p.lose(jobItem(h))
		return true, false
	}
	p.runTaken(ctx, h, at, 1, host, nested, nil)
	return true, false
}
