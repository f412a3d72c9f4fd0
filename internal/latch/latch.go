// Package latch lets goroutines wait until what they look at changes.
package latch

import (
	"context"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/freelist"
	"github.com/frameslice/frameslice/internal/park"
)

// A Verdict is what a goroutine has found that waits.
type Verdict uint8

const (
	MustSleep Verdict = iota // there is nothing to do but to sleep
	LookAgain                // it has done something, and has to look again
	WaitOver                 // the wait is over
)

// A Latch is where goroutines sleep until what they wait for changes: a job, a group, or a pool that ends.
//
//	LT1  Whatever a waiter looks at is changed before the sleepers are taken off the latch, and a waiter enlists
//	     before it looks again.
//	LT2  The holder of a ticket enlists it, unless that has been done since its token was last taken out. The holder
//	     looks again when it has taken the token. A new holder always looks again, because the ticket may have been
//	     enlisted since the holder looked: too late for the change that the holder waits for.
//
// So no ticket is in a list twice. Its token comes when the ticket has been taken off the list, and after that no
// goroutine that wakes sleepers touches it any more. And no waiter sleeps over something that has ended. If the ticket
// has been enlisted and is not in the list, a goroutine has left the token or is about to. A token that comes for an
// earlier change has the ticket enlisted again. The explorer runs all of it, and finds nine mutants (protocol_test.go).
type Latch struct {
	sleepers atomic.Pointer[ticket]
	tickets  freelist.List[ticket]
}

// A ticket wakes one goroutine. A wait that its context has ended cannot take its ticket off the list, so it leaves the
// ticket there for the next wait. A Latch keeps its tickets: as many as the most waits that it had at once. They are a
// free list (V2, V3), so each is one waiter's at a time.
type ticket struct {
	token  park.Token // sticky, so a goroutine that is not asleep yet does not miss it
	next   *ticket
	listed bool // enlisted since the token was last taken out; only the holder uses it
}

// Await returns nil when look says that the wait is over, or the cause of ctx if ctx, which may be nil, is done first.
// A goroutine that changes what look finds calls Wake afterwards, or sets the event that look returned, which may be
// zero. Await calls before when it is about to sleep, and after when it has slept.
func (l *Latch) Await(
	ctx context.Context, look func() (v Verdict, changed park.Event), before, after func(),
) error {
	var mine *freelist.Lent[ticket]
	defer func() {
		if mine != nil {
			mine.GiveBack()
		}
	}()
	for {
		v, changed := look()
		switch {
		case v == WaitOver:
			return nil
		case v == LookAgain:
			continue
		}
		lent := mine == nil
		if lent {
			mine = l.ticket()
		}
		if mine.It.enlist(l) || lent {
			continue // as LT1 and LT2 ask
		}
		if err := mine.It.sleep(ctx, changed, before, after); err != nil {
			return err
		}
	}
}

// ticket returns a ticket that is the caller's until GiveBack.
func (l *Latch) ticket() *freelist.Lent[ticket] {
	if t := l.tickets.Free(); t != nil {
		return t
	}
	return l.tickets.Add(&freelist.Lent[ticket]{It: ticket{token: park.NewToken()}})
}

// enlist puts the ticket into the list, unless it is there, and reports whether it did.
func (t *ticket) enlist(l *Latch) bool {
	if t.listed && !t.token.Take() {
		return false
	}
	t.listed = true
	for {
		t.next = l.sleepers.Load()
		if l.sleepers.CompareAndSwap(t.next, t) {
			return true
		}
	}
}

// sleep returns when the token or changed has come, or with the cause of ctx.
func (t *ticket) sleep(ctx context.Context, changed park.Event, before, after func()) (err error) {
	took := t.token.Take()
	switch {
	case took || changed.IsSet():
	case ctx != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	default:
		before()
		took, err = t.token.WaitOr(ctx, changed)
		after()
	}
	t.listed = t.listed && !took
	return err
}

// Wake has every goroutine look again that waits.
func (l *Latch) Wake() {
	if l.sleepers.Load() == nil {
		return
	}
	for t := l.sleepers.Swap(nil); t != nil; {
		next := t.next // before the token, as t may be used again as soon as it is there
		t.token.Post()
		t = next
	}
}
