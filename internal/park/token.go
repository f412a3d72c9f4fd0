//go:build !explore

package park

import (
	"context"
	"time"
)

// A Token is a Parker without a file, whose sleeper may also give up.
type Token struct{ c chan struct{} }

// NewToken returns a Token that is not there.
func NewToken() Token { return Token{make(chan struct{}, 1)} }

// Post leaves the token, unless it is there. Any goroutine.
func (t Token) Post() {
	select {
	case t.c <- struct{}{}:
	default:
	}
}

// Wait returns at once if the token is there, or as soon as it is, and takes it.
func (t Token) Wait() { <-t.c }

// Take takes the token, and reports whether it was there.
func (t Token) Take() bool {
	select {
	case <-t.c:
		return true
	default:
		return false
	}
}

// WaitFor waits for the token, which it takes, or for the timer. It reports whether it took the token.
func (t Token) WaitFor(timer *time.Timer) bool {
	select {
	case <-t.c:
		return true
	case <-timer.C:
		return false
	}
}

// WaitOr waits until the token is there, which it takes, until changed has come, or until ctx is done, whose cause it
// returns. If several have come, any may win. A zero Event never comes, and a nil ctx never ends. It reports whether it
// took the token.
func (t Token) WaitOr(ctx context.Context, changed Event) (took bool, err error) {
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	select {
	case <-t.c:
		return true, nil
	case <-changed.c:
		return false, nil
	case <-done:
		return false, context.Cause(ctx)
	}
}
