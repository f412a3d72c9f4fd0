package workers_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A loop may be as long as it likes: the watchdog names it when a piece is stuck on a worker, and not before.
func TestTheWatchdogTimesPieces(t *testing.T) {
	needsWorkers(t)
	for _, prio := range []deadline.Priority{deadline.Immediate, deadline.Low} {
		for _, c := range []struct {
			pieces, reports int
			each            time.Duration
		}{{100, 0, 5 * time.Millisecond}, {2, 1, time.Second}} {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				p := workers.New(workers.Options{Workers: 1, Watchdog: 10 * time.Millisecond,
					OnStuck: func(label string, _ time.Duration) { got = append(got, label) }})
				start := time.Now()
				p.Lane(prio).ParallelFor(c.pieces, 1, func(int, int) { time.Sleep(c.each) })
				if took := time.Since(start); took >= time.Duration(c.pieces)*c.each {
					t.Errorf("%v, without a helper", took)
				}
				mustClose(t, p)
				if len(got) != c.reports || len(got) > 0 && got[0] != "ParallelFor" {
					t.Errorf("%v, pieces of %v: reported %v", prio, c.each, got)
				}
			})
		}
	}
}

// A job that has been reported is not reported again because it has helped a loop within Yield, whose piece was.
func TestTheWatchdogNamesAJobOnce(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		got := map[string]int{}
		p := workers.New(workers.Options{Workers: 1, Park: workers.ParkChan, Watchdog: 10 * time.Millisecond,
			OnStuck: func(label string, _ time.Duration) { got[label]++ }})
		in, open := make(chan struct{}), make(chan struct{})
		j := workers.Job{Label: "slow", Func: func(w *workers.Worker) {
			close(in)
			time.Sleep(100 * time.Millisecond)
			<-open
			w.Yield()
			time.Sleep(100 * time.Millisecond)
		}}
		p.Submit(&j)
		<-in
		p.ParallelFor(2, 1, func(lo, _ int) {
			if lo == 0 {
				close(open)
				time.Sleep(300 * time.Millisecond)
				return
			}
			time.Sleep(100 * time.Millisecond)
		})
		mustClose(t, p)
		if got["slow"] != 1 || got["ParallelFor"] != 1 {
			t.Errorf("reported %v", got)
		}
	})
}
