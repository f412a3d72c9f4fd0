package workers_test

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Jobs that wait for one another are named, and end; those that do not are left alone.
func TestWaitCyclesAreNamed(t *testing.T) {
	type pool = *workers.Pool
	// Each starts jobs that wait in a circle and returns one of them.
	circles := map[string]struct {
		start func(p pool) *workers.Job
		want  string
	}{
		"itself": {func(p pool) *workers.Job {
			j := &workers.Job{Label: "a"}
			j.Func = func(*workers.Worker) { _ = j.Wait(background) }
			p.Submit(j)
			return j
		}, "a -> a$"},
		"two": {func(p pool) *workers.Job {
			a, b := &workers.Job{Label: "a"}, &workers.Job{Label: "b"}
			both := make(chan struct{})
			a.Func = func(*workers.Worker) { <-both; panicOn(b.Wait(background)) }
			b.Func = func(*workers.Worker) { <-both; panicOn(a.Wait(background)) }
			p.Submit(a)
			p.Submit(b)
			close(both)
			return a
		}, "(a -> b -> a|b -> a -> b)$"},
		"three": {func(p pool) *workers.Job {
			var j [3]workers.Job
			all := make(chan struct{})
			defer close(all)
			for i := range j {
				j[i].Label = string(rune('a' + i))
				j[i].Priority = deadline.Priorities()[i]
				j[i].Func = func(*workers.Worker) { <-all; panicOn(j[(i+1)%3].Wait(background)) }
			}
			for i := range j {
				p.Submit(&j[i])
			}
			return &j[0]
		}, "(a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c)$"},
		"a scope": {func(p pool) *workers.Job {
			j := &workers.Job{Label: "a"}
			j.Func = func(w *workers.Worker) {
				panicOn(p.Scope(background, func(s *workers.Scope) error {
					s.Go(func(ctx context.Context) error { return j.Wait(background) })
					return nil
				}))
			}
			p.Submit(j)
			return j
		}, `(a -> .*func[\d.]+ -> a|func[\d.]+ -> a -> .*func[\d.]+)$`},
		"a chain": {func(p pool) *workers.Job {
			j := &workers.Job{Label: "a"}
			ready := make(chan *workers.Future[int], 1)
			j.Func = func(*workers.Worker) {
				_, err := (<-ready).Wait(background)
				panicOn(err)
			}
			p.Submit(j)
			f := workers.Submit(p, deadline.Normal, func() (int, error) { return 0, j.Wait(background) })
			for range 3 {
				f = workers.Then(f, func(int) (int, error) { return 0, nil })
			}
			ready <- f
			return j
		}, `a -> .*func|func.* -> a -> `},
	}
	for name, c := range circles {
		t.Run(name, func(t *testing.T) {
			for shape, o := range shapes {
				t.Run(shape, func(t *testing.T) {
					o.FindCycles = true
					p := workers.New(o)
					defer mustClose(t, p)
					err := c.start(p).Wait(background)
					var pe *workers.PanicError
					if !errors.As(err, &pe) {
						t.Fatalf("err %v", err)
					}
					if ok, _ := regexp.MatchString("in a circle: .*"+c.want, pe.Error()); !ok {
						t.Errorf("got %v, want %s", pe, c.want)
					}
				})
			}
		})
	}
}

func panicOn(err error) {
	if err != nil {
		panic(err)
	}
}

// What waits without a circle is not disturbed.
func TestWaitsWithoutACircle(t *testing.T) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			o.FindCycles = true
			p := workers.New(o)
			defer mustClose(t, p)
			var sum func(n int) (int, error)
			sum = func(n int) (int, error) {
				if n == 0 {
					return 0, nil
				}
				f := workers.Submit(p, deadline.Low, func() (int, error) { return sum(n - 1) })
				g := workers.Then(f, func(v int) (int, error) { return v, nil })
				var a, b int
				err := p.Scope(background, func(s *workers.Scope) error {
					s.Go(func(context.Context) (err error) { a, err = g.Wait(background); return err })
					s.Go(func(context.Context) (err error) { b, err = f.Wait(background); return err })
					return nil
				})
				return n + (a+b)/2, err
			}
			top := workers.Submit(p, deadline.Normal, func() (int, error) { return sum(12) })
			if v, err := top.Wait(background); v != 78 || err != nil {
				t.Errorf("sum %d, %v", v, err)
			}
		})
	}
}
