package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A place is somewhere that a program may stand when it uses the pool. Each runs f once, there, and returns when
// it has ended. The Worker is nil where there is none.
type place func(p *workers.Pool, f func(w *workers.Worker))

// places are all of them that need not be on an ordinary worker.
var places = map[string]place{
	"outside": func(p *workers.Pool, f func(w *workers.Worker)) { f(nil) },
	"urgent job": func(p *workers.Pool, f func(w *workers.Worker)) {
		j := workers.Job{Priority: deadline.Immediate, Func: f}
		p.Submit(&j)
		must(j.Wait(background))
	},
	"idle job": func(p *workers.Pool, f func(w *workers.Worker)) {
		j := workers.Job{Priority: deadline.Idle, Func: f}
		p.Submit(&j)
		must(j.Wait(background))
	},
	"job in RunUntil": func(p *workers.Pool, f func(w *workers.Worker)) {
		j := workers.Job{Cost: 1, Func: f}
		p.Submit(&j)
		for j.State() != workers.Finished {
			p.RunUntil(deadline.Deadline{})
			runtime.Gosched()
		}
	},
	"future": func(p *workers.Pool, f func(w *workers.Worker)) {
		_, err := workers.Submit(p, deadline.Low, func() (int, error) { f(nil); return 0, nil }).Wait(background)
		must(err)
	},
	"follower": func(p *workers.Pool, f func(w *workers.Worker)) {
		first := workers.Submit(p, deadline.Low, func() (int, error) { return 1, nil })
		_, err := workers.Then(first, func(int) (int, error) { f(nil); return 0, nil }).Wait(background)
		must(err)
	},
	"group's function": func(p *workers.Pool, f func(w *workers.Worker)) {
		g := p.NewGroup(background, workers.GroupOptions{})
		g.Go(func(context.Context) error { f(nil); return nil })
		must(g.Wait())
	},
	"loop": func(p *workers.Pool, f func(w *workers.Worker)) {
		var once atomic.Bool
		p.ParallelFor(8, 1, func(lo, hi int) {
			if once.CompareAndSwap(false, true) {
				f(nil)
			}
		})
	},
	"scope's body": func(p *workers.Pool, f func(w *workers.Worker)) {
		must(p.Scope(background, func(*workers.Scope) error { f(nil); return nil }))
	},
	"scope's function": func(p *workers.Pool, f func(w *workers.Worker)) {
		must(p.Scope(background, func(s *workers.Scope) error {
			s.Go(func(context.Context) error { f(nil); return nil })
			return nil
		}))
	},
	"node": func(p *workers.Pool, f func(w *workers.Worker)) {
		var g workers.Graph
		a := g.Add("a", func(*workers.Worker) error { return nil })
		g.Add("b", func(w *workers.Worker) error { f(w); return nil }, a)
		g.Add("c", func(*workers.Worker) error { return nil }, a)
		must(g.Run(background, p))
	},
	"stream's job": func(p *workers.Pool, f func(w *workers.Worker)) {
		s := workers.NewStream[int](p, workers.StreamOptions{Window: 1})
		must(s.TrySubmit(func(*int) error { f(nil); return nil }))
		_, err := s.Next(background)
		must(err)
	},
	"blocking": func(p *workers.Pool, f func(w *workers.Worker)) {
		j := workers.Job{Priority: deadline.Immediate}
		j.Func = func(w *workers.Worker) { w.Blocking(func() { f(nil) }) }
		p.Submit(&j)
		must(j.Wait(background))
	},
	"yielding job": func(p *workers.Pool, f func(w *workers.Worker)) {
		j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) { w.Yield(); f(w); w.Yield() }}
		p.Submit(&j)
		must(j.Wait(background))
	},
	"fork": func(p *workers.Pool, f func(w *workers.Worker)) {
		j := workers.Job{Func: func(w *workers.Worker) {
			k := workers.Job{Func: f}
			w.Fork(&k)
			w.Join(&k)
		}}
		p.Submit(&j)
		must(j.Wait(background))
	},
	"notification": func(p *workers.Pool, f func(w *workers.Worker)) {
		done := make(chan bool)
		j := workers.Job{Func: func(*workers.Worker) {}}
		j.Notify(func() { go func() { f(nil); close(done) }() })
		p.Submit(&j)
		must(j.Wait(background))
		<-done
	},
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprint("unexpected error: ", err))
	}
}

// verbs use the pool in one way each, in any place, and return nil if that did what it should.
var verbs = map[string]func(p *workers.Pool, w *workers.Worker) error{
	"Job.Wait": func(p *workers.Pool, w *workers.Worker) error {
		n := 0
		j := workers.Job{Priority: deadline.Idle, Func: func(*workers.Worker) { n++ }}
		if w != nil {
			w.Submit(&j)
		} else {
			p.Submit(&j)
		}
		return errors.Join(j.Wait(background), want(n, 1))
	},
	"Future.Wait with a context": func(p *workers.Pool, w *workers.Worker) error {
		ctx, cancel := context.WithTimeout(background, 2*time.Minute)
		defer cancel()
		v, err := workers.Submit(p, deadline.Low, func() (int, error) { return 7, nil }).Wait(ctx)
		return errors.Join(err, want(v, 7))
	},
	"Then": func(p *workers.Pool, w *workers.Worker) error {
		f := workers.Submit(p, deadline.Low, func() (int, error) { return 7, nil })
		v, err := workers.Then(f, func(v int) (int, error) { return v + 1, nil }).Wait(background)
		return errors.Join(err, want(v, 8))
	},
	"Scope": func(p *workers.Pool, w *workers.Worker) error {
		var n atomic.Int64
		err := p.Scope(background, func(s *workers.Scope) error {
			for range 3 {
				s.Go(func(context.Context) error { n.Add(1); return nil })
			}
			return nil
		})
		return errors.Join(err, want(int(n.Load()), 3))
	},
	"Group": func(p *workers.Pool, w *workers.Worker) error {
		var n atomic.Int64
		g := p.NewGroup(background, workers.GroupOptions{Priority: deadline.Immediate})
		for range 3 {
			g.Go(func(context.Context) error { n.Add(1); return nil })
		}
		return errors.Join(g.Wait(), want(int(n.Load()), 3))
	},
	"ParallelFor": func(p *workers.Pool, w *workers.Worker) error {
		var n atomic.Int64
		p.ParallelFor(100, 1, func(lo, hi int) { n.Add(int64(hi - lo)) })
		return want(int(n.Load()), 100)
	},
	"Join": func(p *workers.Pool, w *workers.Worker) error {
		var n atomic.Int64
		workers.Join(p, func() { n.Add(1) }, func() { n.Add(1) }, func() { n.Add(1) })
		return want(int(n.Load()), 3)
	},
	"Graph": func(p *workers.Pool, w *workers.Worker) error {
		var g workers.Graph
		var n atomic.Int64
		f := func(*workers.Worker) error { n.Add(1); return nil }
		a := g.Add("a", f)
		b, c := g.Add("b", f, a), g.Add("c", f, a)
		g.Add("d", f, b, c)
		err := g.Run(background, p)
		return errors.Join(err, want(int(n.Load()), 4))
	},
	"Stream": func(p *workers.Pool, w *workers.Worker) error {
		s := workers.NewStream[int](p, workers.StreamOptions{Window: 4})
		for i := range 4 {
			must(s.TrySubmit(func(out *int) error { *out = i; return nil }))
		}
		s.Close()
		i := 0
		for v, err := range s.All(background) {
			if err != nil || *v != i {
				return fmt.Errorf("result %d: %d, %v", i, *v, err)
			}
			i++
		}
		return want(i, 4)
	},
	"Sort": func(p *workers.Pool, w *workers.Worker) error {
		s := make([]int, 5000)
		for i := range s {
			s[i] = -i
		}
		workers.Sort(p, s, func(a, b int) int { return a - b })
		return errors.Join(want(s[0], -4999), want(s[4999], 0))
	},
	"Pool.Stats": func(p *workers.Pool, w *workers.Worker) error {
		var s workers.Stats
		p.Stats(&s)
		return want(int(s.Dropped), 0)
	},
}

func want(got, want int) error {
	if got != want {
		return fmt.Errorf("got %d, want %d", got, want)
	}
	return nil
}

// Whatever the pool offers may be used wherever its program can stand, on pools of any number of workers.
func TestEveryVerbWorksInEveryPlace(t *testing.T) {
	pools := map[string]workers.Options{
		"none":       {Workers: -1},
		"one":        {Workers: 1},
		"two":        {Workers: 2},
		"background": {Workers: 1, Background: 1},
		"limit":      {Workers: 1, MaxWaiting: 4, Overflow: workers.OverflowRun},
	}
	for shape, o := range pools {
		t.Run(shape, func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			for where, at := range places {
				for verb, f := range verbs {
					err := errors.New("did not run")
					within(t, verb+" in "+where, func() {
						at(p, func(w *workers.Worker) { err = f(p, w) })
					})
					if err != nil {
						t.Errorf("%s in %s: %v", verb, where, err)
					}
				}
			}
		})
	}
}

// within fails the test, with everybody's stack, if f does not return in a time that no machine needs.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	stop := time.AfterFunc(2*time.Minute, func() {
		buf := make([]byte, 1<<18)
		panic(fmt.Sprintf("%s hangs\n%s", what, buf[:runtime.Stack(buf, true)]))
	})
	defer stop.Stop()
	f()
}
