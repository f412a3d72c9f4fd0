package workers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A long chain ends: with values, with an error, canceled, dropped by Close.
func TestALongChainEnds(t *testing.T) {
	length := 100_000
	if testing.Short() {
		length = 20_000
	}
	boom := errors.New("boom")
	for name, end := range map[string]error{"values": nil, "error": boom, "canceled": workers.ErrCanceled,
		"closed": workers.ErrClosed} {
		for kind, o := range map[string]workers.Options{"none": {Workers: -1}, "two": {Workers: 2}} {
			t.Run(name+" "+kind, func(t *testing.T) {
				length := length
				if kind == "none" {
					length /= 10 // the waiter runs it link by link, 3 µs each
				}
				p := workers.New(o)
				defer mustClose(t, p)
				gate := make(chan struct{})
				for range max(o.Workers, 0) { // so that nothing begins before the chain is there
					p.Go(deadline.Immediate, func() { <-gate })
				}
				first := workers.Submit(p, deadline.Low, func(context.Context) (int, error) {
					if end == boom {
						return 0, boom
					}
					return 0, nil
				})
				last := first
				for range length {
					last = workers.Then(last, func(_ context.Context, n int) (int, error) { return n + 1, nil })
				}
				switch end {
				case workers.ErrCanceled:
					first.Cancel()
				case workers.ErrClosed:
					_ = p.Close(over)
				}
				close(gate)
				v, err := last.Wait(background)
				if err != end || err == nil && v != length {
					t.Errorf("Wait = %d, %v", v, err)
				}
			})
		}
	}
}

func ExampleThen() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	file := workers.Submit(p, deadline.Normal, func(context.Context) ([]byte, error) {
		return []byte("a picture"), nil
	})
	size := workers.Then(file, func(_ context.Context, b []byte) (int, error) { return len(b), nil })
	fmt.Println(size.Wait(context.Background()))
	// Output: 9 <nil>
}

func ExampleJoin() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	var left, right int
	workers.Join(p, func() { left = 1 }, func() { right = 2 })
	fmt.Println(left + right)
	// Output: 3
}
