package workers_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// The turns are the pool's, not those of whatever Pool.RunUntil has at hand: a job that waits in it, and so has another
// one made, does not begin them anew.
func TestRunUntilKeepsTheTurnsThoughJobsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: -1})
		defer mustClose(t, p)
		n, over, long := 0, false, false
		var again func()
		again = func() {
			time.Sleep(time.Millisecond)
			n++
			var j workers.Job
			j.Priority, j.Func = deadline.UserBlocking, func(*workers.Worker) {}
			p.Submit(&j)
			_ = j.Wait(t.Context())
			if !over {
				p.Go(deadline.UserBlocking, again)
			}
		}
		p.Go(deadline.UserBlocking, again)
		j := workers.Job{Priority: deadline.Idle, Cost: 40 * time.Millisecond}
		j.Func = func(*workers.Worker) { long = true }
		p.Submit(&j)
		calls := 0
		for ; !long && calls < 200; calls++ {
			p.RunUntil(deadline.In(2 * time.Millisecond))
			time.Sleep(14 * time.Millisecond)
		}
		over = true
		if n > 15+2*8 { // two fit into each of the calls of the 100 ms for which it waits then
			t.Errorf("%d jobs in %d calls went before", n, calls)
		}
	})
}
