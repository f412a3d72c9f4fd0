package par_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

// Random graphs with random ends against a serial reading of the rules, each run several times.
func TestGraphAgainstItsRules(t *testing.T) {
	pools := []*workers.Pool{open(t, none), workers.New(two), workers.New(low)}
	defer pools[1].Close(background)
	defer pools[2].Close(background)
	rapid.Check(t, func(t *rapid.T) {
		var g par.Graph
		n := rapid.IntRange(1, 25).Draw(t, "n")
		nodes := make([]*par.Node, n)
		after := make([][]int, n)
		fails := make([]bool, n)
		ran := make([]int, n)
		var order atomic.Int32
		at := make([]int32, n)
		for i := range n {
			var preds []*par.Node
			if i > 0 {
				after[i] = rapid.SliceOfN(rapid.IntRange(0, i-1), 0, 3).Draw(t, "after")
			}
			for _, b := range after[i] {
				preds = append(preds, nodes[b])
			}
			fails[i] = rapid.IntRange(0, 9).Draw(t, "fails") == 0
			f := func() error {
				ran[i]++
				at[i] = order.Add(1)
				if fails[i] {
					return fmt.Errorf("failed %d", i)
				}
				return nil
			}
			nodes[i] = g.Add(fmt.Sprint(i), f, preds...)
		}
		want, first := graphRules(after, fails)
		for range 3 {
			clear(ran)
			err := g.Run(background, rapid.SampledFrom(pools).Draw(t, "pool"))
			if fmt.Sprint(err) != first {
				t.Fatalf("Run = %v, want %s", err, first)
			}
			for i := range ran {
				if ran[i] != want[i] {
					t.Fatalf("node %d ran %d times, want %d", i, ran[i], want[i])
				}
				for _, b := range after[i] {
					if ran[i] == 1 && ran[b] == 1 && at[b] > at[i] {
						t.Fatalf("node %d ran before %d", i, b)
					}
				}
			}
		}
	})
}

// graphRules returns how often each node runs, and the error.
func graphRules(after [][]int, fails []bool) (ran []int, first string) {
	n := len(after)
	ran, first = make([]int, n), "<nil>"
	stopped := make([]bool, n)
	for i := range n {
		for _, b := range after[i] {
			stopped[i] = stopped[i] || stopped[b] || ran[b] == 1 && fails[b]
		}
		if stopped[i] {
			continue
		}
		ran[i] = 1
		if fails[i] && first == "<nil>" {
			first = fmt.Sprintf("par: node %q: failed %d", fmt.Sprint(i), i)
		}
	}
	return ran, first
}

func nop() error { return nil }

func ExampleGraph() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	var g par.Graph
	say := func(s string) func() error {
		return func() error { fmt.Println(s); return nil }
	}
	input := g.Add("input", say("input"))
	physics := g.Add("physics", say("physics"), input)
	g.Add("draw", say("draw"), physics)
	for range 2 { // frames
		if err := g.Run(context.Background(), p); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// input
	// physics
	// draw
	// input
	// physics
	// draw
}

// A Node that was refused leaves the graph as it was.
func TestGraphForgetsARefusedNode(t *testing.T) {
	p := open(t, none)
	var g, other par.Graph
	foreign := other.Add("foreign", nop)
	ran := ""
	add := func(name string, after ...*par.Node) *par.Node {
		return g.Add(name, func() error { ran += name; return nil }, after...)
	}
	a := add("a")
	add("b", a)
	for _, f := range []func(){func() { add("c", a, foreign) }, func() { add("d", a, nil) }} {
		if got := testkit.Recovered(f); got != "par: a Node after one of another Graph" {
			t.Error(got)
		}
	}
	if err := g.Run(background, p); err != nil || ran != "ab" {
		t.Errorf("it runs %q, %v, want a and b", ran, err)
	}
}

// A run that ends badly ends for all nodes, and the next run is as the first. The caller, or a worker, meets the end.
func TestHowARunEnds(t *testing.T) {
	boom := errors.New("boom")
	each(t, func(t *testing.T, o workers.Options) {
		p := open(t, o)
		for name, c := range map[string]struct {
			end   func()
			wants func(err error, v any) bool
		}{
			"returns": {func() {}, func(err error, v any) bool { return err == nil && v == nil }},
			"panics": {func() { panic(boom) }, func(_ error, v any) bool {
				pe, ok := v.(*workers.PanicError)
				return ok && pe.Label == "end" && pe.Value == boom
			}},
			"exits on a worker, or here": {runtime.Goexit, func(_ error, v any) bool {
				pe, ok := v.(*workers.PanicError)
				return v == "exits" || ok && errors.Is(pe, workers.ErrGoexit)
			}},
		} {
			var g par.Graph
			bad := true
			var ran, others atomic.Int32
			first := g.Add("first", nop)
			last := g.Add("end", func() error {
				if bad {
					c.end()
				}
				return nil
			}, first)
			g.Add("after", func() error { ran.Add(1); return nil }, last)
			for range 5 {
				g.Add("other", func() error { runtime.Gosched(); others.Add(1); return nil }, first)
			}
			for range 20 {
				for _, bad = range []bool{true, false} {
					ran.Store(0)
					others.Store(0)
					var err error
					var v any = "exits"
					testkit.Within(t, "a run", func() {
						var done sync.WaitGroup
						done.Go(func() { v = testkit.Recovered(func() { err = g.Run(background, p) }) })
						done.Wait()
					})
					switch {
					case bad && !c.wants(err, v):
						t.Fatalf("%s: %v, %v", name, err, v)
					case !bad && (err != nil || v != nil || ran.Load() != 1 || others.Load() != 5):
						t.Fatalf("%s, the next run: %v, %v; %d and %d ran", name, err, v, ran.Load(), others.Load())
					case bad && name != "returns" && ran.Load() != 0:
						t.Fatalf("%s: what comes after it ran", name)
					}
				}
			}
		}
	})
}

// If ctx is done no node begins, and its cause is the error. A closed pool runs a graph on the caller.
func TestAGraphWithoutTimeAndWithoutAPool(t *testing.T) {
	var g par.Graph
	ran := 0
	g.Add("a", func() error { ran++; return nil })
	p := workers.New(two)
	if err := g.Run(ended(), p); err != workers.ErrClosed || ran != 0 {
		t.Errorf("with a context that is done: %v, %d ran", err, ran)
	}
	must(p.Close(background))
	if err := g.Run(background, p); err != nil || ran != 1 {
		t.Errorf("on a closed pool: %v, %d ran", err, ran)
	}
}

// While the caller is in a node, a worker runs others.
func TestTheCallerAndAWorkerRunNodesAtOnce(t *testing.T) {
	p := open(t, two)
	for i := range 12 {
		var g par.Graph
		var before []*par.Node
		both := make(chan struct{})
		for range i % 3 { // none, two at once, or two and then two
			before = []*par.Node{
				g.Add("sends", func() error { both <- struct{}{}; return nil }, before...),
				g.Add("receives", func() error { <-both; return nil }, before...),
			}
		}
		meet := make(chan struct{})
		g.Add("meets", func() error { meet <- struct{}{}; return nil }, before...)
		g.Add("meets", func() error { <-meet; return nil }, before...)
		testkit.Within(t, "two nodes that wait for each other", func() { must(g.Run(background, p)) })
	}
}
