package mpmc

import "sync/atomic"

// Places counts what waits, up to a limit: tokens holds one token for each.
//
//	B2  Taking a token out may fail though there are some: while the push at the head is in the middle. Then
//	    it is not waited for, but counted in debt; and whoever has pushed a token, or added to debt, settles:
//	    while there is debt and a token at the head, it takes one off debt and tries to take a token, and if
//	    that fails puts the debt back, and looks again.
//
// No place is lost. Suppose that there is debt, and nobody is about to settle. The goroutine that added to it last,
// for the first time or back, looked for a token at the head after that, and went on until there was none. There
// is a token for each debt, so the push of the one at the head had not set its turn then. After it has, it
// looks at debt, and that comes after the addition: so it is about to settle, a contradiction. Until it does,
// the pool takes so many jobs less. (The first version put the debt back and stopped, without the second look;
// the model found the push that had looked in between.)
type Places struct {
	tokens Queue[struct{}]
	debt   atomic.Int64
}

// NewPlaces returns so many Places.
func NewPlaces(n int) *Places {
	l := new(Places)
	l.tokens.Init(n)
	return l
}

// TryAcquire takes a place, or returns ErrFull, or ErrClosed after Close.
func (l *Places) TryAcquire() error {
	err := l.tokens.TryPush(struct{}{})
	if err == nil && l.debt.Load() != 0 {
		l.settle()
	}
	return err
}

// Acquire is TryAcquire that waits while there is no place.
func (l *Places) Acquire(w Wait) error {
	err := l.tokens.TryPush(struct{}{})
	if err == ErrFull {
		err = l.tokens.Push(w, struct{}{})
	}
	if err == nil && l.debt.Load() != 0 {
		l.settle()
	}
	return err
}

// Release gives a place back. It neither blocks nor waits.
func (l *Places) Release() {
	if _, err := l.tokens.TryPop(); err != nil {
		l.debt.Add(1)
		l.settle()
	}
}

// Close ends the waits, with ErrClosed.
func (l *Places) Close() { l.tokens.Close() }

func (l *Places) settle() {
	for d := l.debt.Load(); d > 0 && l.tokens.Poppable(); d = l.debt.Load() {
		if l.debt.CompareAndSwap(d, d-1) {
			if _, err := l.tokens.TryPop(); err != nil {
				l.debt.Add(1)
			}
		}
	}
}
