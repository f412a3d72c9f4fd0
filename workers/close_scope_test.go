package workers_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// The caller of a Scope, and of a Group's Wait, is no job: it has run one, sleeps until the other has ended, and that
// one closes the pool.
func TestCloseWhileACallerOfAScopeSleeps(t *testing.T) {
	needsWorkers(t)
	for _, name := range []string{"Scope", "Group"} {
		bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
			begun, helped := make(chan struct{}), make(chan struct{})
			closes := func(context.Context) error {
				close(begun)
				<-helped
				return p.Close(background)
			}
			helps := func(context.Context) error {
				<-begun // the worker is within the other one: so this is the caller
				close(helped)
				return nil
			}
			var err error
			if name == "Scope" {
				err = p.Scope(background, func(s *workers.Scope) error {
					s.Go(closes)
					<-begun
					s.Go(helps)
					return nil
				})
			} else {
				g := p.NewGroup(background, workers.GroupOptions{})
				g.Go(closes)
				<-begun
				g.Go(helps)
				err = g.Wait()
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
