package workers_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// Misuse of a Group is said of the Group.
func TestGroupMisuseNamesTheGroup(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	g := p.NewGroup(context.Background(), workers.GroupOptions{})
	got := func(f func(context.Context) error) any { return panicOf(func() { g.Go(f) }) }
	if v := got(nil); v != "workers: Group.Go of a nil function" {
		t.Errorf("nil: %v", v)
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if v := got(func(context.Context) error { return nil }); v != "workers: Go on a Group that has ended" {
		t.Errorf("ended: %v", v)
	}
}
