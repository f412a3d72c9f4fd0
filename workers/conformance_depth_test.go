package workers_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// nests call f within themselves, in some way that makes the caller wait for it.
var nests = map[string]func(p *workers.Pool, f func()){
	"job": func(p *workers.Pool, f func()) {
		j := workers.Job{Func: func(*workers.Worker) { f() }}
		p.Submit(&j)
		must(j.Wait(background))
	},
	"urgent job with a context": func(p *workers.Pool, f func()) {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		j := workers.Job{Priority: deadline.Immediate, Func: func(*workers.Worker) { f() }}
		p.Submit(&j)
		must(j.Wait(ctx))
	},
	"future": func(p *workers.Pool, f func()) {
		_, err := workers.Submit(p, deadline.Idle, func() (int, error) { f(); return 0, nil }).Wait(background)
		must(err)
	},
	"follower": func(p *workers.Pool, f func()) {
		_, err := workers.Then(answer(p), func(int) (int, error) { f(); return 0, nil }).Wait(background)
		must(err)
	},
	"scope": func(p *workers.Pool, f func()) {
		must(p.Scope(background, func(s *workers.Scope) error {
			s.Go(func(context.Context) error { f(); return nil })
			return nil
		}))
	},
	"group": func(p *workers.Pool, f func()) {
		g := p.NewGroup(background, workers.GroupOptions{})
		g.Go(func(context.Context) error { f(); return nil })
		must(g.Wait())
	},
	"loop": func(p *workers.Pool, f func()) {
		p.ParallelFor(2, 1, func(lo, hi int) {
			if lo == 0 {
				f()
			}
		})
	},
	"join": func(p *workers.Pool, f func()) { workers.Join(p, f, func() {}) },
	"graph": func(p *workers.Pool, f func()) {
		var g workers.Graph
		a := g.Add("a", func(*workers.Worker) error { return nil })
		g.Add("b", func(*workers.Worker) error { f(); return nil }, a)
		must(g.Run(background, p))
	},
	"stream": func(p *workers.Pool, f func()) {
		s := workers.NewStream[int](p, deadline.Normal, 1)
		must(s.TrySubmit(func(*int) error { f(); return nil }))
		_, err := s.Next(background)
		must(err)
	},
	"sort": func(p *workers.Pool, f func()) {
		called := false
		workers.Sort(p, []int{2, 1}, func(a, b int) int {
			if !called {
				called = true
				f()
			}
			return a - b
		})
	},
}

// Whatever waits may do so a thousand deep, on any number of workers, and so may one kind of it within another.
func TestWaitsNestAThousandDeep(t *testing.T) {
	depth := 1000
	if testing.Short() {
		depth = 200
	}
	for shape, o := range map[string]workers.Options{
		"none":       {Workers: -1},
		"one":        {Workers: 1},
		"two":        {Workers: 2},
		"background": {Workers: 1, Background: 1},
	} {
		p := workers.New(o)
		dive := func(name string, nest func(level int, f func())) {
			bottom := 0
			var deeper func(level int)
			deeper = func(level int) {
				if level == depth {
					bottom++
					return
				}
				nest(level, func() { deeper(level + 1) })
			}
			within(t, name+" on "+shape, func() { deeper(0) })
			if bottom != 1 {
				t.Errorf("%s on %s: the bottom was reached %d times", name, shape, bottom)
			}
		}
		var mixed []func(p *workers.Pool, f func())
		for name, nest := range nests {
			mixed = append(mixed, nest)
			dive(name, func(_ int, f func()) { nest(p, f) })
		}
		dive("all of them", func(level int, f func()) { mixed[level%len(mixed)](p, f) })
		mustClose(t, p)
	}
}
