package frame_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/frame"
)

// A frame that runs something under Run's context, as a graph, ends with its error when it ends in the frame, and
// otherwise Run sees it first: what Run returns must not depend on that. Another error is one all the same.
func TestRunWhoseFunctionReturnsItsContextsError(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		odd := errors.New("odd")
		for _, c := range []struct{ cause, end error }{
			{nil, nil}, {odd, nil}, {nil, context.Canceled}, {odd, context.Canceled}, {odd, odd},
		} {
			ctx, cancel := context.WithCancelCause(context.Background())
			got := l.Run(ctx, func() error {
				cancel(c.cause)
				if c.end == nil {
					return context.Cause(ctx)
				}
				return fmt.Errorf("graph: %w", c.end)
			})
			if got != nil {
				t.Errorf("cause %v, end %v: %v", c.cause, c.end, got)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		other := fmt.Errorf("a load: %w", context.Canceled)
		if got := l.Run(ctx, func() error { return other }); got != other {
			t.Errorf("got %v, want %v", got, other)
		}
		if got := l.Run(ctx, func() error { cancel(); return odd }); got != odd {
			t.Errorf("got %v, want %v", got, odd)
		}
	})
}
