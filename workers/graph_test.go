package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/workers"
	"pgregory.net/rapid"
)

// Random graphs with random ends against a serial reading of the rules, each run several times.
func TestGraphAgainstItsRules(t *testing.T) {
	pools := []*workers.Pool{}
	for _, o := range []workers.Options{{Workers: -1}, {Workers: 1}, {Workers: 3}} {
		p := workers.New(o)
		defer mustClose(t, p)
		pools = append(pools, p)
	}
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
				after[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, min(i, 3), rapid.ID).Draw(t, "after")
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

func TestGraphIsHelped(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var g workers.Graph
	met := make(chan bool)
	g.Add("one", func(*workers.Worker) error { met <- true; return nil })
	g.Add("other", func(*workers.Worker) error { <-met; return nil })
	for range 100 {
		if err := g.Run(background, p); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGraphPanicsAndGoexit(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var g workers.Graph
		how := func() {}
		after := 0
		a := g.Add("a", func(*workers.Worker) error { how(); return nil })
		g.Add("b", func(*workers.Worker) error { after++; return nil }, a)
		how = func() { explode("boom") }
		for range 20 {
			v := panicOf(func() { _ = g.Run(background, p) })
			pe, ok := v.(*workers.PanicError)
			if !ok || pe.Value != "boom" || pe.Label != "a" || !strings.Contains(string(pe.Stack), "explode") {
				t.Fatalf("raised %v", v)
			}
		}
		how = runtime.Goexit
		for range 20 {
			done := make(chan error, 1)
			go func() {
				defer close(done)
				done <- g.Run(background, p)
			}()
			if err, returned := <-done; returned && !errors.Is(err, workers.ErrGoexit) {
				t.Fatalf("Goexit: %v", err)
			}
		}
		if after != 0 {
			t.Errorf("what comes after ran %d times", after)
		}
		how = func() {}
		if err := g.Run(background, p); err != nil || after != 1 {
			t.Errorf("afterwards: %v, and b ran %d times", err, after)
		}
	})
}

func TestGraphStopsWithItsContext(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		ctx, cancel := context.WithCancelCause(background)
		boom := errors.New("boom")
		var g workers.Graph
		a := g.Add("a", func(*workers.Worker) error { cancel(boom); return nil })
		g.Add("b", func(*workers.Worker) error { t.Error("b ran"); return nil }, a)
		for range 2 {
			if err := g.Run(ctx, p); err != boom {
				t.Errorf("got %v", err)
			}
		}
	})
}

func TestGraphMisuse(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	var g, other workers.Graph
	if err := g.Run(background, p); err != nil {
		t.Errorf("an empty graph: %v", err)
	}
	foreign := other.Add("foreign", nothing)
	var inside []any
	g.Add("a", func(*workers.Worker) error {
		inside = append(inside, panicOf(func() { g.Add("x", nothing) }), panicOf(func() { _ = g.Run(background, p) }))
		return nil
	})
	if err := g.Run(background, p); err != nil {
		t.Error(err)
	}
	got := fmt.Sprint(inside, panicOf(func() { g.Add("y", nil) }), panicOf(func() { g.Add("z", nothing, foreign) }))
	want := "[workers: Add on a Graph that is running workers: Run of a Graph that is running]" +
		"workers: Graph.Add of a nil functionworkers: a Node after one of another Graph"
	if strings.ReplaceAll(got, "] ", "]") != want && got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGraphDoesNotAllocate(t *testing.T) {
	for _, size := range []int{-1, 1, 2} {
		p := workers.New(workers.Options{Workers: size})
		var g workers.Graph
		var last *workers.Node
		for i := range 40 {
			var after []*workers.Node
			if i%5 == 4 {
				after = append(after, last)
			}
			last = g.Add(fmt.Sprint(i), nothing, after...)
		}
		round := func() {
			if err := g.Run(background, p); err != nil {
				t.Error(err)
			}
		}
		for range 20 {
			round()
		}
		if n := allocsPerRun(100, round); n != 0 {
			t.Errorf("%d workers: %v allocations", size, n)
		}
		mustClose(t, p)
	}
}

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
