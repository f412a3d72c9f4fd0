package workers_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// few are the shapes of pools on which the slow tests of all ways run.
var few = map[string]workers.Options{
	"none":       {Workers: -1},
	"one":        {Workers: 1},
	"two":        {Workers: 2},
	"background": {Workers: 1, Background: 1},
}

// faults are what a function may do instead of returning, and how it is told from the rest.
var faults = map[string]struct {
	f  func()
	is func(err error) bool
}{
	"panic": {func() { explode(errBoom) }, func(err error) bool {
		pe, ok := err.(*workers.PanicError)
		if !ok {
			return false
		}
		_, first, _ := strings.Cut(string(pe.Stack), "\n")
		return errors.Is(err, errBoom) && strings.HasPrefix(first, fault.NameOf(explode)+"(")
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

// Whatever a function does instead of returning, its owner learns of it: as an error, or a panic. The panic names the
// function or the loop, and its stack begins with the function. The pool is afterwards as before. The owner's goroutine
// may be locked to its thread.
func TestFaultsReachTheOwnerAndNobodyElse(t *testing.T) {
	shapes := maps.Clone(few)
	shapes["locked"] = few["none"]
	for shape, o := range shapes {
		p := workers.New(o)
		var before, after workers.Stats
		p.Stats(&before)
		for name, verb := range ways() {
			for fault, x := range faults {
				what := name + ", " + fault + ", on " + shape
				testkit.Within(t, what, func() {
					err := ending(func() error {
						if shape == "locked" {
							runtime.LockOSThread()
						}
						return verb.call(p, x.f)
					})
					if !x.is(err) {
						t.Errorf("%s: %v", what, err)
					}
					pe, ok := err.(*workers.PanicError)
					ours := ok && strings.HasPrefix(pe.Label, "workers_test.ways.")
					if ok && pe.Label != verb.label && (verb.label != "" || !ours) {
						t.Errorf("%s: the label is %q", what, pe.Label)
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

// Whatever waits may do so a thousand deep, on any number of workers, and so may one way within another.
func TestWaitsNestAThousandDeep(t *testing.T) {
	depth := 1000
	if testing.Short() {
		depth = 200
	}
	for shape, o := range few {
		p := workers.New(o)
		var all []way
		dive := func(name string, at func(level int) way) {
			bottom := 0
			var deeper func(level int)
			deeper = func(level int) {
				if level == depth {
					bottom++
					return
				}
				must(at(level).call(p, func() { deeper(level + 1) }))
			}
			testkit.Within(t, name+" on "+shape, func() { deeper(0) })
			if bottom != 1 {
				t.Errorf("%s on %s: the bottom was reached %d times", name, shape, bottom)
			}
		}
		for name, verb := range ways() {
			all = append(all, verb)
			if name != "Blocking" { // for which there are not so many spares
				dive(name, func(int) way { return verb })
			}
		}
		dive("all of them", func(level int) way { return all[level%len(all)] })
		mustClose(t, p)
	}
}

// The panic of a function without an owner, and of one in turns, names the function too. An error that is raised again
// stays as it was.
func TestPanicsNameTheFunction(t *testing.T) {
	const want = "workers_test.TestPanicsNameTheFunction."
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
		turns := workers.Job{Func: func(w *workers.Worker) { w.Yield(); panic("no") }}
		p.Submit(&turns)
		p.RunUntil(deadline.Deadline{})
		var pe *workers.PanicError
		if err := turns.Wait(background); !errors.As(err, &pe) || !strings.HasPrefix(pe.Label, want) {
			t.Errorf("in turns on %s: %v", name, err)
		}
		inner := workers.Job{Label: "inner", Func: func(*workers.Worker) { panic("no") }}
		p.Submit(&inner)
		outer := workers.Job{Func: func(*workers.Worker) { panic(inner.Wait(background)) }}
		p.Submit(&outer)
		if err := outer.Wait(background); err == nil || err != inner.Err() || err.Error() != "inner: panic: no" {
			t.Errorf("raised again on %s: %v", name, err)
		}
		mustClose(t, p)
	}
}

// A way calls f once, waits for the end, and reports it by an error or a panic. The panic's label is that of the way,
// or the name of the function that calls f.
type way struct {
	label string
	call  func(p *workers.Pool, f func()) error
}

// ways are the verbs that run somebody's function.
func ways() map[string]way {
	return map[string]way{
		"Submit": {"", func(p *workers.Pool, f func()) error {
			j := workers.Job{Func: func(*workers.Worker) { f() }}
			p.Submit(&j)
			err := j.Wait(background)
			if err != j.Err() {
				panic("Err differs from Wait")
			}
			return err
		}},
		"Future": {"", func(p *workers.Pool, f func()) error {
			u := workers.Submit(p, deadline.Idle, func(context.Context) (int, error) { f(); return 0, nil })
			_, err := u.Wait(background)
			if _, same := u.Result(); same != err {
				panic("Result differs from Wait")
			}
			return err
		}},
		"Then": {"", func(p *workers.Pool, f func()) error {
			u := workers.Then(answer(p), func(context.Context, int) (int, error) { f(); return 0, nil })
			after := workers.Then(u, func(context.Context, int) (int, error) { return 0, nil })
			_, err := u.Wait(background)
			if _, same := after.Wait(background); err != nil && same != err {
				panic("Then does not pass the error on")
			}
			return err
		}},
		"Group.Go": {"", func(p *workers.Pool, f func()) error {
			return grouped(p, background, func(g *workers.Group) {
				g.Go(func(context.Context) error { f(); return nil })
				g.Go(func(context.Context) error { return nil })
			})
		}},
		"Blocking": {"", func(p *workers.Pool, f func()) error {
			j := workers.Job{Func: func(w *workers.Worker) { w.Blocking(f) }}
			p.Submit(&j)
			return j.Wait(background)
		}},
		"Fork": {"", func(p *workers.Pool, f func()) error {
			j := workers.Job{Func: func(w *workers.Worker) {
				k := workers.Job{Func: func(*workers.Worker) { f() }}
				w.Fork(&k)
				w.Join(&k)
			}}
			p.Submit(&j)
			return j.Wait(background)
		}},
		"ParallelFor": {"ParallelFor", func(p *workers.Pool, f func()) error {
			p.ParallelFor(4, 1, first(f))
			return nil
		}},
		"measured ParallelFor": {"ParallelFor", func(p *workers.Pool, f func()) error {
			p.ParallelFor(4, 0, first(f))
			return nil
		}},
		"ParallelFor of a Worker": {"ParallelFor", func(p *workers.Pool, f func()) error {
			j := workers.Job{Func: func(w *workers.Worker) { w.ParallelFor(2, 1, first(f)) }}
			p.Submit(&j)
			return j.Wait(background)
		}},
		"Join": {"Join", func(p *workers.Pool, f func()) error {
			workers.Join(p, func() {}, f, func() {})
			return nil
		}},
	}
}

// first returns the body of a loop whose first piece calls f.
func first(f func()) func(lo, hi int) {
	return func(lo, hi int) {
		if lo == 0 {
			f()
		}
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

var errBoom = errors.New("boom")
