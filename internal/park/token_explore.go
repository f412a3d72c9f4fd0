//go:build explore

package park

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A Token is a word in place of a channel.
type Token struct{ there *atomic.Bool }

// NewToken returns a Token that is not there.
func NewToken() Token { return Token{new(atomic.Bool)} }

// Post leaves the token.
func (t Token) Post() { t.there.Store(true) }

// Take takes the token, and reports whether it was there.
func (t Token) Take() bool { return t.there.CompareAndSwap(true, false) }

// Wait waits for the token, and takes it.
func (t Token) Wait() {
	for !t.Take() {
		t.there.Await()
	}
}

// WaitFor waits for the token: no time passes in a program.
func (t Token) WaitFor(*time.Timer) bool {
	t.Wait()
	return true
}

// WaitOr asks ctx, whose Err must be a step if it may be done.
func (t Token) WaitOr(ctx context.Context, changed Event) (took bool, err error) {
	if (ctx == nil || ctx == context.Background()) && changed.there == nil {
		t.Wait()
		return true, nil
	}
	for {
		if ctx != nil {
			if err = ctx.Err(); err != nil {
				return false, err
			}
		}
		switch {
		case t.Take():
			return true, nil
		case changed.IsSet():
			return false, nil
		}
		explore.Yield()
	}
}
