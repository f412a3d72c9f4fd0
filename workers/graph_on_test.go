package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// A graph with nodes on every worker, on the caller, and anywhere: each runs where it should and after what it
// should, in every run.
func TestGraphNodesOnWorkers(t *testing.T) {
	needsWorkers(t)
	eachBound(t, func(t *testing.T, p *workers.Pool, n int) {
		const layers, width = 5, 6
		var g workers.Graph
		var mu sync.Mutex
		var log []string
		var before []*workers.Node
		for layer := range layers {
			var these []*workers.Node
			for i := range width {
				name := fmt.Sprint(layer, ".", i)
				note := func() {
					mu.Lock()
					defer mu.Unlock()
					log = append(log, name)
				}
				switch i % 3 {
				case 0:
					k := (layer + i) % n
					these = append(these, g.AddOn(k, name, func(w *workers.Worker) error {
						if w.Index() != k {
							t.Errorf("%s ran on worker %d, want %d", name, w.Index(), k)
						}
						note()
						return nil
					}, before...))
				case 1:
					these = append(these, g.Add(name, func(*workers.Worker) error { note(); return nil }, before...))
				case 2:
					pinned := func(*workers.Worker) error { note(); return nil }
					these = append(these, g.AddPinned(name, pinned, before...))
				}
			}
			before = these
		}
		for range 100 {
			log = nil
			if err := g.Run(background, p); err != nil {
				t.Fatal(err)
			}
			layersOf := make([]string, len(log))
			for i, name := range log {
				layersOf[i], _, _ = strings.Cut(name, ".")
			}
			if len(log) != layers*width || !slices.IsSorted(layersOf) {
				t.Fatalf("ran %v", log)
			}
		}
		// From a job on a worker that the graph needs.
		for range 20 {
			err := run(p, func(*workers.Worker) {
				log = nil
				if err := g.Run(background, p); err != nil || len(log) != layers*width {
					t.Errorf("%v, ran %v", err, log)
				}
			})
			j := &workers.Job{Func: func(*workers.Worker) {
				log = nil
				if err := g.Run(background, p); err != nil || len(log) != layers*width {
					t.Errorf("%v, ran %v", err, log)
				}
			}}
			p.SubmitTo(n-1, j)
			if err := errors.Join(err, j.Wait(background)); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestGraphNodesOnWorkersThatFail(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2, Bound: 2})
	defer mustClose(t, p)
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		f    func(*workers.Worker) error
		want string
		ran  string
	}{
		{"error", func(*workers.Worker) error { return broken }, `workers: node "bad": broken`, "[beside]"},
		{"goexit", func(*workers.Worker) error { runtime.Goexit(); return nil },
			`workers: node "bad": frameslice: runtime.Goexit called`, "[beside]"},
		{"panic", func(*workers.Worker) error { panic("x") }, "panic", "[]"},
	} {
		for range 20 {
			var g workers.Graph
			var mu sync.Mutex
			ran := []string{}
			note := func(name string) func(*workers.Worker) error {
				return func(*workers.Worker) error {
					mu.Lock()
					defer mu.Unlock()
					ran = append(ran, name)
					return nil
				}
			}
			bad := g.AddOn(0, "bad", c.f)
			g.AddOn(1, "after", note("after"), bad)
			g.Add("after all", note("after all"), bad)
			if c.name != "panic" {
				g.AddOn(1, "beside", note("beside"))
			}
			got := ""
			func() {
				defer func() {
					if pe, ok := recover().(*workers.PanicError); ok && pe.Label == "bad" {
						got = "panic"
					}
				}()
				got = fmt.Sprint(g.Run(background, p))
			}()
			if got != c.want || fmt.Sprint(ran) != c.ran {
				t.Errorf("%s: got %s, ran %v, want %s, %s", c.name, got, ran, c.want, c.ran)
			}
		}
	}
}

func TestGraphNodesOnAPoolThatIsClosed(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Bound: 1})
	mustClose(t, p)
	var g workers.Graph
	ran := 0
	a := g.Add("a", func(*workers.Worker) error { ran++; return nil })
	for i := range 100 {
		a = g.AddOn(0, fmt.Sprint("b", i), func(*workers.Worker) error { ran += 1000; return nil }, a)
	}
	g.Add("c", func(*workers.Worker) error { ran++; return nil })
	for range 3 {
		ran = 0
		if err := g.Run(background, p); !errors.Is(err, workers.ErrClosed) || ran != 2 {
			t.Errorf("%v, ran %d", err, ran)
		}
	}
}

// The pool is closed, without patience, while graphs run.
func TestCloseInTheMiddleOfAGraph(t *testing.T) {
	needsWorkers(t)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for range 50 {
		p := workers.New(workers.Options{Workers: 2, Bound: 2})
		var g workers.Graph
		var last *workers.Node
		for i := range 20 {
			n := g.AddOn(i%2, "n", func(*workers.Worker) error { runtime.Gosched(); return nil })
			if last != nil {
				n.After(last)
			}
			last = n
		}
		done := make(chan error)
		go func() {
			for {
				if err := g.Run(background, p); err != nil {
					done <- err
					return
				}
			}
		}()
		runtime.Gosched()
		_ = p.Close(canceled)
		if err := <-done; !errors.Is(err, workers.ErrClosed) {
			t.Error(err)
		}
		mustClose(t, p)
	}
}

func TestGraphOnMisuse(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2, Bound: 1})
	defer mustClose(t, p)
	var g workers.Graph
	nothing := func(*workers.Worker) error { return nil }
	for want, f := range map[string]func(){
		"workers: Graph.AddOn with worker -1, which no pool has": func() { g.AddOn(-1, "x", nothing) },
		"workers: Graph.Run: worker 1 takes no bound jobs: see Options.Bound": func() {
			g.AddOn(1, "x", nothing)
			_ = g.Run(background, p)
		},
	} {
		if v := panicOf(f); v != want {
			t.Errorf("got %v, want %s", v, want)
		}
	}
}

func TestGraphOnWorkersAllocatesNothing(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2, Bound: 2})
	defer mustClose(t, p)
	var g workers.Graph
	nothing := func(*workers.Worker) error { return nil }
	a := g.Add("a", nothing)
	b := g.AddOn(0, "b", nothing, a)
	c := g.AddOn(1, "c", nothing, a)
	g.AddPinned("d", nothing, b, c)
	if n := allocsPerRun(200, func() {
		if err := g.Run(background, p); err != nil {
			t.Error(err)
		}
	}); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleGraph_AddOn() {
	p := workers.New(workers.Options{Bound: 1})
	defer p.Close(context.Background())
	var g workers.Graph
	decode := g.Add("decode", func(*workers.Worker) error { return nil })
	say := func(where string) func(*workers.Worker) error {
		return func(*workers.Worker) error { fmt.Println(where); return nil }
	}
	upload := g.AddOn(0, "upload", say("on worker 0's thread"), decode)
	g.AddPinned("draw", say("on the caller's"), upload)
	fmt.Println(g.Run(context.Background(), p))
	// Output:
	// on worker 0's thread
	// on the caller's
	// <nil>
}
