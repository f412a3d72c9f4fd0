package workers_test

import (
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Loops that overlap without an end do not keep jobs from being run: neither Immediate ones nor those whose timeout has
// passed.
func TestLoopsThatOverlapLetJobsRun(t *testing.T) {
	for _, prio := range []deadline.Priority{deadline.Immediate, deadline.Normal} {
		p := oneWorker(t, workers.Options{Workers: 1}.Aging(deadline.Timeouts{Normal: time.Millisecond}))
		var callers sync.WaitGroup
		end := make(chan struct{})
		for range 4 {
			callers.Go(func() {
				for {
					select {
					case <-end:
						return
					default:
						p.ParallelFor(50, 1, func(lo, hi int) { time.Sleep(50 * time.Microsecond) })
					}
				}
			})
		}
		within(t, "a job beside loops", func() {
			for range 5 {
				j := workers.Job{Priority: prio, Func: func(*workers.Worker) {}}
				for p.Submit(&j); j.State() != workers.Finished; time.Sleep(time.Millisecond) {
				}
			}
		})
		close(end)
		callers.Wait()
		mustClose(t, p)
	}
}
