package workers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// What does not come right after a node may be running, or have run, when that says to skip it: so it would be skipped
// in some runs, and in others not.
func TestSkipOfWhatDoesNotComeRightAfter(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer p.Close(context.Background())
	for name, pick := range map[string]func(a, b, c, other *workers.Node) *workers.Node{
		"itself":           func(a, _, _, _ *workers.Node) *workers.Node { return a },
		"two further on":   func(_, _, c, _ *workers.Node) *workers.Node { return c },
		"another Graph's":  func(_, _, _, other *workers.Node) *workers.Node { return other },
		"none":             func(_, _, _, _ *workers.Node) *workers.Node { return nil },
		"(it may skip it)": func(_, b, _, _ *workers.Node) *workers.Node { return b },
	} {
		var g, h workers.Graph
		ran := 0
		count := func(*workers.Worker) error { ran++; return nil }
		var a, b, c *workers.Node
		other := h.Add("other", count)
		a = g.Add("a", func(*workers.Worker) error { a.Skip(pick(a, b, c, other)); return nil })
		b = g.Add("b", count, a)
		c = g.Add("c", count, b)
		failed, _ := panicOf(func() {
			if err := g.Run(context.Background(), p); err != nil {
				t.Error(name, err)
			}
		}).(*workers.PanicError)
		right := name == "(it may skip it)"
		if right != (failed == nil) || ran != 0 {
			t.Errorf("%s: %v; %d nodes run", name, failed, ran)
		}
		if !right && failed != nil && failed.Value != "workers: Skip of a Node that does not come right after" {
			t.Errorf("%s: %v", name, errors.Unwrap(failed))
		}
	}
}
