package workers

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/internal/freelist"
)

// Every goroutine that waits for a job, for a Group or for the end of a pool does so in await. It runs what the wait
// needs and nobody has begun. Otherwise it sleeps, and while a job sleeps another worker takes its worker's place, as
// within Blocking. Joins are different: a joiner runs forks of its thief meanwhile (fork.go).

// A verdict is what a goroutine has found that waits.
type verdict uint8

const (
	mustSleep verdict = iota // there is nothing to do but to sleep
	lookAgain                // it has done something, and has to look again
	waitOver                 // the wait is over
)

// await returns nil when look says that the wait is over, or the cause of ctx if ctx, which may be nil, is done first.
// A goroutine that changes what look finds wakes the sleepers of l afterwards, or closes the channel that look
// returned.
func await(ctx context.Context, p *Pool, l *latch, look func() (verdict, <-chan struct{})) error {
	var ended <-chan struct{}
	if ctx != nil {
		ended = ctx.Done()
	}
	var mine *freelist.Lent[ticket]
	defer func() {
		if mine != nil {
			mine.GiveBack()
		}
	}()
	for {
		v, changed := look()
		switch {
		case v == waitOver:
			return nil
		case v == lookAgain:
			continue
		}
		lent := mine == nil
		if lent {
			mine = l.ticket()
		}
		t := &mine.It
		if t.enlist(l) || lent {
			continue // as J1 and J5 ask
		}
		select { // no spare is needed for no sleep
		case <-t.token:
			t.listed = false
			continue
		case <-changed:
			continue
		case <-ended:
			return context.Cause(ctx)
		default:
		}
		spare := p.lendPlace(l)
		var later time.Duration // see seed.go
		if p.dice != nil {
			later = p.dice.Later()
		}
		select {
		case <-t.token:
			t.listed = false
		case <-changed:
		case <-ended:
			spare.takeBack()
			return context.Cause(ctx)
		}
		if later > 0 {
			time.Sleep(later)
		}
		spare.takeBack()
	}
}

// lendPlace begins a sleep within await. It lends the place of the worker on whose goroutine the caller is, if any. A
// Close in a job keeps the place: its worker has nothing to run that the Close does not run itself, and the end of the
// spare would wake the Close again and again. A job of SubmitWaiting may have a spare already: see waits.
func (p *Pool) lendPlace(l *latch) loan {
	if l == &p.closers || !withinJob() {
		return loan{}
	}
	if w := p.workerHere(); w != nil && w.waiting.Load() == 0 {
		return w.lend()
	}
	return loan{}
}

// A latch is where goroutines sleep until what they wait for changes: a job, a Group, or the pool for Close.
//
// J1 holds for a latch as for the callbacks of a job: whatever a waiter looks at is changed before the sleepers are
// taken off the latch, and a waiter enlists before it looks again.
//
//	J5  The holder of a ticket enlists it, unless that has been done since its token was last taken out. The holder
//	    looks again when it has taken the token. A new holder always looks again, because the ticket may have been
//	    enlisted since the holder looked: too late for the change that the holder waits for.
//
// So no ticket is in a list twice. Its token comes when the ticket has been taken off the list, and after that no
// goroutine that wakes sleepers touches it any more. And no waiter sleeps over something that has ended. If the ticket
// has been enlisted and is not in the list, a goroutine has left the token or is about to. A token that comes for an
// earlier change, or from an earlier run, has the ticket enlisted again (model_ticket_test.go).
type latch struct {
	sleepers atomic.Pointer[ticket]
	tickets  freelist.List[ticket]
}

// A ticket wakes one goroutine. A wait that its context has ended cannot take its ticket off the list, so it leaves the
// ticket there for the next wait. A latch keeps its tickets: as many as the most waits that it had at once. They are a
// free list (V2, V3), so each is one waiter's at a time.
type ticket struct {
	token  chan struct{} // it keeps one token, so a goroutine that is not asleep yet does not miss it
	next   *ticket
	listed bool // enlisted since the token was last taken out; only the holder uses it
}

// ticket returns a ticket that is the caller's until GiveBack.
func (l *latch) ticket() *freelist.Lent[ticket] {
	if t := l.tickets.Free(); t != nil {
		return t
	}
	return l.tickets.Add(&freelist.Lent[ticket]{It: ticket{token: make(chan struct{}, 1)}})
}

// enlist puts the ticket into the list, unless it is there, and reports whether it did.
func (t *ticket) enlist(l *latch) bool {
	if t.listed {
		select {
		case <-t.token:
		default:
			return false
		}
	}
	t.listed = true
	for {
		t.next = l.sleepers.Load()
		if l.sleepers.CompareAndSwap(t.next, t) {
			return true
		}
	}
}

// wakeSleepers has every goroutine look again that waits for l.
func (l *latch) wakeSleepers() {
	if l.sleepers.Load() == nil {
		return
	}
	for t := l.sleepers.Swap(nil); t != nil; {
		next := t.next // before the token, as t may be used again as soon as it is there
		select {
		case t.token <- struct{}{}:
		default:
		}
		t = next
	}
}
