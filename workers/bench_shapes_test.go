package workers_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/workers"
	"golang.org/x/sync/errgroup"
)

// What a shape costs beside the same in goroutines, which is what one writes without it.

func BenchmarkScope(b *testing.B) {
	for _, c := range []struct {
		name    string
		jobs, k int
	}{{"1x0", 1, 0}, {"16x1us", 16, 1200}, {"1000x0", 1000, 0}} {
		b.Run(c.name+"/serial", func(b *testing.B) {
			for b.Loop() {
				for range c.jobs {
					burn(0, 1, c.k)
				}
			}
		})
		b.Run(c.name+"/scope", func(b *testing.B) {
			p := workers.New(workers.Options{})
			defer p.Close(background)
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Scope(background, func(s *workers.Scope) error {
					for range c.jobs {
						s.Go(func(context.Context) error { burn(0, 1, c.k); return nil })
					}
					return nil
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/errgroup", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g, _ := errgroup.WithContext(background)
				for range c.jobs {
					g.Go(func() error { burn(0, 1, c.k); return nil })
				}
				if err := g.Wait(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSort(b *testing.B) {
	const n = 200_000
	src := make([]int, n)
	for i := range src {
		src[i] = int(uint32(i*i) * 2654435761)
	}
	s := make([]int, n)
	b.Run("slices", func(b *testing.B) {
		for b.Loop() {
			copy(s, src)
			slices.SortFunc(s, cmp.Compare[int])
		}
	})
	b.Run("slices-stable", func(b *testing.B) {
		for b.Loop() {
			copy(s, src)
			slices.SortStableFunc(s, cmp.Compare[int])
		}
	})
	b.Run("errgroup-halves", func(b *testing.B) {
		for b.Loop() {
			copy(s, src)
			var g errgroup.Group
			g.Go(func() error { slices.SortFunc(s[:n/2], cmp.Compare[int]); return nil })
			slices.SortFunc(s[n/2:], cmp.Compare[int])
			if err := g.Wait(); err != nil {
				b.Fatal(err)
			}
			merged := make([]int, 0, n)
			for x, y := s[:n/2], s[n/2:]; len(x)+len(y) > 0; {
				if len(y) == 0 || len(x) > 0 && x[0] <= y[0] {
					merged, x = append(merged, x[0]), x[1:]
				} else {
					merged, y = append(merged, y[0]), y[1:]
				}
			}
			copy(s, merged)
		}
	})
	p := workers.New(workers.Options{})
	defer p.Close(background)
	b.Run("workers", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			copy(s, src)
			workers.Sort(p, s, cmp.Compare[int])
		}
	})
}

func BenchmarkReduce(b *testing.B) {
	xs := make([]float64, 1_000_000)
	fold := func(lo, hi int) float64 {
		s := 0.0
		for _, x := range xs[lo:hi] {
			s += x
		}
		return s
	}
	b.Run("serial", func(b *testing.B) {
		for b.Loop() {
			fold(0, len(xs))
		}
	})
	b.Run("reduce", func(b *testing.B) {
		p := workers.New(workers.Options{})
		defer p.Close(background)
		b.ReportAllocs()
		for b.Loop() {
			workers.Reduce(p, len(xs), 0, fold, func(x, y float64) float64 { return x + y })
		}
	})
	b.Run("errgroup", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var x float64
			var g errgroup.Group
			g.Go(func() error { x = fold(0, len(xs)/2); return nil })
			x2 := fold(len(xs)/2, len(xs))
			if err := g.Wait(); err != nil || x+x2 != 0 {
				b.Fatal(err)
			}
		}
	})
}

// Four nodes of 20 µs between a first and a last one.
func BenchmarkGraph(b *testing.B) {
	const k = 24000
	b.Run("graph", func(b *testing.B) {
		p := workers.New(workers.Options{})
		defer p.Close(background)
		work := func(*workers.Worker) error { burn(0, 1, k); return nil }
		var g workers.Graph
		first := g.Add("first", work)
		var middle []*workers.Node
		for _, name := range []string{"a", "b", "c", "d"} {
			middle = append(middle, g.Add(name, work, first))
		}
		g.Add("last", work, middle...)
		b.ReportAllocs()
		for b.Loop() {
			if err := g.Run(background, p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("errgroup", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			burn(0, 1, k)
			var g errgroup.Group
			for range 4 {
				g.Go(func() error { burn(0, 1, k); return nil })
			}
			if err := g.Wait(); err != nil {
				b.Fatal(err)
			}
			burn(0, 1, k)
		}
	})
	b.Run("serial", func(b *testing.B) {
		for b.Loop() {
			for range 6 {
				burn(0, 1, k)
			}
		}
	})
}

// A chain of a thousand nodes that do nothing: what a hop costs.
func BenchmarkGraphChain(b *testing.B) {
	const hops = 1000
	b.Run("graph", func(b *testing.B) {
		p := workers.New(workers.Options{})
		defer p.Close(background)
		var g workers.Graph
		last := g.Add("0", nothing)
		for range hops {
			last = g.Add("n", nothing, last)
		}
		for b.Loop() {
			if err := g.Run(background, p); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/hops, "ns/hop")
	})
	b.Run("go", func(b *testing.B) {
		for b.Loop() {
			done := make(chan bool)
			var hop func(left int)
			hop = func(left int) {
				if left == 0 {
					close(done)
					return
				}
				go hop(left - 1)
			}
			go hop(hops)
			<-done
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/hops, "ns/hop")
	})
}
