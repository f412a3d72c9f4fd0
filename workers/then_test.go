package workers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A chain of a million is as deep as one of two: with values, with an error, dropped by Close.
func TestALongChainDoesNotRecurse(t *testing.T) {
	length := 1_000_000
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
					ctx, cancel := context.WithCancel(background)
					cancel()
					_ = p.Close(ctx)
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

// chainOf returns the last of n links that follow f and call step.
func chainOf(f *workers.Future[int], n int, step func()) *workers.Future[int] {
	for range n {
		f = workers.Then(f, func(_ context.Context, v int) (int, error) { step(); return v + 1, nil })
	}
	return f
}

// A job that runs a chain, because it waits for it, wakes no other worker.
func TestAChainThatAJobRunsWakesNobody(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 2})
		defer mustClose(t, p)
		gate := make(chan struct{})
		p.Go(deadline.Normal, func() { <-gate })
		synctest.Wait()
		woken := func() uint64 {
			var s workers.Stats
			p.Stats(&s)
			return s.Woken
		}
		rest := func() { time.Sleep(time.Millisecond) } // the other worker goes to sleep meanwhile
		n, err := workers.Submit(p, deadline.Normal, func(context.Context) (uint64, error) {
			first := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) {
				close(gate)
				rest()
				return 0, nil
			})
			before := woken()
			v, err := chainOf(first, 20, rest).Wait(background)
			if v != 20 {
				t.Errorf("the chain's value is %d", v)
			}
			return woken() - before, err
		}).Wait(t.Context())
		if n != 0 || err != nil {
			t.Errorf("%d wake-ups, %v", n, err)
		}
	})
}
