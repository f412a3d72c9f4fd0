package workers_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/workers"
	"pgregory.net/rapid"
)

// Random graphs with random ends against a serial reading of the rules, each run several times.
func TestGraphAgainstItsRules(t *testing.T) {
	pools := fewPools(t)
	rapid.Check(t, func(t *rapid.T) {
		var g workers.Graph
		n := rapid.IntRange(1, 25).Draw(t, "n")
		nodes := make([]*workers.Node, n)
		after := make([][]int, n)
		fails := make([]bool, n)
		ran := make([]int, n)
		var order atomic.Int32
		at := make([]int32, n)
		for i := range n {
			var preds []*workers.Node
			if i > 0 {
				after[i] = rapid.SliceOfN(rapid.IntRange(0, i-1), 0, 3).Draw(t, "after")
			}
			for _, b := range after[i] {
				preds = append(preds, nodes[b])
			}
			fails[i] = rapid.IntRange(0, 9).Draw(t, "fails") == 0
			f := func(*workers.Worker) error {
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
			first = fmt.Sprintf("workers: node %q: failed %d", fmt.Sprint(i), i)
		}
	}
	return ran, first
}

func nothing(*workers.Worker) error { return nil }

func ExampleGraph() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	var g workers.Graph
	say := func(s string) func(*workers.Worker) error {
		return func(*workers.Worker) error { fmt.Println(s); return nil }
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

// A helper of a Graph shows the node's name.
func TestGraphHelpersAreNamed(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var g workers.Graph
	var s workers.Stats
	seen := make(chan struct{})
	var once sync.Once // the worker may run both nodes
	named := func(w *workers.Worker) error {
		if w.Index() < 0 {
			<-seen
			return nil
		}
		defer once.Do(func() { close(seen) })
		eventually(t, "named", func() bool { p.Stats(&s); return s.PerWorker[0].Label == "physics" })
		return nil
	}
	g.Add("physics", named)
	g.Add("physics", named)
	if err := g.Run(background, p); err != nil {
		t.Error(err)
	}
}

// A Node that was refused leaves the graph as it was.
func TestGraphForgetsARefusedNode(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	var g, other workers.Graph
	foreign := other.Add("foreign", nothing)
	ran := ""
	add := func(name string, after ...*workers.Node) *workers.Node {
		return g.Add(name, func(*workers.Worker) error { ran += name; return nil }, after...)
	}
	a := add("a")
	add("b", a)
	for _, f := range []func(){func() { add("c", a, foreign) }, func() { add("d", a, nil) }} {
		if got := panicOf(f); got != "workers: a Node after one of another Graph" {
			t.Error(got)
		}
	}
	if err := g.Run(background, p); err != nil || ran != "ab" {
		t.Errorf("it runs %q, %v, want a and b", ran, err)
	}
}
