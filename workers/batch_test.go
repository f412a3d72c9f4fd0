package workers_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// job returns functions of one kind, since the code is the same: most do nothing, and some what they are told.
func job(wg *sync.WaitGroup, special func()) func() {
	wg.Add(1)
	return func() {
		if special != nil {
			special()
		}
		wg.Done()
	}
}

func TestBriefJobsOfOneGoroutineBeginInOrder(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	var wg sync.WaitGroup
	var got, want []int
	for i := range 20_000 {
		want = append(want, i)
		p.Go(deadline.Normal, job(&wg, func() { got = append(got, i) }))
	}
	wg.Wait()
	if !slices.Equal(got, want) {
		t.Error("jobs of one goroutine on one worker began out of order")
	}
}

// Close finds what workers have taken ahead, whoever has it.
func TestCloseCountsWhatWorkersHaveTakenAhead(t *testing.T) {
	for _, give := range []bool{false, true} {
		p := workers.New(workers.Options{Workers: 3})
		var ran atomic.Int64
		const n = 30_000
		for range n {
			p.Go(deadline.Low, func() { ran.Add(1) })
		}
		ctx, cancel := context.WithCancel(context.Background())
		if give {
			cancel()
		}
		err := p.Close(ctx)
		cancel()
		p.Close(context.Background()) // waits for what was running
		var s workers.Stats
		p.Stats(&s)
		if got := ran.Load() + int64(s.Dropped); got != n {
			t.Errorf("at once: %v; %d ran, %d dropped, of %d; %v", give, ran.Load(), s.Dropped, n, err)
		}
	}
}
