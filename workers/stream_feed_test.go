package workers_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A job on the only worker fills a Stream's window, and goes on when the results are taken out: nobody but itself can
// run what it has submitted.
func TestAJobThatWaitsForRoomRunsItsStream(t *testing.T) {
	for name, o := range map[string]workers.Options{
		"one": {Workers: 1}, "limit": {Workers: 1, MaxWaiting: 100, Overflow: workers.OverflowWait},
		"low": {Workers: -1, Background: 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			var st workers.Stats
			if p.Stats(&st); st.Workers+st.Background == 0 {
				t.Skip("no workers here")
			}
			ctx, cancel := context.WithCancel(context.Background()) // which keeps Next from running jobs
			defer cancel()
			s := workers.NewStream[int](p, workers.StreamOptions{Window: 4})
			p.Go(deadline.Normal, func() {
				defer s.Close()
				for i := range 100 {
					if err := s.Submit(ctx, func(v *int) error { *v = i; return nil }); err != nil {
						t.Error(err)
					}
				}
			})
			ends(t, "a stream that is fed by the only worker", func() {
				want := 0
				for v, err := range s.All(ctx) {
					if err != nil || *v != want {
						t.Errorf("result %d: %v, %v", want, v, err)
						return
					}
					want++
				}
				if want != 100 {
					t.Errorf("%d results", want)
				}
			})
		})
	}
}

// Several who wait for room in jobs, and others who wait outside, on one worker, with jobs that wait for one another's
// submissions.
func TestStreamsFedFromEverywhere(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var st workers.Stats
	if p.Stats(&st); st.Workers == 0 {
		t.Skip("no workers here")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	for range rounds {
		s := workers.NewStream[int](p, workers.StreamOptions{Window: 3})
		var left atomic.Int32
		left.Store(6)
		feed := func() {
			for range 10 {
				if err := s.Submit(ctx, func(v *int) error { *v = 1; return nil }); err != nil {
					t.Error(err)
				}
			}
			if left.Add(-1) == 0 {
				s.Close()
			}
		}
		for i := range 6 {
			if i%2 == 0 {
				go feed()
			} else {
				p.Go(deadline.Normal, feed)
			}
		}
		ends(t, "a stream that is fed from everywhere", func() {
			n := 0
			for _, err := range s.All(ctx) {
				if err != nil {
					t.Error(err)
				}
				n++
			}
			if n != 60 {
				t.Errorf("%d results, want 60", n)
			}
		})
	}
}
