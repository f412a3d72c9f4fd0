package flow_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
	"github.com/frameslice/frameslice/workers"
)

// futures returns futures that end when they are canceled.
func futures(t *testing.T, n int) []*workers.Future[int] {
	p := workers.New(workers.Options{Workers: -1})
	t.Cleanup(func() { _ = p.Close(context.Background()) })
	all := make([]*workers.Future[int], n)
	for i := range all {
		all[i] = workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 0, nil })
	}
	return all
}

// Each index comes once and in the order of the ends, which come from other goroutines, before the wait, during it and
// after it. A wait that takes too long, or whose task is canceled, loses none.
func TestAsCompleted(t *testing.T) {
	timeouts := 0
	for seed := range 50 {
		const n = 20
		all := futures(t, n)
		inBubble(t, scheduler.Options{}, func(s *scheduler.Scheduler) {
			var mu sync.Mutex
			var ended, got []int
			end := func(i int) {
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, i)
				all[i].Cancel()
			}
			for i := range n / 4 { // before AsCompleted
				end(i)
			}
			next := flow.AsCompleted(all...)
			canceled := s.Go(deadline.Normal, func(co *scheduler.Co) {
				for range n/4 + 1 {
					i, err := scheduler.Await(co, next)
					got = append(got, i)
					if err != nil {
						t.Error(err)
					}
				}
				t.Error("an index too many")
			})
			frame(s)
			canceled.Cancel()
			frame(s)
			done := s.Go(deadline.Normal, func(co *scheduler.Co) {
				for {
					i, err := scheduler.AwaitTimeout(co, next, time.Duration(1+seed%5)*ms)
					switch err {
					case nil:
						got = append(got, i)
						if _, err := all[i].Result(); err != workers.ErrCanceled {
							t.Error("it has not ended:", i, err)
						}
					case scheduler.ErrTimeout:
						timeouts++
					default:
						if i != -1 || err != io.EOF {
							t.Error(i, err)
						}
						return
					}
				}
			})
			for i := n / 4; i < n; i++ {
				time.AfterFunc(time.Duration(i*seed%67)*ms, func() { end(i) })
			}
			for done.State() != scheduler.Done {
				frame(s)
			}
			if !slices.Equal(got, ended) || len(got) != n {
				t.Errorf("seed %d: %v ended, %v came", seed, ended, got)
			}
		})
	}
	if timeouts == 0 {
		t.Error("no wait took too long")
	}
}

// Without elements the end comes at once. A second coroutine that waits at the same time panics, and does not hang.
func TestAsCompletedOfNoneAndOfTwo(t *testing.T) {
	w := futures(t, 2)
	w[1].Cancel()
	s, now := virtual(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	slice := func() { s.RunUntil(deadline.At(now.Add(time.Second))) }
	one := flow.AsCompleted(w[0])
	wait := func(co *scheduler.Co) { scheduler.Await(co, one) }
	first, second := s.Go(deadline.Normal, wait), s.Go(deadline.Normal, wait)
	none := s.Go(deadline.Normal, func(co *scheduler.Co) {
		if i, err := scheduler.Await(co, flow.AsCompleted[*workers.Future[int]]()); i != -1 || err != io.EOF {
			t.Error(i, err)
		}
		// Elements of different types.
		mixed := flow.AsCompleted[interface{ Notify(func()) }](w[0], w[1])
		if i, err := scheduler.Await(co, mixed); i != 1 || err != nil {
			t.Error(i, err)
		}
	})
	slice()
	w[0].Cancel()
	slice()
	slice()
	if first.State() != scheduler.Failed || second.State() != scheduler.Done || none.State() != scheduler.Done {
		t.Error(first.State(), second.State(), none.State())
	}
}

func ExampleAsCompleted() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	p := workers.New(workers.Options{Workers: -1}) // RunUntil runs its jobs, the most urgent first
	defer p.Close(context.Background())
	ask := func(prio deadline.Priority, answer int) *workers.Future[int] {
		return workers.Submit(p, prio, func(context.Context) (int, error) { return answer, nil })
	}
	servers := []*workers.Future[int]{ask(deadline.Low, 7), ask(deadline.Low, 9), ask(deadline.Immediate, 42)}
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		next := flow.AsCompleted(servers...)
		first, _ := scheduler.Await(co, next)
		answer, err := servers[first].Result()
		fmt.Println("server", first, "answers", answer, err)
	})
	s.RunUntil(deadline.In(time.Second))
	p.RunUntil(deadline.Deadline{})
	s.RunUntil(deadline.In(time.Second))
	// Output: server 2 answers 42 <nil>
}
