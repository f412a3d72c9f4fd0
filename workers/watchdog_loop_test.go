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
