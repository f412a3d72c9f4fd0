package workers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// An edge that was named twice is one.
func TestGraphEdgesMayBeNamedTwice(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var g workers.Graph
		ran := 0
		a := g.Add("a", nothing)
		b := g.Add("b", func(*workers.Worker) error { ran++; return nil }, a, a)
		g.Add("c", func(*workers.Worker) error { ran += 10; return nil }, b, a)
		for range 3 {
			ran = 0
			within(t, "Run", func() { must(g.Run(background, p)) })
			if ran != 11 {
				t.Errorf("%d, want 11", ran)
			}
		}
	})
}

// Whatever has gone wrong in a run, the next one is whole.
func TestGraphRunsAgainAfterAnything(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		boom := errors.New("boom")
		var g workers.Graph
		var fault func() error
		var mu sync.Mutex
		var ran []string
		node := func(name string, after ...*workers.Node) *workers.Node {
			return g.Add(name, func(*workers.Worker) error {
				mu.Lock()
				ran = append(ran, name)
				mu.Unlock()
				if name == "b" && fault != nil {
					return fault()
				}
				return nil
			}, after...)
		}
		a := node("a")
		b, c := node("b", a), node("c", a)
		node("d", b, c)
		ctx, cancel := context.WithCancelCause(background)
		cancel(boom)
		whole := func(after string) {
			ran, fault = nil, nil
			within(t, "Run after "+after, func() { must(g.Run(background, p)) })
			slices.Sort(ran)
			if fmt.Sprint(ran) != "[a b c d]" {
				t.Errorf("after %s: %v", after, ran)
			}
		}
		whole("nothing")
		fault = func() error { return boom }
		if err := g.Run(background, p); !errors.Is(err, boom) || err.Error() != `workers: node "b": boom` {
			t.Error("an error:", err)
		}
		whole("an error")
		fault = func() error { panic(boom) }
		if v, ok := panicOf(func() { _ = g.Run(background, p) }).(*workers.PanicError); !ok || !errors.Is(v, boom) {
			t.Error("a panic:", v)
		}
		whole("a panic")
		if err := g.Run(ctx, p); !errors.Is(err, boom) {
			t.Error("a context that is done:", err)
		}
		whole("a context that was done")
		fault = func() error {
			v := fmt.Sprint(panicOf(func() { _ = g.Run(background, p) }))
			if !strings.HasPrefix(v, "workers: ") {
				t.Error("Run within a run:", v)
			}
			return nil
		}
		must(g.Run(background, p))
		whole("a Run within a run")
	})
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
