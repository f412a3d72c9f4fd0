package workers

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/mpmc"
	"github.com/frameslice/frameslice/internal/where"
)

// ErrWouldWait says that a pool is full and the caller, the frame goroutine or a job, must not wait.
var ErrWouldWait = errors.New("workers: full, and a frame or a job must not wait")

// Overflow says what a full pool (Options.MaxWaiting) does with a submission.
type Overflow uint8

const (
	// OverflowReject gives ErrFull. It is the default.
	OverflowReject Overflow = iota
	// OverflowWait waits until there is room, or the context of SubmitContext is done. Jobs, and the goroutine that
	// calls BeginFrame, get ErrWouldWait instead. Before the first BeginFrame do not fill a pool without workers.
	OverflowWait
	// OverflowRun runs it on the calling goroutine, which may make a frame late.
	OverflowRun
)

// A limit counts the waiting jobs of a bounded pool: places holds one token for each.
//
//	B1  A submission puts a token into places before its job is visible. Whoever takes a job away from its
//	    state Queued for good (to run, cancel or drop it) takes one token out, once: only one can, and the
//	    job's field limit, which is its alone from then on, says whether there is one.
//	B2  Taking a token out may fail though there are some: while the push at the head is in the middle. Then
//	    it is not waited for, but counted in debt; and whoever has pushed a token, or added to debt, settles:
//	    while there is debt and a token at the head, it takes one off debt and tries to take a token, and if
//	    that fails puts the debt back, and looks again.
//
// No place is lost. Suppose that there is debt, and nobody is about to settle. The goroutine that added to it last,
// for the first time or back, looked for a token at the head after that, and went on until there was none. There
// is a token for each debt, so the push of the one at the head had not set its turn then. After it has, it
// looks at debt, and that comes after the addition: so it is about to settle, a contradiction. Until it does,
// the pool takes so many jobs less. (The first version put the debt back and stopped, without the second look;
// the model found the push that had looked in between.)
type limit struct {
	places  *mpmc.Queue[struct{}]
	policy  Overflow
	debt    atomic.Int64
	refused atomic.Uint64
	frame   atomic.Uint64 // the goroutine that calls BeginFrame
}

func newLimit(o Options) *limit {
	if o.MaxWaiting <= 0 {
		return nil
	}
	return &limit{places: mpmc.New[struct{}](o.MaxWaiting), policy: o.Overflow}
}

// tryAcquire takes a place, or says why not.
func (l *limit) tryAcquire() error {
	err := l.places.TryPush(struct{}{})
	if err == nil && l.debt.Load() != 0 {
		l.settle()
	}
	return err
}

// acquire takes a place, if the policy says so waits for one, or says why not: errNewEra if over, which may be nil, is
// closed first.
func (l *limit) acquire(ctx context.Context, over <-chan struct{}) error {
	err := l.places.TryPush(struct{}{})
	if err == ErrFull && l.policy == OverflowWait {
		if l.mustNotWait() {
			err = ErrWouldWait
		} else {
			err = l.places.Push(mpmc.Wait{Ctx: ctx, Stop: over}, struct{}{})
		}
	}
	if err != nil {
		return err
	}
	if l.debt.Load() != 0 {
		l.settle()
	}
	return nil
}

// release gives a place back. It neither blocks nor waits.
func (l *limit) release() {
	if _, err := l.places.TryPop(); err != nil {
		l.debt.Add(1)
		l.settle()
	}
}

func (l *limit) settle() {
	for d := l.debt.Load(); d > 0 && l.places.Poppable(); d = l.debt.Load() {
		if l.debt.CompareAndSwap(d, d-1) {
			if _, err := l.places.TryPop(); err != nil {
				l.debt.Add(1)
			}
		}
	}
}

// mustNotWait reports whether the caller is the frame goroutine, or within a job, a task or a frame. It may take some
// µs.
func (l *limit) mustNotWait() bool {
	return where.Here() != nil || l.frame.Load() == carrier.Here().Number()
}

// seeFrame remembers who calls BeginFrame.
func (l *limit) seeFrame() {
	if l != nil && l.policy == OverflowWait {
		l.frame.Store(carrier.Here().Number()) // and not where.ID, as it may be another goroutine's later
	}
}

// started gives back the place of a job that has been taken away from its state Queued by the caller.
func (j *Job) started() {
	if l := j.limit; l != nil {
		j.limit = nil
		l.release()
	}
}

// SubmitContext submits j as Submit does. Under Options.MaxWaiting ctx ends the wait of OverflowWait. An error says
// that j was not taken and is as it was: ErrFull, ErrWouldWait, ErrClosed or the cause of ctx.
func (p *Pool) SubmitContext(ctx context.Context, j *Job) error { return p.submitContext(ctx, j, true) }

// submitContext is SubmitContext; if sure is false, Close may drop j though it was taken, which saves some 10 ns.
func (p *Pool) submitContext(ctx context.Context, j *Job, sure bool) error {
	if p.state.Load() != running {
		return ErrClosed
	}
	l := p.limit
	var err error
	if l != nil {
		err = l.tryAcquire()
	}
	if err == ErrFull {
		j.mustBeFit() // before anything waits for it, or counts it
		err = l.acquire(ctx, nil)
	}
	switch {
	case err == nil:
		return p.admit(j, l, sure)
	case err == ErrFull && l.policy == OverflowRun:
		j.prepare(p)
		p.runHere(context.Background(), j, 0, nil)
		return nil
	default:
		if err != ErrClosed { // also when ctx was done before there was room
			l.refused.Add(1)
		}
		return err
	}
}

// admit submits j with a place in l, if l is not nil.
func (p *Pool) admit(j *Job, l *limit, sure bool) error {
	defer func() {
		if l != nil {
			l.release() // it is not taken, or prepare has panicked
		}
	}()
	if sure {
		// Counted as if it ran something (C2): so a Close that comes after the look at the state does not find the pool
		// quiet before j is visible.
		p.restless.Add(awoke)
		defer p.settle()
		if p.state.Load() != running {
			return ErrClosed
		}
	}
	lane := j.prepareWith(p, l)
	l = nil
	p.inject(lane, jobItem(j), false)
	return nil
}

// goBounded is Go on a pool with a limit.
func (p *Pool) goBounded(prio deadline.Priority, f func()) error {
	laneOf(prio)
	j := &function{f: f}
	j.Priority = prio
	j.Job.exec = j
	return p.submitContext(context.Background(), &j.Job, false)
}

// submitBounded is Submit on a pool with a limit.
func (p *Pool) submitBounded(j *Job) {
	if err := p.submitContext(context.Background(), j, false); err != nil {
		j.prepare(p)
		if j.claimFrom(p, nil) {
			if err == ErrClosed {
				p.dropped.Add(1)
			}
			j.finish(err)
		}
	}
}

// submitHeld is Submit for a job that has a place in l, or needs none; or it runs j right here.
func (p *Pool) submitHeld(j *Job, l *limit, here bool) {
	lane := j.prepareWith(p, l)
	switch {
	case p.state.Load() != running:
		p.refuse(j)
	case here:
		p.runHere(context.Background(), j, 0, nil)
	default:
		p.inject(lane, jobItem(j), false)
	}
}

// A function is a Job for what is passed to Go: its panic has no owner.
type function struct {
	Job
	f func()
}

func (j *function) exec(*Worker) { j.f() }

func (j *function) settle(err error) {
	if pe, ok := err.(*PanicError); ok {
		j.pool.unhandled(pe)
	}
}

func (j *function) entry() uintptr { return reflect.ValueOf(j.f).Pointer() }

// refuse ends j, which is Queued and in no queue, unless it has been canceled, and is another pool's now.
func (p *Pool) refuse(j *Job) {
	if j.claimFrom(p, nil) {
		p.dropped.Add(1)
		j.finish(ErrClosed)
	}
}
