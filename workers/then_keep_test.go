package workers_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// chainOf returns the last of n links that follow f and call step.
func chainOf(f *workers.Future[int], n int, step func()) *workers.Future[int] {
	for range n {
		f = workers.Then(f, func(v int) (int, error) { step(); return v + 1, nil })
	}
	return f
}

// A job that runs a chain, because it waits for it, wakes no other worker.
func TestAChainThatAJobRunsWakesNobody(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 2})
		defer mustClose(t, p)
		gate := make(chan struct{})
		p.Go(deadline.Normal, func() { <-gate })
		synctest.Wait()
		woken := func() uint64 {
			var s workers.Stats
			p.Stats(&s)
			return s.Woken
		}
		rest := func() { time.Sleep(time.Millisecond) } // the other worker goes to sleep meanwhile
		n, err := workers.Submit(p, deadline.Normal, func() (uint64, error) {
			first := workers.Submit(p, deadline.Normal, func() (int, error) { close(gate); rest(); return 0, nil })
			before := woken()
			v, err := chainOf(first, 20, rest).Wait(background)
			if v != 20 {
				t.Errorf("the chain's value is %d", v)
			}
			return woken() - before, err
		}).Wait(t.Context())
		if n != 0 || err != nil {
			t.Errorf("%d wake-ups, %v", n, err)
		}
	})
}

// What a wait needs to run a chain it makes once, and not for each link.
func TestAWaitForAChainAllocatesItsLinks(t *testing.T) {
	const links = 100
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	n := allocsPerRun(20, func() {
		first := workers.Submit(p, deadline.Normal, func() (int, error) { return 0, nil })
		if v, err := chainOf(first, links, func() {}).Wait(background); v != links || err != nil {
			t.Errorf("Wait = %d, %v", v, err)
		}
	})
	if n > 3*links {
		t.Errorf("%v allocations for a chain of %d", n, links)
	}
}
