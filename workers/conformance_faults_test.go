package workers_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

var errBoom = errors.New("boom")

// faults are what a function may do instead of returning, and how it is told from the rest.
var faults = map[string]struct {
	f  func()
	is func(err error) bool
}{
	"panic": {func() { panic(errBoom) }, func(err error) bool {
		var pe *workers.PanicError
		return errors.As(err, &pe) && errors.Is(err, errBoom) && len(pe.Stack) > 0
	}},
	"panic of nil": {func() { panic(nil) }, func(err error) bool { //nolint:govet
		var pe *workers.PanicError
		var nothing *runtime.PanicNilError
		return errors.As(err, &pe) && errors.As(err, &nothing)
	}},
	"fault": {func() { _ = *(*int)(nil) }, func(err error) bool {
		var pe *workers.PanicError
		var re runtime.Error
		return errors.As(err, &pe) && errors.As(err, &re)
	}},
	"Goexit": {runtime.Goexit, func(err error) bool { return errors.Is(err, workers.ErrGoexit) }},
}

// owned are the verbs whose function has an owner, and how that learns of its end: as an error, or a panic.
var owned = map[string]func(p *workers.Pool, f func()) error{
	"Job": func(p *workers.Pool, f func()) error {
		j := workers.Job{Func: func(*workers.Worker) { f() }}
		p.Submit(&j)
		return errors.Join(j.Wait(background), j.Err())
	},
	"job that is reused": func(p *workers.Pool, f func()) error {
		fail := true
		j := workers.Job{Func: func(*workers.Worker) {
			if fail {
				f()
			}
		}}
		p.Submit(&j)
		err := j.Wait(background)
		fail = false
		p.Submit(&j)
		must(j.Wait(background))
		return err
	},
	"Future": func(p *workers.Pool, f func()) error {
		u := workers.Submit(p, deadline.Low, func() (int, error) { f(); return 0, nil })
		_, err := u.Wait(background)
		<-u.Done()
		_, same := u.Result()
		if !errors.Is(same, err) {
			panic("Result differs from Wait")
		}
		return err
	},
	"Then": func(p *workers.Pool, f func()) error {
		u := workers.Then(answer(p), func(int) (int, error) { f(); return 0, nil })
		_, err := workers.Then(u, func(int) (int, error) { panic("it ran") }).Wait(background)
		return err
	},
	"Scope.Go": func(p *workers.Pool, f func()) error {
		return p.Scope(background, func(s *workers.Scope) error {
			s.Go(func(context.Context) error { f(); return nil })
			s.Go(func(context.Context) error { return nil })
			return nil
		})
	},
	"Group.Go": func(p *workers.Pool, f func()) error {
		g := p.NewGroup(background, workers.GroupOptions{})
		g.Go(func(context.Context) error { f(); return nil })
		return g.Wait()
	},
	"Scope": func(p *workers.Pool, f func()) error {
		return p.Scope(background, func(s *workers.Scope) error { f(); return nil })
	},
	"ParallelFor": func(p *workers.Pool, f func()) error {
		p.ParallelFor(4, 1, func(lo, hi int) { f() })
		return nil
	},
	"measured loop": func(p *workers.Pool, f func()) error {
		p.ParallelFor(4, 0, func(lo, hi int) { f() })
		return nil
	},
	"Join": func(p *workers.Pool, f func()) error {
		workers.Join(p, f, func() {}, f)
		return nil
	},
	"Map": func(p *workers.Pool, f func()) error {
		workers.Map(p, nil, make([]int, 9), func(int) int { f(); return 0 })
		return nil
	},
	"combine": func(p *workers.Pool, f func()) error {
		workers.Reduce(p, 9, 1, func(lo, hi int) int { return 0 }, func(a, b int) int { f(); return 0 })
		return nil
	},
	"Graph": func(p *workers.Pool, f func()) error {
		var g workers.Graph
		a := g.Add("a", func(*workers.Worker) error { f(); return nil })
		g.Add("b", func(*workers.Worker) error { panic("it ran") }, a)
		return g.Run(background, p)
	},
	"Stream": func(p *workers.Pool, f func()) error {
		s := workers.NewStream[int](p, deadline.Normal, 0)
		must(s.TrySubmit(func(*int) error { f(); return nil }))
		must(s.TrySubmit(func(*int) error { return nil }))
		_, err := s.Next(background)
		_, none := s.Next(background)
		must(none)
		return err
	},
	"Blocking": func(p *workers.Pool, f func()) error {
		j := workers.Job{Func: func(w *workers.Worker) { w.Blocking(f) }}
		p.Submit(&j)
		return j.Wait(background)
	},
	"Join of a fork": func(p *workers.Pool, f func()) error {
		j := workers.Job{Func: func(w *workers.Worker) {
			k := workers.Job{Func: func(*workers.Worker) { f() }}
			w.Fork(&k)
			w.Join(&k)
		}}
		p.Submit(&j)
		return j.Wait(background)
	},
}

// Whatever a function does instead of returning, its owner learns of it, in one of the ways that Go has, and the
// pool is afterwards what it was before.
func TestFaultsReachTheOwnerAndNobodyElse(t *testing.T) {
	for shape, o := range map[string]workers.Options{
		"none":       {Workers: -1},
		"two":        {Workers: 2},
		"background": {Workers: 1, Background: 1},
	} {
		p := workers.New(o)
		var before, after workers.Stats
		p.Stats(&before)
		for verb, use := range owned {
			for name, fault := range faults {
				what := verb + ", " + name + ", on " + shape
				within(t, what, func() {
					if err := ending(func() error { return use(p, fault.f) }); !fault.is(err) {
						t.Errorf("%s: %v", what, err)
					}
				})
			}
		}
		p.Stats(&after)
		if before.Workers != after.Workers || before.Background != after.Background {
			t.Errorf("on %s: %d and %d workers became %d and %d", shape,
				before.Workers, before.Background, after.Workers, after.Background)
		}
		mustClose(t, p)
	}
}

// ending calls f on a goroutine of its own and returns how that ended: f's error, a panic, or ErrGoexit.
func ending(f func() error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended := false
		defer func() {
			if v := recover(); v != nil {
				err, _ = v.(error)
			} else if !ended {
				err = workers.ErrGoexit
			}
		}()
		err = f()
		ended = true
	}()
	<-done
	return err
}
