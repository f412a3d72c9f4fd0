package workers_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// acceptors submit something that adds one to ran, and report whether the pool has said that it will run.
var acceptors = map[string]func(p *workers.Pool, ran *atomic.Int64) bool{
	"SubmitContext": func(p *workers.Pool, ran *atomic.Int64) bool {
		j := &workers.Job{Func: func(*workers.Worker) { ran.Add(1) }}
		if p.SubmitContext(background, j) != nil {
			return false
		}
		must(j.Wait(background))
		return true
	},
	"Submit": func(p *workers.Pool, ran *atomic.Int64) bool {
		_, err := workers.Submit(p, deadline.Low, func() (int, error) { ran.Add(1); return 0, nil }).Wait(background)
		return err == nil
	},
	"Then": func(p *workers.Pool, ran *atomic.Int64) bool {
		first := workers.Submit(p, deadline.Low, func() (int, error) { return 0, nil })
		_, err := workers.Then(first, func(int) (int, error) { ran.Add(1); return 0, nil }).Wait(background)
		return err == nil
	},
	"Scope": func(p *workers.Pool, ran *atomic.Int64) bool {
		err := p.Scope(background, func(s *workers.Scope) error {
			s.Go(func(context.Context) error { ran.Add(1); return nil })
			return nil
		})
		return err == nil
	},
	"Stream": func(p *workers.Pool, ran *atomic.Int64) bool {
		s := workers.NewStream[int](p, deadline.Normal, 1)
		err := s.TrySubmit(func(*int) error { ran.Add(1); return nil })
		if err == workers.ErrFull { // for a moment, also where fewer wait than may: B2
			return false
		}
		must(err)
		_, err = s.Next(background)
		return err == nil
	},
}

// What is accepted is run, and what is not says so, also when the pool is closed at that very moment.
func TestAcceptedMeansRun(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 5
	}
	for shape, o := range map[string]workers.Options{
		"none":       {Workers: -1},
		"one":        {Workers: 1},
		"three":      {Workers: 3},
		"background": {Workers: 1, Background: 1},
		"limit":      {Workers: 1, MaxWaiting: 2},
	} {
		for name, accept := range acceptors {
			for round := range rounds {
				p := workers.New(o)
				var accepted, ran atomic.Int64
				var submitters sync.WaitGroup
				start := make(chan struct{})
				for range 2 {
					submitters.Go(func() {
						<-start
						for range 20 + round {
							if accept(p, &ran) {
								accepted.Add(1)
							}
						}
					})
				}
				close(start)
				for range round {
					runtime.Gosched()
				}
				within(t, name+" on "+shape, func() {
					mustClose(t, p)
					submitters.Wait()
				})
				if accepted.Load() != ran.Load() {
					t.Fatalf("%s on %s: %d accepted, %d ran", name, shape, accepted.Load(), ran.Load())
				}
			}
		}
	}
}

// Every verb of a pool that has been closed returns, and says that it was closed if there is something to say.
// Those that run on their caller go on working.
func TestClosedPoolStillAnswers(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		stream := workers.NewStream[int](p, deadline.Normal, 0)
		seat := p.Seat()
		defer seat.Close()
		mustClose(t, p)
		mustClose(t, p)
		nothing := func() (int, error) { t.Error("it ran"); return 0, nil }
		closed := func(what string, err error) {
			if !errors.Is(err, workers.ErrClosed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		within(t, "a verb", func() {
			p.Go(deadline.Normal, func() { t.Error("it ran") })
			j := workers.Job{Func: func(*workers.Worker) { t.Error("it ran") }}
			closed("SubmitContext", p.SubmitContext(background, &j))
			p.Submit(&j)
			closed("Job", j.Wait(background))
			if j.Cancel() {
				t.Error("a finished job was canceled")
			}
			f := workers.Submit(p, deadline.Normal, nothing)
			_, err := f.Result()
			closed("Submit", err)
			<-f.Done()
			_, err = workers.Then(f, func(int) (int, error) { return nothing() }).Result()
			closed("Then", err)
			if err := stream.TrySubmit(func(*int) error { t.Error("it ran"); return nil }); err == nil {
				_, err = stream.Next(background)
				closed("Stream", err)
			}
			n := 0
			p.ParallelFor(10, 1, func(lo, hi int) { n += hi - lo })
			workers.Join(p, func() { n++ })
			var g workers.Graph
			g.Add("a", func(*workers.Worker) error { n++; return nil })
			must(g.Run(background, p))
			must(p.Scope(background, func(s *workers.Scope) error {
				s.Go(func(context.Context) error { n++; return nil })
				return nil
			}))
			if n != 13 {
				t.Errorf("what runs on the caller did %d of 13", n)
			}
			p.BeginFrame()
			if ran := p.RunUntil(deadline.Deadline{}) + seat.RunUntil(deadline.Deadline{}); ran != 0 {
				t.Errorf("RunUntil ran %d", ran)
			}
			p.EndFrame()
			var s workers.Stats
			p.Stats(&s)
			p.Insight(new(workers.Insight))
			if s.Dropped == 0 {
				t.Error("nothing counts as dropped")
			}
		})
	})
}
