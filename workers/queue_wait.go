package workers

import (
	"context"
	"sync"
	"sync/atomic"
)

// How goroutines wait for a Queue.
//
// There is a list of sleepers for each side, pushers and poppers, under a lock; a word asleep, which counts
// both; and for each list a number owed, of sleepers that somebody wants woken. News for poppers is that the
// cell at head is filled, or that the queue is closed and head has reached tail; news for pushers is that the
// cell at tail is free, or that the queue is closed.
//
//	Q1  A cell's turn says whose it is, and in which lap. It only grows.
//	Q2  A push claims a position by moving tail, writes the cell, then sets its turn to filled.
//	Q3  A pop claims a filled position by moving head, reads the cell, then sets its turn to free for the
//	    next lap.
//	Q4  Who has to wait (1) enters the list and is counted in asleep, (2) tries once more, (3) waits for its
//	    token. Whoever wakes it takes it off the list, out of the count, and then leaves the token. If (2)
//	    succeeds, or when a token has come, it tries; and if that fails, it begins again at (1), in front.
//	Q5  Whoever has moved head or tail, after it has set the turn, looks whether anybody is asleep, and then
//	    whether there is news for that side: if so, it wakes one; and all poppers if the news is the end.
//	    Close, after it has set the bit, wakes all.
//	Q6  Who was taken off the list, but gives up or had succeeded by itself, does Q5 in its turn: it hands on.
//	Q7  To wake means to add to owed, and then to pay if the lock can be had at once. Whoever has held the
//	    lock, after it has let go of it, pays too if anything is owed. So no waker waits for a lock.
//
// Every value comes out once. A position is claimed by one successful swap of tail and one of head, which only
// grow, and only by who had found the cell's turn right for that lap. The turn could not have changed between
// that look and the swap: only who moves tail (or head) past this very position changes it. So between claim
// and turn a cell has one owner: its plain accesses do not race, as each claimer has loaded the turn that the
// owner before it stored. Values come out in the order of the swaps of tail, which lie within the calls, and
// the pops in the order of the swaps of head: taking these as the moments at which successful calls happen
// gives the history of a slice, as a pop's swap comes after the push has set the turn, and a push's after the
// pop of the lap before has. A push after the close cannot succeed: the bit makes its swap fail.
//
// No wake-up is lost. Claim: whenever there is news for a side and somebody sleeps there, past its (2),
// somebody is on duty: it has made the news and not yet ended Q5, or has been taken off the list and not tried
// yet, or has added to owed what nobody has paid. Look at how that can come about. News begins when the turn
// of the cell at head (or tail) is set, when head (or tail) moves to a cell whose turn is right already, or
// when the queue is closed; each is an act of somebody who then does Q5. Its look at asleep came after the
// news. Who is not counted then will enter after that, and then (2) sees the news, or it is gone: taken by
// somebody who moved head (or tail), and so is on duty for what follows. Who is counted is woken, unless the
// second look finds no news: then either it is gone, as before, or the cell looked at is not the news any
// more, because head has moved, whose mover is on duty. A waker's duty ends with the addition to owed; then
// either it got the lock and pays, or somebody held it after the addition, and pays after that (Q7). Who pays
// and finds the list empty ends a duty towards nobody. Who is woken tries: if it succeeds, it moves head, and
// is on duty; if it fails there was no news at that moment; if it is not interested any more, Q6. At the end
// nobody has to pass anything on: the bit is set once, and stays, and all who slept are owed a wake-up by who
// set it, or by who moved head to the closed tail. ∎
//
// The claim of a value costs a swap and the look at asleep one load. A try waits for nobody: not for a lock,
// and not for a call that is in the middle of its work.
//
// Beside Go's channel, BenchmarkQueueBesideChannel, two virtual processors that other programs used too, medians
// of nine rounds in turns, ns for each value; x is how often the queue's time goes into the channel's:
//
//	producers x consumers      queue   channel      x queue try  chan try      x
//	1x1, capacity 1              377        98   0.26       550       753   1.37
//	4x4, capacity 1              442        99   0.22       354       411   1.16
//	1x4, capacity 1              391       101   0.26       390       486   1.25
//	4x1, capacity 1              390        97   0.25       476       744   1.56
//	1x1, capacity 64              18        34   1.88        12        35   2.85
//	4x4, capacity 64              19        37   1.97        17        39   2.31
//	1x4, capacity 64              22        37   1.70        16        38   2.47
//	4x1, capacity 64              18        34   1.87        14        37   2.58
//	1x1, capacity 1024            14        31   2.27        11        33   3.09
//	4x4, capacity 1024            17        33   1.98        15        33   2.24
//	1x4, capacity 1024            15        31   2.14        13        32   2.44
//	4x1, capacity 1024            14        32   2.24        11        33   2.89
//
// So where every call has to wait, as at capacity 1, the channel is four times as fast: it hands a value to the
// goroutine that waits for it, which here has to be woken to take it. Giving the processor away once before
// sleeping made that 241 to 392, but on busy processors it puts who waits for one value behind all that is
// runnable, for 10 ms each, which a sleeper is not.
//
// Rejected: a condition variable or a channel of tokens, because then a try takes a lock that a descheduled
// goroutine may hold; handing values to waiters directly, as Go's channels do under their lock, because then a
// value has two ways to go, and each way needs the other's proof.

// everybody, added to owed, wakes all.
const everybody = 1 << 31

// onePopper is what a sleeping popper counts in asleep; a pusher counts one.
const onePopper = 1 << 32

// sleepers is the part of a Queue that does not depend on the type of its values.
type sleepers struct {
	asleep  atomic.Uint64 // pushers in the low half, poppers in the high half
	_       [56]byte
	pushers sleeperList
	poppers sleeperList
}

// A sleeperList is one side's sleepers, the longest waiting first.
type sleeperList struct {
	owed        atomic.Uint32 // how many are to be woken
	mu          sync.Mutex    // for what follows
	first, last *sleeper
	spare       *sleeper // through next
}

// A sleeper is a goroutine that waits, or a spare.
type sleeper struct {
	token      chan struct{} // of capacity one
	next, prev *sleeper
	listed     bool
}

// enter puts x (or a spare) into the list: at its end, or in front if it was there before.
func (s *sleepers) enter(l *sleeperList, x *sleeper) *sleeper {
	l.mu.Lock()
	front := x != nil
	if x == nil {
		if x = l.spare; x != nil {
			l.spare = x.next
			x.next = nil
		} else {
			x = &sleeper{token: make(chan struct{}, 1)}
		}
	}
	x.listed = true
	switch {
	case l.first == nil:
		l.first, l.last = x, x
	case front:
		x.next, l.first.prev = l.first, x
		l.first = x
	default:
		x.prev, l.last.next = l.last, x
		l.last = x
	}
	s.asleep.Add(s.one(l))
	l.mu.Unlock()
	s.pay(l)
	return x
}

// one returns what a sleeper of the list counts in asleep.
func (s *sleepers) one(l *sleeperList) uint64 {
	if l == &s.poppers {
		return onePopper
	}
	return 1
}

// unlink takes x off the list, whose lock the caller holds.
func (s *sleepers) unlink(l *sleeperList, x *sleeper) {
	if x.prev != nil {
		x.prev.next = x.next
	} else {
		l.first = x.next
	}
	if x.next != nil {
		x.next.prev = x.prev
	} else {
		l.last = x.prev
	}
	x.next, x.prev, x.listed = nil, nil, false
	s.asleep.Add(-s.one(l))
}

// leave ends a wait, and makes x a spare. It reports whether x had been woken and has not taken its token: then
// the caller must hand on (Q6).
func (s *sleepers) leave(l *sleeperList, x *sleeper) (woken bool) {
	l.mu.Lock()
	if x.listed {
		s.unlink(l, x)
	} else {
		select {
		case <-x.token:
			woken = true
		default: // taken by wait
		}
	}
	x.next, l.spare = l.spare, x
	l.mu.Unlock()
	s.pay(l)
	return woken
}

// wake sees to it that n sleepers of the list are woken, if there are as many (Q7). It does not wait.
func (s *sleepers) wake(l *sleeperList, n uint32) {
	if n == everybody {
		l.owed.Or(everybody)
	} else {
		l.owed.Add(n)
	}
	s.pay(l)
}

// pay wakes who is owed a wake-up, unless somebody else has the lock, and so does it.
func (s *sleepers) pay(l *sleeperList) {
	for l.owed.Load() != 0 && l.mu.TryLock() {
		for n := l.owed.Swap(0); n > 0 && l.first != nil; n-- {
			x := l.first
			s.unlink(l, x)
			x.token <- struct{}{} // there is room: it was taken before x entered the list
		}
		l.mu.Unlock()
	}
}

// wait waits for the token, and reports false if ctx, which may be nil, was done first.
func (x *sleeper) wait(ctx context.Context) bool {
	if ctx == nil {
		<-x.token
		return true
	}
	select {
	case <-x.token:
		return true
	case <-ctx.Done():
		return false
	}
}

// Push adds v, and waits for room as long as it must: until ctx is done, whose cause it returns, or the queue
// is closed, when it returns ErrClosed. What needs no waiting is done even if ctx is done. A nil ctx is
// context.Background. Never call it on the frame goroutine.
func (q *Queue[T]) Push(ctx context.Context, v T) error {
	if err := q.TryPush(v); err != ErrFull {
		return err
	}
	return q.pushSlow(ctx, v)
}

func (q *Queue[T]) pushSlow(ctx context.Context, v T) error {
	l := &q.pushers
	x := q.enter(l, nil)
	for {
		if err := q.TryPush(v); err != ErrFull {
			return q.end(l, x, err)
		}
		if !x.wait(ctx) {
			return q.end(l, x, context.Cause(ctx))
		}
		if err := q.TryPush(v); err != ErrFull {
			return q.end(l, x, err)
		}
		q.enter(l, x)
	}
}

// Pop takes the oldest value, and waits for one as long as it must: until ctx is done, whose cause it returns,
// or the queue is closed and empty, when it returns ErrClosed. What needs no waiting is done even if ctx is
// done. A nil ctx is context.Background. Never call it on the frame goroutine.
func (q *Queue[T]) Pop(ctx context.Context) (T, error) {
	if v, err := q.TryPop(); err != ErrEmpty {
		return v, err
	}
	return q.popSlow(ctx)
}

func (q *Queue[T]) popSlow(ctx context.Context) (T, error) {
	l := &q.poppers
	x := q.enter(l, nil)
	for {
		if v, err := q.TryPop(); err != ErrEmpty {
			return v, q.end(l, x, err)
		}
		if !x.wait(ctx) {
			var zero T
			return zero, q.end(l, x, context.Cause(ctx))
		}
		if v, err := q.TryPop(); err != ErrEmpty {
			return v, q.end(l, x, err)
		}
		q.enter(l, x)
	}
}

// end ends a wait, hands on a wake-up that was not needed, and returns err.
func (q *Queue[T]) end(l *sleeperList, x *sleeper, err error) error {
	if q.leave(l, x) && q.asleep.Load() != 0 {
		q.tell()
	}
	return err
}
