package frame_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
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

// An end that comes together with a fault is no clean end, however the two are joined: the fault would be lost.
func TestRunReturnsAFaultThatIsJoinedWithAnEnd(t *testing.T) {
	disk, stop := errors.New("disk full"), frame.ErrStop
	quit := fmt.Errorf("quit: %w", errors.New("by the player"))
	for name, c := range map[string]struct {
		end   func(ctx context.Context) error
		clean bool
	}{
		"ErrStop and a fault":    {func(context.Context) error { return errors.Join(disk, stop) }, false},
		"a fault, then ErrStop":  {func(context.Context) error { return fmt.Errorf("%w: %w", stop, disk) }, false},
		"the context's, a fault": {func(c context.Context) error { return errors.Join(c.Err(), disk) }, false},
		"the cause and a fault":  {func(c context.Context) error { return errors.Join(disk, context.Cause(c)) }, false},
		"deep": {func(c context.Context) error {
			return fmt.Errorf("a: %w", errors.Join(c.Err(), fmt.Errorf("b: %w", errors.Join(stop, disk))))
		}, false},
		"a panic with ErrStop":  {func(context.Context) error { return &scheduler.PanicError{Value: stop} }, false},
		"a list of its own":     {func(c context.Context) error { return list{c.Err(), disk} }, false},
		"wrapped ErrStop":       {func(context.Context) error { return fmt.Errorf("menu: %w", stop) }, true},
		"both ends":             {func(c context.Context) error { return errors.Join(c.Err(), stop) }, true},
		"a cause that wraps":    {func(c context.Context) error { return fmt.Errorf("x: %w", context.Cause(c)) }, true},
		"the context's, a list": {func(c context.Context) error { return list{c.Err(), c.Err()} }, true},
	} {
		bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
			ctx, cancel := context.WithCancelCause(context.Background())
			var end error
			got := l.Run(ctx, func() error {
				cancel(quit)
				end = c.end(ctx)
				return end
			})
			if c.clean && got != nil || !c.clean && fmt.Sprint(got) != end.Error() {
				t.Errorf("%s: Run returned %v", name, got)
			}
		})
	}
}

// list is an error that cannot be compared.
type list []error

func (l list) Error() string   { return errors.Join(l...).Error() }
func (l list) Unwrap() []error { return l }
