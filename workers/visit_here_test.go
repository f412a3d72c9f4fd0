package workers

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

// A job of one pool that closes another pool waits for the other pool's jobs. It is none of them, though it runs on a
// coroutine as they do.
func TestCloseFromAnotherPoolsJobWaits(t *testing.T) {
	a, b := New(Options{Workers: -1}), New(Options{Workers: -1})
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	a.Go(deadline.Normal, func() { close(started); <-release })
	go func() { a.RunUntil(deadline.Deadline{}); close(ended) }()
	<-started
	closeA := func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if a.Close(over) == nil {
			t.Error("closed while a job runs")
		}
	}
	b.Submit(&Job{Func: jobThat(closeA)})
	b.Submit(&Job{Func: func(w *Worker) { w.Fork(&Job{Func: jobThat(closeA)}) }}) // forgotten
	b.Go(deadline.Normal, closeA)
	if n := b.RunUntil(deadline.Deadline{}); n != 3 {
		t.Errorf("%d have run", n)
	}
	close(release)
	<-ended
	for _, p := range []*Pool{a, b} {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func jobThat(f func()) func(*Worker) { return func(*Worker) { f() } }

// Wherever a job runs it is known for one of its pool's, and of no other's: with one pool, and beside others.
func TestInsideIsKnownBesideOtherPools(t *testing.T) {
	p := New(Options{Workers: -1})
	defer p.Close(context.Background())
	runner := (*internals)(p).Runner(nil)
	defer runner.Close()
	others := []*Pool{p}
	asked := 0
	ask := func() {
		asked++
		for _, o := range others {
			if o.inside() != (o == p) {
				t.Errorf("inside is %v; is it the pool: %v", o.inside(), o == p)
			}
		}
	}
	all := func() {
		asked = 0
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
		if asked != 7 {
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
