package workers_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// foreign is a Looper of somebody else's, though it has one of ours within.
type foreign struct {
	*workers.Pool
	called int
}

func (l *foreign) ParallelFor(n, grain int, body func(lo, hi int)) {
	l.called++
	l.Pool.ParallelFor(n, grain, body)
}

// A panic names the call whose function it was, also where that is a ParallelFor in the end.
func TestPanicsNameTheLoop(t *testing.T) {
	no := func(int) int { panic("no") }
	cmp := func(a, b int) int { panic("no") }
	loops := map[string]func(l workers.Looper){
		"ParallelFor": func(l workers.Looper) { l.ParallelFor(1000, 1, func(lo, hi int) { panic("no") }) },
		"Map":         func(l workers.Looper) { workers.Map(l, nil, make([]int, 1000), no) },
		"Reduce": func(l workers.Looper) {
			workers.Reduce(l, 1000, 1, func(int, int) int { panic("no") }, func(a, b int) int { return a })
		},
		"Sort": func(l workers.Looper) { workers.Sort(l, make([]int, 10_000), cmp) },
		"Join": func(l workers.Looper) { workers.Join(l, func() { panic("no") }, func() { panic("no") }) },
	}
	each(t, func(t *testing.T, p *workers.Pool) {
		for name, loop := range loops {
			check := func(what string, l workers.Looper) {
				if got := panicOf(func() { loop(l) }).(*workers.PanicError).Error(); got != name+": panic: no" {
					t.Errorf("%s of a %s: %s", name, what, got)
				}
			}
			check("pool", p)
			j := workers.Job{Func: func(w *workers.Worker) { check("worker", w) }}
			p.Submit(&j)
			must(j.Wait(background))
			l := &foreign{Pool: p}
			if panicOf(func() { loop(l) }) == nil || l.called == 0 {
				t.Errorf("%s of a foreign Looper does not call that", name)
			}
		}
	})
}

// A panic of work without a label names the function, whoever ran it, and however its owner learns of it.
func TestPanicsNameTheFunction(t *testing.T) {
	verbs := map[string]func(p *workers.Pool) error{
		"Job": func(p *workers.Pool) error {
			j := workers.Job{Func: func(*workers.Worker) { panic("no") }}
			p.Submit(&j)
			return j.Wait(background)
		},
		"Job in turns": func(p *workers.Pool) error {
			j := workers.Job{Func: func(w *workers.Worker) { w.Yield(); panic("no") }}
			p.Submit(&j)
			p.RunUntil(deadline.Deadline{})
			return j.Wait(background)
		},
		"Future": func(p *workers.Pool) error {
			_, err := workers.Submit(p, deadline.Low, func() (int, error) { panic("no") }).Wait(background)
			return err
		},
		"Then": func(p *workers.Pool) error {
			f := workers.Submit(p, deadline.Low, func() (int, error) { return 1, nil })
			_, err := workers.Then(f, func(int) (int, error) { panic("no") }).Wait(background)
			return err
		},
		"Stream": func(p *workers.Pool) error {
			s := workers.NewStream[int](p, deadline.Normal, 0)
			must(s.Submit(background, func(*int) error { panic("no") }))
			_, err := s.Next(background)
			return err
		},
		"Group": func(p *workers.Pool) (err error) {
			g := p.NewGroup(background, workers.GroupOptions{})
			g.Go(func(context.Context) error { panic("no") })
			return panicOf(func() { _ = g.Wait() }).(error)
		},
		"Scope": func(p *workers.Pool) error {
			return panicOf(func() {
				_ = p.Scope(background, func(s *workers.Scope) error {
					s.Go(func(context.Context) error { panic("no") })
					return nil
				})
			}).(error)
		},
		"fork": func(p *workers.Pool) error {
			fork := workers.Job{Func: func(*workers.Worker) { panic("no") }}
			j := workers.Job{Label: "outer", Func: func(w *workers.Worker) { w.Fork(&fork) }} // runs at its end
			p.Submit(&j)
			must(j.Wait(background))
			for fork.State() != workers.Finished {
				runtime.Gosched()
			}
			return fork.Err()
		},
	}
	const want = "workers_test.TestPanicsNameTheFunction."
	each(t, func(t *testing.T, p *workers.Pool) {
		for name, verb := range verbs {
			var pe *workers.PanicError
			if err := verb(p); !errors.As(err, &pe) || !strings.HasPrefix(pe.Label, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		inner := workers.Job{Label: "inner", Func: func(*workers.Worker) { panic("no") }}
		p.Submit(&inner)
		outer := workers.Job{Func: func(*workers.Worker) { panic(inner.Wait(background)) }}
		p.Submit(&outer)
		if err := outer.Wait(background); err == nil || err != inner.Err() || err.Error() != "inner: panic: no" {
			t.Errorf("raised again: %v", err)
		}
	})
	for name, o := range shapes {
		got := make(chan *workers.PanicError, 1)
		o.OnPanic = func(pe *workers.PanicError) { got <- pe }
		p := workers.New(o)
		p.Go(deadline.Normal, func() { panic("no") })
		if !hasWorkers(p) {
			p.RunUntil(deadline.Deadline{})
		}
		if pe := <-got; !strings.HasPrefix(pe.Label, want) {
			t.Errorf("Pool.Go on %s: %v", name, pe)
		}
		mustClose(t, p)
	}
}
