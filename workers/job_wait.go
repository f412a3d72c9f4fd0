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
// job, no worker serves j's priority, or ctx cannot be done. That takes 0.9 µs and seven small allocations. In a
// goroutine or coroutine (iter.Pull) that a job has started, Wait may sleep instead.
func (j *Job) Wait(ctx context.Context) error { return j.waitUnless(ctx, nil) }

// waitUnless is Wait, except that it returns errOver when it would sleep and over has a token. over may be nil.
func (j *Job) waitUnless(ctx context.Context, over <-chan struct{}) error {
	var mine *freelist.Lent[ticket]
	defer func() {
		if mine != nil {
			mine.GiveBack()
		}
	}()
	for {
		var era <-chan struct{}    // of the workers that will begin j, E2
		var again <-chan time.Time // when to look again for j between two turns
		switch j.at() {
		case finished:
			return j.err
		case fresh:
			panic("workers: Wait for a job that was never submitted")
		case queued:
			era = j.pool.classOf[j.Priority.Lane()].thisEra()
			if j.pool.runHere(ctx, j) {
				continue
			}
		case active:
			if j.pool.continueHere(ctx, j, j.Priority.Lane()) {
				continue
			}
			if j.pool.lanes[j.Priority.Lane()].extra.Load()&useYielded != 0 {
				again = time.After(turnPause)
			}
		case apart:
			if k, ok := j.exec.(chained); ok {
				era = j.pool.classOf[j.Priority.Lane()].thisEra()
				switch again, err := k.awaitSource(ctx, over); {
				case err != nil:
					return err
				case again:
					continue
				}
			}
		case looking:
			// No waiter is called when j becomes queued again, and then this goroutine may have to run j.
			runtime.Gosched()
			continue
		}
		if mine == nil {
			mine = j.ticket()
		}
		t := &mine.It
		t.await(j)
		switch err := t.sleep(ctx, over, era, again); err {
		case nil:
			t.listed = false
		case errNewEra:
		default:
			return err
		}
	}
}

// A chained is a link, seen without type parameters.
type chained interface {
	// awaitSource is Job.Wait's part for a link in the state apart. It reports whether to look at the state again, or
	// else to sleep. over is that of waitUnless, and so is the error errOver.
	awaitSource(ctx context.Context, over <-chan struct{}) (again bool, err error)
}

// sleep waits until t has a token. If ctx is done first, it returns the cause of ctx, and if over has a token, errOver.
// It returns errNewEra when the caller has to look again, because of era or of again. All arguments may be nil.
func (t *ticket) sleep(ctx context.Context, over, era <-chan struct{}, again <-chan time.Time) error {
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
	case <-ended:
		return context.Cause(ctx)
	}
	return errNewEra
}

// turnPause is how long Wait sleeps before it looks again for a job that may have yielded in RunUntil. The job may be
// in another goroutine's hands, and no waiter is called when it is back in its queue.
const turnPause = time.Millisecond

// A ticket wakes a goroutine that sleeps in Job.Wait: it is a waiter (J1) that leaves a token. A wait that its context
// has ended cannot take its waiter off the job's list, so it leaves the ticket there for the next wait. A job keeps its
// tickets: as many as the most waits that it had at once.
//
// The tickets of a job are a free list (V2, V3), so each is one waiter's at a time.
//
//	J5  The holder of a ticket enlists its waiter, unless that has been done since its token was last taken out. It
//	    looks at the job's state again when it has taken the token.
//
// So no waiter is in a list twice. Its token comes when the waiter has been taken off the list and called, and after
// that no goroutine that calls waiters touches it any more. And no wait sleeps over a job that has finished. If the
// waiter has been enlisted and is not in the list, a goroutine has left the token or is about to. A token that comes
// from an earlier run has the waiter enlisted again (model_ticket_test.go).
type ticket struct {
	waiter
	token  bell
	listed bool // enlisted since the token was last taken out; only the holder uses it
}

// ticket returns a ticket of j that is the caller's until GiveBack.
func (j *Job) ticket() *freelist.Lent[ticket] {
	if l := j.tickets.Free(); l != nil {
		return l
	}
	l := &freelist.Lent[ticket]{It: ticket{token: newBell()}}
	l.It.f = l.It.token.ring
	return j.tickets.Add(l)
}

// await enlists the ticket, if need be, so that the token comes when j has finished, or before.
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
