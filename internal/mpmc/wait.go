package mpmc

import (
	"context"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/park"
)

// wholeList, passed to wake, wakes every sleeper of a side.
const wholeList = 1 << 31

// onePopper is what a sleeping popper adds to asleep. A pusher adds one.
const onePopper = 1 << 32

// A Side says who waits: goroutines that want room, or goroutines that want a value.
type Side bool

// The sides.
const (
	Pushers Side = false
	Poppers Side = true
)

// sleepers is the part of a Queue that does not depend on the type of its values.
type sleepers struct {
	asleep  atomic.Uint64 // pushers in the low half, poppers in the high half
	_       [56]byte
	pushers sleeperList
	poppers sleeperList
}

// A sleeperList is one side's sleepers, the longest waiting first.
type sleeperList struct {
	due         atomic.Uint32 // how many to wake
	mu          atomic.Mutex  // for what follows
	first, last *sleeper
	spare       *sleeper // unused sleepers, linked by next
}

// A sleeper is a goroutine that waits, or a spare.
type sleeper struct {
	token      park.Token
	next, prev *sleeper
	listed     bool
}

// Push adds v, and waits for room until ctx is done. A nil ctx never ends.
func (q *Queue[T]) Push(ctx context.Context, v T) (err error) {
	wait := q.Await(Pushers, ctx, func() bool {
		err = q.TryPush(v)
		return err != ErrFull
	})
	if wait != nil {
		return wait
	}
	return err
}

// Pop takes the oldest value, and waits for one until ctx is done. A nil ctx never ends.
func (q *Queue[T]) Pop(ctx context.Context) (v T, err error) {
	wait := q.Await(Poppers, ctx, func() bool {
		v, err = q.TryPop()
		return err != ErrEmpty
	})
	if wait != nil {
		return v, wait
	}
	return v, err
}

// Await calls try whenever there may be news for a side, until try returns true. If ctx is done first, Await returns
// its cause. It allocates only if more goroutines wait at a time than ever before.
func (q *Queue[T]) Await(side Side, ctx context.Context, try func() bool) error {
	var err error
	l := q.list(side)
	x := q.enlistSleeper(l, nil)
	for !try() {
		if _, err = x.token.WaitOr(ctx, park.Event{}); err != nil || try() {
			break
		}
		q.enlistSleeper(l, x)
	}
	if q.retireSleeper(l, x) { // a wake-up that was not needed is handed on
		q.Tell()
	}
	return err
}

// Tell does what everybody does for the sleepers after Pass (Q5). One load if nobody sleeps.
func (q *Queue[T]) Tell() {
	if q.asleep.Load() != 0 {
		q.tell()
	}
}

func (q *Queue[T]) tell() {
	asleep := q.asleep.Load()
	if asleep/onePopper != 0 {
		switch {
		case q.poppable():
			q.wake(&q.poppers, 1)
		case q.Drained():
			q.wake(&q.poppers, wholeList)
		}
	}
	if asleep%onePopper != 0 && q.pushable() {
		q.wake(&q.pushers, 1)
	}
}

func (s *sleepers) list(side Side) *sleeperList {
	if side == Poppers {
		return &s.poppers
	}
	return &s.pushers
}

// enlistSleeper puts x (or a spare) into the list: at its end, or in front if it was there before.
func (s *sleepers) enlistSleeper(l *sleeperList, x *sleeper) *sleeper {
	l.mu.Lock()
	front := x != nil
	if x == nil {
		if x = l.spare; x != nil {
			l.spare = x.next
			x.next = nil
		} else {
			x = &sleeper{token: park.NewToken()}
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

// one returns what a sleeper of the list adds to asleep.
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

// retireSleeper ends a wait, and makes x a spare. It reports whether x had been woken and has not taken its token: then
// the caller must hand the wake-up on (Q6).
func (s *sleepers) retireSleeper(l *sleeperList, x *sleeper) (woken bool) {
	l.mu.Lock()
	if x.listed {
		s.unlink(l, x)
	} else {
		woken = x.token.Take() // else Await has
	}
	x.next, l.spare = l.spare, x
	l.mu.Unlock()
	s.pay(l)
	return woken
}

// wake sees to it that n sleepers of the list, if it has as many, are woken (Q7). It does not wait.
func (s *sleepers) wake(l *sleeperList, n uint32) {
	if n == wholeList {
		l.due.Or(wholeList)
	} else {
		l.due.Add(n)
	}
	s.pay(l)
}

// pay wakes as many sleepers as are due, unless another goroutine has the lock: then that goroutine does.
func (s *sleepers) pay(l *sleeperList) {
	for l.due.Load() != 0 && l.mu.TryLock() {
		for n := l.due.Swap(0); n > 0 && l.first != nil; n-- {
			x := l.first
			s.unlink(l, x)
			x.token.Post() // the last token was taken before x entered the list
		}
		l.mu.Unlock()
	}
}
