package par_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
	"github.com/frameslice/frameslice/workers/par"
)

// A function in a strand beside one in the pool: all in one strand, and in 64 strands in turn.
func BenchmarkStrand(b *testing.B) {
	p := workers.New(workers.Options{Workers: 2})
	defer p.Close(b.Context())
	var strands [64]*par.Strand
	for i := range strands {
		strands[i] = par.NewStrand(p)
	}
	run := func(name string, submit func(i int, f func())) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var all sync.WaitGroup
			for i := 0; b.Loop(); i++ {
				if i%1024 == 0 {
					all.Wait()
				}
				all.Add(1)
				submit(i, all.Done)
			}
			all.Wait()
		})
	}
	run("pool", func(_ int, f func()) { p.Go(deadline.Normal, f) })
	run("one", func(_ int, f func()) { strands[0].Go(deadline.Normal, f) })
	run("64", func(i int, f func()) { strands[i%64].Go(deadline.Normal, f) })
}

// A job of a stream, from its submission to its result.
func BenchmarkStream(b *testing.B) {
	p := workers.New(workers.Options{Workers: 2})
	defer p.Close(b.Context())
	s := par.NewStream[int](p, deadline.Normal, 1024)
	f := func(out *int) error { *out++; return nil }
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for s.TrySubmit(f) != nil {
			if _, err := s.Next(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// Four nodes of 20 µs between a first and a last one.
func BenchmarkGraph(b *testing.B) {
	p := workers.New(workers.Options{})
	defer p.Close(b.Context())
	var g par.Graph
	work := func() error {
		x := 1.0
		for range 24_000 {
			x = x*1.0000001 + 1e-9
		}
		if x == 0 {
			return errors.New("never")
		}
		return nil
	}
	first := g.Add("first", work)
	var middle []*par.Node
	for _, name := range []string{"a", "b", "c", "d"} {
		middle = append(middle, g.Add(name, work, first))
	}
	g.Add("last", work, middle...)
	for b.Loop() {
		must(g.Run(background, p))
	}
}

// A chain of a thousand nodes that do nothing: what a hop costs.
func BenchmarkGraphChain(b *testing.B) {
	const hops = 1000
	p := workers.New(workers.Options{})
	defer p.Close(b.Context())
	var g par.Graph
	last := g.Add("0", nop)
	for range hops {
		last = g.Add("n", nop, last)
	}
	for b.Loop() {
		must(g.Run(background, p))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/hops, "ns/hop")
}
