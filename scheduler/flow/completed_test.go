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
)

// Each index comes once and in the order of the ends, which come from other goroutines, before the wait, during it and
// after it. A wait that takes too long, or whose task is canceled, loses none.
func TestAsCompleted(t *testing.T) {
	timeouts := 0
	for seed := range 50 {
		inBubble(t, scheduler.Options{}, func(s *scheduler.Scheduler) {
			const n = 20
			all := make([]*future, n)
			var mu sync.Mutex
			var ended, got []int
			end := func(i int) {
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, i)
				all[i].finish(i)
			}
			for i := range all {
				all[i] = &future{}
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
						if r, _ := all[i].Result(); r != i {
							t.Error("not its result:", r, i)
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
	w := new(future)
	s, now := virtual(t, scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	slice := func() { s.RunUntil(deadline.At(now.Add(time.Second))) }
	one := flow.AsCompleted(w)
	wait := func(co *scheduler.Co) { scheduler.Await(co, one) }
	first, second := s.Go(deadline.Normal, wait), s.Go(deadline.Normal, wait)
	none := s.Go(deadline.Normal, func(co *scheduler.Co) {
		if i, err := scheduler.Await(co, flow.AsCompleted[*future]()); i != -1 || err != io.EOF {
			t.Error(i, err)
		}
		// Elements of different types.
		mixed := flow.AsCompleted[interface{ Notify(func()) }](w, &future{done: true})
		if i, err := scheduler.AwaitContext(context.Background(), co, mixed); i != 1 || err != nil {
			t.Error(i, err)
		}
	})
	slice()
	w.finish(1)
	slice()
	slice()
	if first.State() != scheduler.Failed || second.State() != scheduler.Done || none.State() != scheduler.Done {
		t.Error(first.State(), second.State(), none.State())
	}
}

// A future has a result once it is done.
type future struct {
	mu    sync.Mutex
	done  bool
	value int
	f     []func()
}

func (f *future) Notify(g func()) {
	f.mu.Lock()
	done := f.done
	if !done {
		f.f = append(f.f, g)
	}
	f.mu.Unlock()
	if done {
		g()
	}
}

func (f *future) Result() (int, error) { return f.value, nil }

func (f *future) finish(v int) {
	f.mu.Lock()
	f.done, f.value = true, v
	fs := f.f
	f.mu.Unlock()
	for _, g := range fs {
		g()
	}
}

func ExampleAsCompleted() {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	servers := []*future{{}, {}, {}}
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		next := flow.AsCompleted(servers...)
		first, _ := scheduler.Await(co, next)
		answer, err := servers[first].Result()
		fmt.Println("server", first, "answers", answer, err)
	})
	slice := func() { s.RunUntil(deadline.In(time.Second)) }
	slice()
	servers[2].finish(42)
	slice()
	servers[0].finish(7) // nobody waits for that
	// Output: server 2 answers 42 <nil>
}
