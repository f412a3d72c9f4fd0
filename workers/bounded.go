package workers

import (
	"context"
	"reflect"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/mpmc"
	"github.com/frameslice/frameslice/internal/where"
)

// Options.MaxWaiting bounds the jobs that wait. Each has a place (mpmc.Places).
//
//	B1  A submission takes a place before its job is visible. A goroutine that takes a job away from its state queued
//	    for good (to run, cancel or drop it) gives the place back. Only one goroutine can do so. The job's field limit
//	    says whether there is a place, and belongs to that goroutine from then on.

// seeFrame remembers who calls BeginFrame.
func (p *Pool) seeFrame() {
	if p.limit != nil {
		p.frame.Store(carrier.Here().Number()) // where.ID may later be another goroutine's
	}
}

// mustNotWait reports whether the caller is the frame goroutine, or within a job, a task or a frame. It may take some
// µs.
func (p *Pool) mustNotWait() bool {
	return where.Here() != nil || p.frame.Load() == carrier.Here().Number()
}

// awaitPlace waits for a place. It returns ErrFull where the caller must not wait, and errNewEra if over is closed
// first. over may be nil.
func (p *Pool) awaitPlace(ctx context.Context, over <-chan struct{}) error {
	if p.mustNotWait() {
		return ErrFull
	}
	return p.limit.Acquire(mpmc.Wait{Ctx: ctx, Stop: over})
}

// refused counts a submission that a full pool did not take.
func (p *Pool) refused(err error) error {
	if err != ErrClosed { // also when ctx was done before there was room
		p.refusals.Add(1)
	}
	return err
}

// started gives back the place of a job that the caller has taken away from its state queued.
func (j *Job) started() {
	if l := j.limit; l != nil {
		j.limit = nil
		l.Release()
	}
}

// SubmitContext submits j as Submit does, but waits while Options.MaxWaiting jobs wait, until ctx is done. An error
// says that j was not taken and is as it was: ErrClosed, the cause of ctx, or ErrFull. Jobs and the goroutine that
// calls BeginFrame must not wait, and get ErrFull. Before the first BeginFrame do not fill a pool without workers.
func (p *Pool) SubmitContext(ctx context.Context, j *Job) error {
	if p.state.Load() != running {
		return ErrClosed
	}
	if p.limit == nil {
		return p.admit(j, nil, true)
	}
	err := p.limit.TryAcquire()
	if err == ErrFull {
		j.mustBeFit() // a misuse panics before the wait, and is not counted
		err = p.awaitPlace(ctx, nil)
	}
	if err != nil {
		return p.refused(err)
	}
	return p.admit(j, p.limit, true)
}

// submitNow is SubmitContext, but does not wait. Close may drop j although submitNow took it, which saves some 10 ns.
func (p *Pool) submitNow(j *Job) error {
	if p.state.Load() != running {
		return ErrClosed
	}
	if err := p.limit.TryAcquire(); err != nil {
		j.mustBeFit()
		return p.refused(err)
	}
	return p.admit(j, p.limit, false)
}

// admit submits j with a place in l, if l is not nil. If sure is true, Close cannot drop j for want of a look.
func (p *Pool) admit(j *Job, l *mpmc.Places, sure bool) error {
	defer func() {
		if l != nil {
			l.Release() // j is not taken, or prepare has panicked
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
	return p.submitNow(&j.Job)
}

// submitBounded is Submit on a pool with a limit.
func (p *Pool) submitBounded(j *Job) {
	if err := p.submitNow(j); err != nil {
		j.prepare(p)
		if j.claimFrom(p, nil) {
			if err == ErrClosed {
				p.dropped.Add(1)
			}
			j.finish(err)
		}
	}
}

// submitHeld is Submit for a job that has a place in l, or needs none.
func (p *Pool) submitHeld(j *Job, l *mpmc.Places) {
	lane := j.prepareWith(p, l)
	if p.state.Load() != running {
		p.refuse(j)
		return
	}
	p.inject(lane, jobItem(j), false)
}

// A function is a Job for a function that was passed to Go. A panic of it has no owner: see Pool.blame.
type function struct {
	Job
	f func()
}

func (j *function) exec(*Worker) { j.f() }

func (j *function) settle(error) { j.f = nil }

func (j *function) entry() uintptr { return reflect.ValueOf(j.f).Pointer() }

// refuse ends j, which is in the state queued and in no queue, unless somebody has canceled j and submitted it to
// another pool.
func (p *Pool) refuse(j *Job) {
	if j.claimFrom(p, nil) {
		p.dropped.Add(1)
		j.finish(ErrClosed)
	}
}
