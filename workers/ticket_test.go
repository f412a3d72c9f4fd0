package workers

import (
	"context"
	"sync"
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

// Waits that their contexts end leave nothing behind for each of them, neither at the job nor at what it follows.
func TestWaitsThatGiveUpLeaveNothing(t *testing.T) {
	needsWorkers(t)
	p := New(Options{Workers: 2})
	gate, begun := make(chan struct{}), make(chan struct{})
	u := Submit(p, deadline.Normal, func() (int, error) { close(begun); <-gate; return 1, nil })
	v := Then(u, func(n int) (int, error) { return n + 1, nil })
	<-begun
	const at, rounds = 3, 200
	waits := func() {
		for range rounds {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_, _ = u.Wait(ctx)
			_, _ = v.Wait(ctx)
		}
	}
	var all sync.WaitGroup
	for range at {
		all.Go(waits)
	}
	inside := Submit(p, deadline.Normal, func() (int, error) { waits(); return 0, nil })
	all.Wait()
	<-inside.Done()
	for name, j := range map[string]*Job{"job": &u.job, "link": &v.job} {
		n := 0
		for w := j.waiters.Load(); w != nil; w = w.next {
			n++
		}
		if n > 10*at {
			t.Errorf("%s: %d waiters after %d waits, %d at a time", name, n, (at+1)*rounds, at+1)
		}
	}
	close(gate)
	if n, err := v.Wait(context.Background()); n != 2 || err != nil {
		t.Error(n, err)
	}
	_ = p.Close(context.Background())
}
