package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
	"pgregory.net/rapid"
)

// The first error cancels the others' context and is returned; they are called all the same.
func TestScopeReturnsTheFirstError(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		boom := errors.New("boom")
		var called atomic.Int64
		err := p.Scope(background, func(s *workers.Scope) error {
			for range 3 {
				s.Go(func(ctx context.Context) error {
					called.Add(1)
					<-ctx.Done()
					return context.Cause(ctx)
				})
			}
			// The caller begins with the newest, so that it cannot be one of those that wait for this one.
			s.Go(func(context.Context) error { return boom })
			return nil
		})
		if err != boom || called.Load() != 3 {
			t.Errorf("got %v, and %d of 3 others called", err, called.Load())
		}
		err = p.Scope(background, func(s *workers.Scope) error {
			s.Go(func(ctx context.Context) error { <-ctx.Done(); return nil })
			return boom
		})
		if err != boom {
			t.Errorf("of the body: %v", err)
		}
		ctx, cancel := context.WithCancel(background)
		cancel()
		err = p.Scope(ctx, func(s *workers.Scope) error {
			s.Go(func(ctx context.Context) error { return ctx.Err() })
			return nil
		})
		if err != context.Canceled {
			t.Errorf("of a canceled context: %v", err)
		}
	})
}

// The caller never waits for what has not begun: all workers are taken until it has returned.
func TestScopeClaimsWhatNobodyBegan(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2, Background: 1})
	release := make(chan struct{})
	var begun atomic.Int64
	for _, prio := range []deadline.Priority{deadline.Immediate, deadline.Immediate, deadline.Normal} {
		p.Go(prio, func() { begun.Add(1); <-release })
	}
	var st workers.Stats
	p.Stats(&st)
	eventually(t, "the workers", func() bool { return begun.Load() == int64(2+st.Background) })
	for range 3 {
		ran := 0 // by the caller alone, so it does not race
		if err := p.Scope(background, func(s *workers.Scope) error {
			for range 10 {
				s.Go(func(context.Context) error { ran++; return nil })
			}
			return nil
		}); err != nil || ran != 10 {
			t.Errorf("ran %d of 10, %v", ran, err)
		}
	}
	close(release)
	mustClose(t, p)
}

// Random trees of jobs with random ends against what they must come to: every job is called once, any panic
// is raised, else an error of one of them is returned if there is any.
func TestScopeAgainstItsRules(t *testing.T) {
	pools := []*workers.Pool{}
	for _, o := range []workers.Options{{Workers: -1}, {Workers: 1}, {Workers: 3}} {
		p := workers.New(o)
		defer mustClose(t, p)
		pools = append(pools, p)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(pools).Draw(t, "pool")
		ends := rapid.SliceOfN(rapid.SampledFrom([]string{"ok", "ok", "ok", "ok", "error", "panic", "exit"}), 1,
			30).Draw(t, "ends")
		// Job i is spawned by the job parents[i] < i, or by the body if that is negative.
		children := make(map[int][]int)
		for i := range ends {
			parent := rapid.IntRange(-1, i-1).Draw(t, "parent")
			children[parent] = append(children[parent], i)
		}
		called := make([]atomic.Int32, len(ends))
		var err error
		v := panicOf(func() {
			err = p.Scope(background, func(s *workers.Scope) error {
				var spawn func(of int)
				spawn = func(of int) {
					for _, i := range children[of] {
						s.Go(func(context.Context) error {
							called[i].Add(1)
							spawn(i)
							switch ends[i] {
							case "error":
								return fmt.Errorf("error")
							case "panic":
								panic("panic")
							case "exit":
								runtime.Goexit()
							}
							return nil
						})
					}
				}
				spawn(-1)
				return nil
			})
		})
		seen := map[string]bool{}
		for i := range called {
			if n := called[i].Load(); n != 1 {
				t.Fatalf("job %d was called %d times", i, n)
			}
			seen[ends[i]] = true
		}
		pe, _ := v.(*workers.PanicError)
		switch {
		case seen["panic"] != (pe != nil):
			t.Fatalf("raised %v after %v", v, ends)
		case pe != nil:
		case (err != nil) != (seen["error"] || seen["exit"]):
			t.Fatalf("returned %v after %v", err, ends)
		case err != nil && !seen["error"] && err != workers.ErrGoexit:
			t.Fatalf("returned %v after %v", err, ends)
		}
	})
}

func ExamplePool_Scope() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	parts := make([]string, 3)
	err := p.Scope(context.Background(), func(s *workers.Scope) error {
		for i := range parts {
			s.Go(func(ctx context.Context) error {
				parts[i] = fmt.Sprint("part ", i)
				return ctx.Err()
			})
		}
		return nil
	})
	fmt.Println(parts, err)
	// Output: [part 0 part 1 part 2] <nil>
}
