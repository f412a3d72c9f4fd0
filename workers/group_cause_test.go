package workers_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A *PanicError that a function returns, because what it waited for panicked, is an error like any other: nothing of
// this scope has panicked.
func TestAReturnedPanicErrorIsAnError(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		_, far := workers.Submit(p, deadline.Normal, func() (int, error) { panic("far away") }).Wait(background)
		if _, ok := far.(*workers.PanicError); !ok {
			t.Fatalf("the error of a future that panicked is %v", far)
		}
		returns := func(context.Context) error { return far }
		if err := p.Scope(background, func(*workers.Scope) error { return far }); err != far {
			t.Errorf("returned by a scope's body: %v", err)
		}
		err := p.Scope(background, func(s *workers.Scope) error { s.Go(returns); return nil })
		if err != far {
			t.Errorf("returned by a scope's function: %v", err)
		}
		g := p.NewGroup(background, workers.GroupOptions{})
		g.Go(returns)
		if err := g.Wait(); err != far {
			t.Errorf("returned by a group's function: %v", err)
		}
	})
}
