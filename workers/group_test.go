package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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

// Random trees of jobs with random ends against what they must come to: every job is called once, any panic
// is raised, else an error of one of them is returned if there is any.
func TestGroupAgainstItsRules(t *testing.T) {
	pools := fewPools(t)
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(pools).Draw(t, "pool")
		ends := rapid.SliceOfN(rapid.SampledFrom([]string{"ok", "ok", "ok", "ok", "error", "panic", "exit"}), 1,
			30).Draw(t, "ends")
		// Each job is spawned by an earlier one, or from outside: -1.
		children := make(map[int][]int)
		for i := range ends {
			parent := rapid.IntRange(-1, i-1).Draw(t, "parent")
			children[parent] = append(children[parent], i)
		}
		called := make([]atomic.Int32, len(ends))
		var err error
		v := testkit.Recovered(func() {
			err = grouped(p, background, func(g *workers.Group) {
				var spawn func(of int)
				spawn = func(of int) {
					for _, i := range children[of] {
						g.Go(func(context.Context) error {
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

// Many may spawn, and many may wait, also in jobs on the only worker.
func TestGroupOfMany(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		for range 20 {
			var ran atomic.Int64
			g := p.NewGroup(background, deadline.Normal)
			var spawners sync.WaitGroup
			for range 4 {
				spawners.Go(func() {
					for i := range 25 {
						g.Go(func(context.Context) error {
							ran.Add(1)
							if i == 0 {
								return workers.ErrFull
							}
							return nil
						})
					}
				})
			}
			spawners.Wait()
			var waiters sync.WaitGroup
			for k := range 3 {
				waiters.Go(func() {
					wait := func(context.Context) (int, error) { return 0, g.Wait() }
					_, err := wait(background)
					if k == 0 {
						_, err = workers.Submit(p, deadline.Immediate, wait).Wait(background)
					}
					if !errors.Is(err, workers.ErrFull) || ran.Load() != 100 {
						t.Errorf("Wait: %v after %d", err, ran.Load())
					}
				})
			}
			testkit.Within(t, "Wait", waiters.Wait)
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
