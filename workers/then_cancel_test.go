package workers_test

import (
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A job that waits for a chain goes on when a link of it is canceled, though what it all follows still runs.
func TestWaitForACanceledChainWithinAJob(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Workers == 0 {
		t.Skip("no workers here")
	}
	same := func(n int) (int, error) { return n, nil }
	for _, which := range []int{0, 1, 2} {
		gate, begun := make(chan struct{}), make(chan struct{})
		f := workers.Submit(p, deadline.Normal, func() (int, error) { close(begun); <-gate; return 1, nil })
		<-begun
		links := []*workers.Future[int]{workers.Then(f, same)}
		for range 2 {
			links = append(links, workers.Then(links[len(links)-1], same))
		}
		var inside atomic.Bool
		top := workers.Submit(p, deadline.Normal, func() (int, error) {
			inside.Store(true)
			return links[2].Wait(background)
		})
		eventually(t, "the job waits", inside.Load)
		links[which].Cancel()
		<-top.Done()
		if _, err := top.Result(); err != workers.ErrCanceled {
			t.Errorf("link %d canceled: %v", which, err)
		}
		close(gate)
	}
}
