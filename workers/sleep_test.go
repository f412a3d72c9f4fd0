package workers

import (
	"runtime/metrics"
	"testing"

	"github.com/frameslice/frameslice/internal/park"
)

// A worker that the network poller has woken sends for somebody who waits there in its place, for others of its crew.
// What that is for only a clock could tell: BenchmarkWakeTree does.
func TestWhoIsWokenByThePollerSendsAnother(t *testing.T) {
	started := func() uint64 {
		s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		metrics.Read(s)
		if s[0].Value.Kind() != metrics.KindUint64 {
			t.Skip("the runtime does not count goroutines")
		}
		return s[0].Value.Uint64()
	}
	w := lingerer()
	w.parker, _ = park.New(park.Chan, false)
	w.way = park.Poll
	w.crew.want.Store(2)
	before := started()
	for range 1000 {
		w.parker.Post()
		w.sleepOn()
	}
	if n := started() - before; n < 1000 {
		t.Errorf("1000 wake-ups, %d goroutines", n)
	}
}
