package par_test

import (
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers/par"
)

// Misuse panics in the caller with the name of the call, also where there is nothing to do.
func TestMisusePanicsWithItsName(t *testing.T) {
	p := open(t, none)
	cmp, stream, strand := func(a, b int) int { return a - b }, par.NewStream[int](p, 0, 0), par.NewStrand(p)
	var g, other, running par.Graph
	foreign := other.Add("foreign", nop)
	within := func(f func()) func() { // a run of a graph
		return func() {
			var v any
			running.Add("a", func() error { v = testkit.Recovered(f); return nil })
			must(running.Run(background, p))
			panic(v)
		}
	}
	for want, f := range map[string]func(){
		"Map of a nil function":                    func() { par.Map[int, int](p, nil, nil, nil) },
		"Map with a nil Looper":                    func() { par.Map(nil, nil, nil, func(int) int { return 0 }) },
		"Reduce of a nil function":                 func() { par.Reduce(p, 0, 0, cmp, nil) },
		"Reduce with a nil Looper":                 func() { par.Reduce(nil, 0, 0, cmp, cmp) },
		"NewStrand with a nil Pool":                func() { par.NewStrand(nil) },
		"Strand.Go of a nil function":              func() { strand.Go(0, nil) },
		"Strand.Go with an invalid Priority(98)":   func() { strand.Go(98, func() {}) },
		"NewStream with a nil Pool":                func() { par.NewStream[int](nil, 0, 0) },
		"NewStream with an invalid Priority(99)":   func() { par.NewStream[int](p, 99, 0) },
		"NewStream with a window of 1048577, more": func() { par.NewStream[int](p, 0, 1<<20+1) },
		"Stream.TrySubmit of a nil function":       func() { _ = stream.TrySubmit(nil) },
		"Stream.Submit of a nil function":          func() { _ = stream.Submit(background, nil) },
		"Graph.Add of a nil function":              func() { g.Add("a", nil) },
		"a Node after one of another Graph":        func() { g.Add("a", nop, foreign) },
		"Graph.Run with a nil Looper":              func() { _ = g.Run(background, nil) },
		"Add on a Graph that is running":           within(func() { running.Add("x", nop) }),
		"Run of a Graph that is running":           within(func() { _ = running.Run(background, p) }),
	} {
		if got := testkit.PanicOf(f); !strings.HasPrefix(got, "par: "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
