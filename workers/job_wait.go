package workers

import (
	"context"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/internal/freelist"
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
	var mine *freelist.Lent[ticket]
	defer func() {
		if mine != nil {
			mine.GiveBack()
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
		t := &mine.It
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

// turnPause is after how long Wait looks again for a job that may have yielded, on a pool without workers. Another
// goroutine may have had the job in its hands, and nobody is told when the job is in its queue again.
const turnPause = time.Millisecond

// ascend is Wait's part for a follower. If nobody else might do it, or the caller may be the only worker, it runs or
// awaits what the follower waits for, from the beginning of the chain. It reports whether to look at the follower's
// state again.
func (j *Job) ascend(ctx context.Context) bool {
	if j.pool.classOf[j.Priority.Lane()].want.Load() > 0 && !withinJob() {
		return false
	}
	path := []*Job{j}
	for at := j; at != nil && at.at() == following; {
		if at = at.exec.(follower).source(); at != nil {
			path = append(path, at)
		}
	}
	mine := j.ticket() // j may be canceled, or a link on the way to it
	defer mine.GiveBack()
	over := &mine.It
	over.await(j)
	if w := j.pool.workerHere(); w != nil && w.top != nil {
		j.notify(w.wakeOuter) // it may be suspended
	}
	for i := len(path) - 1; i > 0; i-- {
		up, k := path[i], path[i-1]
		if err := up.waitUnless(ctx, over.token, path[:i]); err == errOver {
			over.listed = false
			return true
		}
		if up.at() != finished {
			return j.at() == finished // else ctx is done
		}
		if _, ended := k.exec.(follower).follow(false); ended != nil {
			ended.wake(nil)
		}
	}
	return true
}

// A ticket wakes a goroutine that sleeps in Job.Wait: it is a waiter (J1) that leaves a token. A wait that its context
// has ended cannot take its waiter off the job's list, so it leaves the ticket there for the next wait. A job keeps its
// tickets: as many as the most waits that it had at once.
//
// The tickets of a job are a free list (V2, V3), so each is one waiter's at a time.
//
//	J5  The holder of a ticket enlists its waiter, unless that has been done since its token was last taken out. It
//	    looks at the job's state again when it has taken the token.
//
// So no waiter is in a list twice: its token comes when it has been taken off the list, and called, after which nobody
// who calls waiters touches it any more. And nobody sleeps over a job that has finished. If the waiter has been
// enlisted and is not in the list, somebody is about to leave the token, or has. A token that comes from an earlier run
// has the waiter enlisted again (model_ticket_test.go).
type ticket struct {
	waiter
	token  chan struct{}
	listed bool // the owner's: enlisted since the token was last taken out
}

// ticket returns a ticket of j that is the caller's until GiveBack.
func (j *Job) ticket() *freelist.Lent[ticket] {
	if l := j.tickets.Free(); l != nil {
		return l
	}
	l := &freelist.Lent[ticket]{It: ticket{token: make(chan struct{}, 1)}}
	l.It.f = l.It.ring
	return j.tickets.Add(l)
}

// ring leaves the token.
func (t *ticket) ring() {
	select {
	case t.token <- struct{}{}:
	default:
	}
}

// await sees to it that the token comes when j has finished, or before.
func (t *ticket) await(j *Job) {
	if t.listed {
		select {
		case <-t.token:
		default:
			return
		}
	}
	t.listed = true
	j.enlist(&t.waiter)
}
