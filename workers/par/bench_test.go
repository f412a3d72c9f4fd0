package par_test

import (
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
