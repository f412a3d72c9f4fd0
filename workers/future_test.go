package workers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

func ExampleSubmit() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	f := workers.Submit(p, deadline.UserBlocking, func(context.Context) (int, error) { return 6 * 7, nil })
	fmt.Println(f.Wait(context.Background()))
	// Output: 42 <nil>
}

// Every verb of a Future in every state that it can be in.
func TestFutureVerbsInEachState(t *testing.T) {
	boom := errors.New("boom")
	value := func(context.Context) (int, error) { return 7, nil }
	// Each makes a future in a state, and returns what brings it to its end, or nil if it has ended.
	states := map[string]struct {
		make func(t *testing.T, p *workers.Pool) (f *workers.Future[int], end func())
		want string // of Result, after the end
		may  bool   // be canceled
	}{
		"queued": {func(t *testing.T, p *workers.Pool) (*workers.Future[int], func()) {
			return workers.Submit(p, deadline.Normal, value), func() { p.RunUntil(deadline.Deadline{}) }
		}, "7 <nil>", true},
		"following": {func(t *testing.T, p *workers.Pool) (*workers.Future[int], func()) {
			f := workers.Submit(p, deadline.Normal, value)
			g := workers.Then(f, func(_ context.Context, n int) (int, error) { return n + 1, nil })
			return g, func() { p.RunUntil(deadline.Deadline{}) }
		}, "8 <nil>", true},
		"running": {func(t *testing.T, p *workers.Pool) (*workers.Future[int], func()) {
			started, gate := make(chan struct{}), make(chan struct{})
			f := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) {
				close(started)
				<-gate
				return value(background)
			})
			ran := make(chan struct{})
			go func() { p.RunUntil(deadline.Deadline{}); close(ran) }()
			<-started
			return f, func() { close(gate); <-ran }
		}, "7 <nil>", false},
		"finished": {func(t *testing.T, p *workers.Pool) (*workers.Future[int], func()) {
			f := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 3, boom })
			p.RunUntil(deadline.Deadline{})
			return f, nil
		}, "3 boom", false},
		"canceled": {func(t *testing.T, p *workers.Pool) (*workers.Future[int], func()) {
			f := workers.Submit(p, deadline.Normal, value)
			f.Cancel()
			return f, nil
		}, "0 " + workers.ErrCanceled.Error(), false},
		"closed": {func(t *testing.T, p *workers.Pool) (*workers.Future[int], func()) {
			mustClose(t, p)
			return workers.Submit(p, deadline.Normal, value), nil
		}, "0 " + workers.ErrClosed.Error(), false},
	}
	for name, s := range states {
		t.Run(name, func(t *testing.T) {
			verb := func(name string, f func(t *testing.T, u *workers.Future[int], end func())) {
				t.Run(name, func(t *testing.T) {
					p := workers.New(workers.Options{Workers: -1})
					u, end := s.make(t, p)
					f(t, u, end)
					mustClose(t, p)
				})
			}
			result := func(t *testing.T, u *workers.Future[int], want string) {
				t.Helper()
				v, err := u.Result()
				if got := fmt.Sprint(v, " ", err); got != want {
					t.Errorf("Result: %s, want %s", got, want)
				}
			}
			verb("Result", func(t *testing.T, u *workers.Future[int], end func()) {
				if end != nil {
					if testkit.Recovered(func() { _, _ = u.Result() }) == nil {
						t.Error("Result before the end did not panic")
					}
					end()
				}
				result(t, u, s.want)
			})
			verb("Cancel", func(t *testing.T, u *workers.Future[int], end func()) {
				want := s.want
				if got := u.Cancel(); got != s.may {
					t.Errorf("Cancel: %v, want %v", got, s.may)
				}
				if s.may {
					want = "0 " + workers.ErrCanceled.Error()
					result(t, u, want) // at once
				}
				if end != nil {
					end()
				}
				result(t, u, want)
			})
			verb("Done and Notify", func(t *testing.T, u *workers.Future[int], end func()) {
				log := ""
				for _, s := range []string{"a", "b"} {
					u.Notify(func() { log += s })
				}
				select {
				case <-u.Done():
					if end != nil {
						t.Error("done before the end")
					}
				default:
					if end == nil {
						t.Error("not done")
					}
				}
				if end != nil {
					end()
				}
				<-u.Done()
				if u.Notify(func() { log += "c" }); log != "abc" {
					t.Errorf("calls: %q", log)
				}
			})
			verb("Wait", func(t *testing.T, u *workers.Future[int], end func()) {
				if v, err := u.Wait(over); name == "running" && (v != 0 || err != context.Canceled) {
					t.Errorf("Wait with a context that is done: %d, %v", v, err)
				}
				if name == "running" {
					end()
				}
				v, err := u.Wait(background)
				if got := fmt.Sprint(v, " ", err); got != s.want {
					t.Errorf("Wait: %s, want %s", got, s.want)
				}
			})
		})
	}
}
