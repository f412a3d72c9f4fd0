package mpmc

import "sync/atomic"

// Places lends places up to a limit. A try is exact: it fails if and only if all places are taken at that moment.
//
//	B2  used is the number of places taken, and the bit placesClosed. TryAcquire adds one by compare-and-swap of a
//	    number below the limit. Release takes one off, looks whether anybody is asleep, and then whether there is a
//	    place. If so it wakes one sleeper. Close sets the bit, and then wakes all.
//
// A goroutine that waits for a place does so by Q4, and hands a wake-up on by Q6 and Q7. No wake-up is lost. Only
// Release and Close make news for a sleeper. A sleeper that Release does not see enters the list after that look, and
// then tries once more, after the place was given back. A sleeper that Release sees is woken, unless another goroutine
// has taken the place. That goroutine gives the place back later, and looks again.
//
// Rejected: a token in a Queue for each place. A goroutine that loses its processor in the middle of a push or a pop
// then makes others find no place, with only three of a hundred taken.
type Places struct {
	limit int64
	_     [56]byte
	used  atomic.Int64
	_     [56]byte
	sleepers
}

// placesClosed is the bit of Places.used that ends the intake. It is above every limit.
const placesClosed = 1 << 62

// NewPlaces returns Places with the limit n.
func NewPlaces(n int) *Places { return &Places{limit: int64(n)} }

// TryAcquire takes a place, or returns ErrFull, or ErrClosed after Close.
func (l *Places) TryAcquire() error {
	for {
		n := l.used.Load()
		switch {
		case n >= placesClosed:
			return ErrClosed
		case n >= l.limit:
			return ErrFull
		case l.used.CompareAndSwap(n, n+1):
			return nil
		}
	}
}

// Acquire is TryAcquire that waits while there is no place.
func (l *Places) Acquire(w Wait) error {
	err := l.TryAcquire()
	if err != ErrFull {
		return err
	}
	wait := l.await(&l.pushers, w, l.tell, func() bool {
		err = l.TryAcquire()
		return err != ErrFull
	})
	if wait != nil {
		return wait
	}
	return err
}

// Release gives a place back. It neither blocks nor waits.
func (l *Places) Release() {
	l.used.Add(-1)
	l.tell()
}

// tell wakes a sleeper if there is a place.
func (l *Places) tell() {
	if l.asleep.Load() != 0 && l.used.Load() < l.limit {
		l.wake(&l.pushers, 1)
	}
}

// Close ends the intake, also for goroutines that wait.
func (l *Places) Close() {
	l.used.Or(placesClosed)
	l.wake(&l.pushers, All)
}
