package docs_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/frameslice/frameslice"
)

type unit struct {
	mu   sync.Mutex
	path int
}

func findPath(ctx context.Context, n int) (int, error) {
	if n < 0 {
		return 0, errors.New("no path")
	}
	return n * n, context.Cause(ctx)
}

// until runs frames until the condition holds.
func until(loop *frameslice.Loop, condition func() bool) {
	_ = loop.Run(context.Background(), func() error {
		if condition() {
			return frameslice.ErrStop
		}
		return nil
	})
}

func Example_fromGo() {
	ctx, u, ready := context.Background(), &unit{}, make(chan struct{})
	before := func() {
		go func() {
			path, err := findPath(ctx, 3)
			u.mu.Lock()
			if err == nil {
				u.path = path
			}
			u.mu.Unlock()
			close(ready)
		}()
	}
	before()
	<-ready
	fmt.Println(u.path)

	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	u = &unit{}
	after := func() {
		find := func(ctx context.Context) (int, error) { return findPath(ctx, 3) }
		loop.Go(frameslice.Normal, func(co *frameslice.Co) {
			path, err := frameslice.Background(co, loop, find)
			if err == nil {
				u.path = path // on the frame goroutine: no lock
			}
		})
	}
	after()
	until(loop, func() bool { return u.path != 0 })
	fmt.Println(u.path)
	// Output:
	// 9
	// 9
}

func Example_fromErrgroup() {
	loop := frameslice.New(frameslice.Balanced)
	defer loop.Close()
	var paths [3]int
	find := func(ctx context.Context) error {
		g := loop.Pool().NewGroup(ctx, frameslice.Normal)
		for i := range paths {
			g.Go(func(ctx context.Context) (err error) {
				paths[i], err = findPath(ctx, i)
				return err
			})
		}
		return g.Wait() // not on the frame goroutine
	}
	fmt.Println(find(context.Background()), paths)
	// Output: <nil> [0 1 4]
}
