package workers_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// The first error cancels the others' context and is returned. The others are called all the same.
func TestGroupReturnsTheFirstError(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var called atomic.Int64
		err := grouped(p, background, func(g *workers.Group) {
			for range 3 {
				g.Go(func(ctx context.Context) error {
					called.Add(1)
					<-ctx.Done()
					if cause := context.Cause(ctx); cause != errBoom {
						t.Error("the cause is", cause)
					}
					return ctx.Err()
				})
			}
			// Wait begins with the newest, so it cannot run one of those that wait first.
			g.Go(func(context.Context) error { return errBoom })
		})
		if err != errBoom || called.Load() != 3 {
			t.Errorf("got %v, and %d of 3 others called", err, called.Load())
		}
	})
}

func ExamplePool_NewGroup() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())

	g := p.NewGroup(context.Background(), deadline.Normal)
	for _, name := range []string{"a.png", "b.xcf"} {
		g.Go(func(context.Context) error {
			if name == "a.png" {
				return nil
			}
			return fmt.Errorf("%s: unknown format", name)
		})
	}
	fmt.Println(g.Wait())
	// Output:
	// b.xcf: unknown format
}

// A *PanicError that a function returns, because what it waited for panicked, is an error like any other: nothing of
// this group has panicked.
func TestAReturnedPanicErrorIsAnError(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		_, far := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) {
			panic("far away")
		}).Wait(background)
		if _, ok := far.(*workers.PanicError); !ok {
			t.Fatalf("the error of a future that panicked is %v", far)
		}
		returns := func(context.Context) error { return far }
		g := p.NewGroup(background, deadline.Normal)
		g.Go(returns)
		if err := g.Wait(); err != far {
			t.Errorf("returned by a group's function: %v", err)
		}
	})
}
