package workers

import (
	"context"
	"errors"
	"runtime"
	"time"
)

// Wait returns Err when j has finished, or the cause of ctx if ctx is done first. The job must have been submitted, and
// not be submitted again before every Wait has returned.
//
// Wait runs j itself, to its end, if j has not started, ctx is not done, and one of these holds: the caller is in a
// job, no worker serves j's priority, or ctx cannot be done. That takes 0.9 µs and seven small allocations, which
// Seat.Wait saves. In a goroutine or coroutine (iter.Pull) that a job has started, Wait may sleep instead.
func (j *Job) Wait(ctx context.Context) error { return j.waitUnless(ctx, nil, nil) }

// waitUnless is Wait that returns errOver when it would sleep and over, which may be nil, has a token. If it runs j, it
// goes on with rest: see runHere.
func (j *Job) waitUnless(ctx context.Context, over <-chan struct{}, rest []*Job) error {
	var mine *lent[ticket]
	defer func() {
		if mine != nil {
			mine.giveBack()
		}
	}()
	for {
		var era <-chan struct{}    // of those who will begin j, or what it follows: E2
		var again <-chan time.Time // when to look again for j between two turns
		switch j.at() {
		case finished:
			return j.err
		case fresh:
			panic("workers: Wait for a job that was never submitted")
		case queued, moved:
			era = j.pool.classOf[j.Priority.Lane()].thisEra()
			if j.pool.runHere(ctx, j, 1, rest) {
				continue
			}
		case active:
			if j.pool.continueHere(ctx, j) {
				continue
			}
			if j.pool.lanes[j.Priority.Lane()].extra.Load()&useYielded != 0 {
				again = time.After(turnPause)
			}
		case looking:
			// Nobody is called when it becomes queued again, and then it may be for this goroutine to run.
			runtime.Gosched()
			continue
		case following:
			era = j.pool.classOf[j.Priority.Lane()].thisEra()
			if j.ascend(ctx) {
				continue
			}
		}
		if mine == nil {
			mine = j.ticket()
		}
		t := &mine.it
		t.await(j)
		switch err := j.sleep(ctx, t, over, era, again); err {
		case nil:
			t.listed = false
		case errNewEra:
		default:
			return err
		}
	}
}

// sleep waits until t has a token. Or it returns the cause of ctx, errOver if over has a token, or errNewEra because of
// era, of again, or of jobs that are suspended on this worker. All but t may be nil.
func (j *Job) sleep(ctx context.Context, t *ticket, over, era <-chan struct{}, again <-chan time.Time) error {
	var due <-chan struct{}
	if w := j.pool.workerHere(); w != nil {
		if w.suspendFor(ctx, over, waitFor{job: j}) {
			return errNewEra
		}
		w.resumeInner()
		due = w.innerDue
	}
	var ended <-chan struct{}
	if ctx != nil {
		ended = ctx.Done()
	}
	select {
	case <-t.token:
		return nil
	case <-over:
		return errOver
	case <-era:
	case <-again:
	case <-due:
	case <-ended:
		return context.Cause(ctx)
	}
	return errNewEra
}

// errOver says that there is no reason to wait any more. Nobody outside sees it.
var errOver = errors.New("workers: over")

// turnPause is after how long Wait looks again for a job that may have yielded, on a pool without workers. Another
// goroutine may have had the job in its hands, and nobody is told when the job is in its queue again.
const turnPause = time.Millisecond
