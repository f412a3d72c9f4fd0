package workers_test

import (
	"context"
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
