package workers

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

func jobThat(f func()) func(*Worker) { return func(*Worker) { f() } }

// Close asks whether its caller is within a job of the pool. The answer is right wherever a job runs, in OnPanic, and
// in the job after a panic. It is right with one pool, and beside other pools.
func TestInsideIsKnownBesideOtherPools(t *testing.T) {
	var ask func()
	p := New(Options{Workers: -1, OnPanic: func(*PanicError) { ask() }})
	defer p.Close(context.Background())
	runner := (*internals)(p).Runner(nil)
	defer runner.Close()
	others := []*Pool{p}
	asked := 0
	ask = func() {
		asked++
		for _, o := range others {
			if o.inside() != (o == p) {
				t.Errorf("inside is %v; is it the pool: %v", o.inside(), o == p)
			}
		}
	}
	all := func() {
		asked = 0
		p.Go(deadline.Normal, func() { panic("no") })
		p.Go(deadline.Normal, ask)
		p.RunUntil(deadline.Deadline{})
		p.Go(deadline.Normal, ask)
		runner.RunUntil(deadline.Deadline{})
		j := Job{Func: func(w *Worker) {
			ask()
			w.Yield()
			ask()
			w.Fork(&Job{Func: jobThat(ask)})
		}}
		p.Submit(&j)
		runner.RunUntil(deadline.Deadline{})
		runner.RunUntil(deadline.Deadline{})
		u := Submit(p, deadline.Normal, func(context.Context) (int, error) { ask(); return 0, nil })
		_, _ = u.Wait(context.Background())
		g := p.NewGroup(context.Background(), deadline.Normal)
		g.Go(func(context.Context) error { ask(); return nil })
		_ = g.Wait()
		if asked != 8 {
			t.Errorf("asked %d times", asked)
		}
	}
	all()
	for range 2 {
		o := New(Options{Workers: 1})
		defer o.Close(context.Background())
		others = append(others, o)
	}
	all()
}
