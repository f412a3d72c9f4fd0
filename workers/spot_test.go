package workers

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

// A job of one pool that closes another waits for that one's jobs: it is none of them, though it runs on a coroutine
// as one of them does.
func TestCloseFromAnotherPoolsJobWaits(t *testing.T) {
	a, b := New(Options{Workers: -1}), New(Options{Workers: -1})
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	a.Go(deadline.Normal, func() { close(started); <-release })
	go func() { a.RunUntil(deadline.Deadline{}); close(ended) }()
	<-started
	closeA := func() error {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		return a.Close(over)
	}
	jobs := []Job{
		{Func: func(*Worker) { // on a goroutine of its own, as it might yield
			if closeA() == nil {
				t.Error("closed from a sliced job while a job runs")
			}
		}},
		{Func: func(w *Worker) {
			w.Fork(&Job{Func: jobThat(func() { // forgotten, so it has a coroutine of its own
				if closeA() == nil {
					t.Error("closed from a fork while a job runs")
				}
			})})
		}},
	}
	for i := range jobs {
		b.Submit(&jobs[i])
	}
	b.Go(deadline.Normal, func() {
		if closeA() == nil {
			t.Error("closed while a job runs")
		}
	})
	if n := b.RunUntil(deadline.Deadline{}); n != len(jobs)+1 {
		t.Errorf("%d have run", n)
	}
	close(release)
	<-ended
	if err := a.Close(context.Background()); err != nil {
		t.Error(err)
	}
	_ = b.Close(context.Background())
}

func jobThat(f func()) func(*Worker) { return func(*Worker) { f() } }

// Wherever a job runs it is known for one of its pool's, and of no other's: with one pool, and beside others.
func TestInsideIsKnownBesideOtherPools(t *testing.T) {
	p := New(Options{Workers: -1})
	defer p.Close(context.Background())
	seat := p.Seat()
	defer seat.Close()
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
		seat.RunUntil(deadline.Deadline{})
		j := Job{Func: func(w *Worker) {
			ask()
			w.Yield()
			ask()
			w.Fork(&Job{Func: jobThat(ask)})
		}}
		p.Submit(&j)
		seat.RunUntil(deadline.Deadline{})
		seat.RunUntil(deadline.Deadline{})
		u := Submit(p, deadline.Normal, func() (int, error) { ask(); return 0, nil })
		_, _ = u.Wait(context.Background())
		_ = p.Scope(context.Background(), func(s *Scope) error {
			s.Go(func(context.Context) error { ask(); return nil })
			return nil
		})
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
	o := others[1]
	o.lent.Add(1) // as if it had a caller that runs a job
	all()
	o.lent.Add(-1)
}

// Callers that come and go leave no spots behind.
func TestSpotsAreUsedAgain(t *testing.T) {
	p := New(Options{Workers: -1})
	for range 100 {
		var level func(n int)
		level = func(n int) {
			if n == 0 {
				return
			}
			u := Submit(p, deadline.Normal, func() (int, error) { level(n - 1); return 0, nil })
			_, _ = u.Wait(context.Background())
		}
		level(12) // more than the callers that are kept
	}
	n := 0
	for s := p.spots.first.Load(); s != nil; s = s.next {
		n++
	}
	if n > 12 {
		t.Errorf("%d spots", n)
	}
	_ = p.Close(context.Background())
}
