package flow_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// A Bound against a slice of numbers for each priority.
func TestBoundMatchesASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		s := scheduler.New(scheduler.Options{ByPriority: true, OnPanic: func(*scheduler.PanicError) {}})
		b := flow.NewBound(s, limit)
		prios := []deadline.Priority{deadline.Normal, deadline.Low} // in the order in which they run
		var got, want []int
		var model [2][]int
		for n := range rapid.IntRange(0, 40).Draw(t, "steps") {
			k := rapid.IntRange(0, 2).Draw(t, "what")
			if k == 2 {
				s.RunUntil(deadline.Deadline{})
				want = append(append(want, model[0]...), model[1]...)
				model = [2][]int{}
				continue
			}
			how := rapid.IntRange(0, 2).Draw(t, "end")
			err := b.Post(prios[k], func() {
				got = append(got, n)
				switch how {
				case 1:
					panic("a task's")
				case 2:
					runtime.Goexit()
				}
			})
			if len(model[k]) == limit {
				if err != flow.ErrFull {
					t.Fatalf("with %d of %d: %v", limit, limit, err)
				}
			} else if model[k] = append(model[k], n); err != nil {
				t.Fatalf("with %d of %d: %v", len(model[k]), limit, err)
			}
		}
		s.RunUntil(deadline.Deadline{})
		want = append(append(want, model[0]...), model[1]...)
		if !slices.Equal(got, want) {
			t.Fatalf("ran %v, want %v", got, want)
		}
		_ = b.Post(deadline.Normal, func() {})
		s.Close()
		if err := b.Post(deadline.Normal, func() {}); err != scheduler.ErrClosed {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestPostWaitWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		b := flow.NewBound(s, 2)
		start := time.Now()
		var mu sync.Mutex
		var lines []string
		for i := range 4 {
			go func() {
				time.Sleep(time.Duration(i) * ms)
				if err := b.PostWait(t.Context(), deadline.Normal, func() { time.Sleep(10 * ms) }); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, fmt.Sprintf("%d accepted at %v", i, time.Since(start)))
			}()
		}
		time.Sleep(20 * ms)
		s.RunUntil(deadline.Deadline{})
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(lines, ", "); got !=
			"0 accepted at 0s, 1 accepted at 1ms, 2 accepted at 30ms, 3 accepted at 40ms" {
			t.Error(got)
		}
		s.Close()
	})
}

func TestPostWaitEndsWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New(scheduler.Options{})
		b := flow.NewBound(s, 1)
		nothing := func() {}
		_ = b.Post(deadline.Normal, nothing)
		cause := errors.New("the scene is gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := make(chan error, 4)
		wait := func(ctx context.Context) { errs <- b.PostWait(ctx, deadline.Normal, nothing) }
		go wait(ctx)
		synctest.Wait() // one has the turn
		go wait(ctx)
		synctest.Wait()
		cancel(cause)
		for range 2 {
			if err := <-errs; !errors.Is(err, cause) {
				t.Error(err)
			}
		}
		wait(ctx)
		if err := <-errs; !errors.Is(err, cause) {
			t.Error("a context that was done before:", err)
		}
		go wait(nil)
		go wait(t.Context())
		synctest.Wait()
		s.Close()
		for range 2 {
			if err := <-errs; !errors.Is(err, scheduler.ErrClosed) {
				t.Error(err)
			}
		}
		if context.Cause(s.Context()) != scheduler.ErrClosed {
			t.Error("the scheduler's context:", context.Cause(s.Context()))
		}
	})
}

func TestPostWaitRefusesToBlockATask(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b := flow.NewBound(s, 1)
	var errs []error
	post := func() { errs = append(errs, b.PostWait(t.Context(), deadline.Low, func() {})) }
	s.Post(deadline.Normal, func() { post(); post() })
	s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); post() })
	s.RunUntil(deadline.Deadline{})
	if len(errs) != 3 || errs[0] != nil || errs[1] != flow.ErrFull || errs[2] != flow.ErrFull {
		t.Error(errs)
	}
}

// Many producers: nothing is lost, nothing runs twice, no more than the limit is in, and goroutines that wait continue.
func TestStressBound(t *testing.T) {
	const producers, each, limit = 8, 400, 3
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b := flow.NewBound(s, limit)
	var accepted, ran atomic.Int64
	var g sync.WaitGroup
	for p := range producers {
		g.Go(func() {
			for range each {
				post := b.Post
				if p%2 == 0 {
					post = func(p deadline.Priority, f func()) error {
						return b.PostWait(context.Background(), p, f)
					}
				}
				if post(deadline.Normal, func() { ran.Add(1) }) == nil {
					accepted.Add(1)
				}
			}
		})
	}
	runWhile(s, &g, func() {
		if n := accepted.Load(); n-ran.Load() > limit {
			t.Fatalf("%d in", n-ran.Load())
		}
	})
	if want := accepted.Load(); ran.Load() != want || want < producers/2*each {
		t.Errorf("%d ran, want %d", ran.Load(), want)
	}
	for range limit { // all places are free again
		if err := b.Post(deadline.Normal, func() {}); err != nil {
			t.Error(err)
		}
	}
}

// The kind of a bounded function is the function, not what carries it.
func TestABoundKeepsKindsApart(t *testing.T) {
	var labels []string
	s := scheduler.New(scheduler.Options{OnPanic: func(pe *scheduler.PanicError) { labels = append(labels, pe.Label) }})
	defer s.Close()
	b := flow.NewBound(s, 0)
	_ = b.Post(deadline.Normal, offTheMesh)
	l := flow.NewLatest(s, deadline.Normal, offTheMap)
	_ = l.Post(1, 1)
	s.RunUntil(deadline.Deadline{})
	if got := strings.Join(labels, " "); !strings.HasSuffix(labels[0], ".offTheMesh") ||
		!strings.HasSuffix(labels[1], ".offTheMap") {
		t.Error(got)
	}
}

func offTheMesh()        { panic("off the mesh") }
func offTheMap(int, int) { panic("off the map") }
