//go:build explore

package park

import (
	"context"

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

// WaitFor asks ctx, whose Err must be a step.
func (t Token) WaitFor(ctx context.Context) error {
	for {
		if ctx == nil {
			t.Wait()
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.Take() {
			return nil
		}
		explore.Yield()
	}
}
