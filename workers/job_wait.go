package workers

import (
	"context"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/latch"
	"github.com/frameslice/frameslice/internal/park"
)

// Wait returns Err when j has finished, or the cause of ctx if ctx is done first. The job must have been submitted, and
// not be submitted again before every Wait has returned.
//
// Wait runs j itself, to its end, if j has not started, ctx is not done, and one of these holds: the caller is in a
// job, no worker serves j's priority, or ctx cannot be done. That takes 0.9 µs and seven small allocations. Otherwise a
// job that waits for one of its own pool counts as one within Worker.Blocking. In a goroutine or coroutine (iter.Pull)
// that a job has started, Wait may sleep instead.
func (j *Job) Wait(ctx context.Context) error {
	err := await(ctx, j.pool, &j.latch, func() (latch.Verdict, park.Event) { return j.lookAtJob(ctx) })
	if err != nil {
		return err
	}
	return j.err
}

// lookAtJob runs j if nobody has begun it and Wait says so. The event comes when the workers go that j relies on (E2).
func (j *Job) lookAtJob(ctx context.Context) (latch.Verdict, park.Event) {
	ran := false
	var unstaffed park.Event
	switch j.at() {
	case finished:
		return latch.WaitOver, park.Event{}
	case fresh:
		panic("workers: Wait for a job that was never submitted")
	case queued:
		unstaffed = j.lane().class.whenUnstaffed()
		ran = j.pool.runHere(ctx, j)
	case active:
		ran = j.pool.continueHere(ctx, j, j.Priority.Lane())
	case apart:
		k, ok := j.exec.(chained)
		if !ok {
			break
		}
		c := j.lane().class
		unstaffed = c.whenUnstaffed()
		if c.want.Load() > 0 && !withinJob() {
			break
		}
		if src := k.source(); src != nil {
			v, change := src.lookAtJob(ctx)
			if v == latch.WaitOver { // the end of src calls follow, which wakes this goroutine
				v = latch.MustSleep
			}
			return v, change
		}
		return latch.LookAgain, park.Event{}
	case looking:
		// No sleeper is woken when j becomes queued again, and then this goroutine may have to run j.
		atomic.Gosched()
		return latch.LookAgain, park.Event{}
	}
	if ran {
		return latch.LookAgain, park.Event{}
	}
	return latch.MustSleep, unstaffed
}

// A chained is a link, seen without type parameters.
type chained interface {
	source() *Job // nil when the link has ended
}
