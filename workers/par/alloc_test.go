package par_test

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

// Nothing allocates in steady state, except that Map does once.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	graph := func(p *workers.Pool) func() {
		var g par.Graph
		var last *par.Node
		for i := range 40 {
			var after []*par.Node
			if i%5 == 4 {
				after = append(after, last)
			}
			last = g.Add(fmt.Sprint(i), nop, after...)
		}
		return func() { must(g.Run(background, p)) }
	}
	for name, c := range map[string]struct {
		o     workers.Options
		most  float64
		round func(p *workers.Pool) func()
	}{
		"a Graph": {none, 0, graph}, "a Graph on workers": {two, 0, graph},
		"a Stream": {none, 0, func(p *workers.Pool) func() {
			runner := bridge.Of(p).Runner(nil)
			t.Cleanup(runner.Close)
			s := par.NewStream[[4]int](p, deadline.Normal, 9) // TryNext keeps one
			f := func(out *[4]int) error { out[0]++; return nil }
			return func() {
				for range 8 {
					must(s.TrySubmit(f))
				}
				runner.RunUntil(deadline.Deadline{})
				for range 8 {
					_, err := s.TryNext()
					must(err)
				}
			}
		}},
		"Map": {none, 1, func(p *workers.Pool) func() {
			src := make([]int, 100)
			return func() { par.Map(p, src, src, func(i int) int { return i }) }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			round := c.round(open(t, c.o))
			for range 20 {
				round()
			}
			if n := testkit.Allocs(100, round); n > c.most {
				t.Errorf("%v allocations", n)
			}
		})
	}
}
