package workers_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/workers"
	"pgregory.net/rapid"
)

// The first error, also the body's, cancels the others' context and is returned; they are called all the same.
func TestScopeReturnsTheFirstError(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		for _, ofBody := range []error{nil, errBoom} {
			var called atomic.Int64
			err := p.Scope(background, func(s *workers.Scope) error {
				for range 3 {
					s.Go(func(ctx context.Context) error {
						called.Add(1)
						<-ctx.Done()
						return context.Cause(ctx)
					})
				}
				if ofBody == nil { // the caller begins with the newest, so that it cannot be one of those that wait
					s.Go(func(context.Context) error { return errBoom })
				}
				return ofBody
			})
			if err != errBoom || called.Load() != 3 {
				t.Errorf("of the body: %v: got %v, and %d of 3 others called", ofBody, err, called.Load())
			}
		}
	})
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
