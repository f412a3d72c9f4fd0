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

// WaitOr asks ctx, whose Err must be a step. No program has a channel to close.
func (t Token) WaitOr(ctx context.Context, _ <-chan struct{}) (took bool, err error) {
	for {
		if ctx == nil || ctx == context.Background() { // which nobody can end
			t.Wait()
			return true, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if t.Take() {
			return true, nil
		}
		explore.Yield()
	}
}
