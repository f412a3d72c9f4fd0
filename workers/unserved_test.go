package workers_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// What no worker takes is told: without workers all that is queued, and what is between two turns.
func TestStatsUnserved(t *testing.T) {
	unserved := func(p *workers.Pool) int {
		var s workers.Stats
		p.Stats(&s)
		return s.Unserved
	}
	p := workers.New(workers.Options{Workers: -1})
	if n := unserved(p); n != 0 {
		t.Errorf("%d in an empty pool", n)
	}
	p.Submit(&workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) { w.Yield() }})
	p.Go(deadline.Immediate, func() {})
	if n := unserved(p); n != 2 {
		t.Errorf("%d, want two jobs", n)
	}
	for _, want := range []int{1, 1, 0} { // one of unknown cost in each call; the second is then between two turns
		p.RunUntil(deadline.In(time.Hour))
		if n := unserved(p); n != want {
			t.Errorf("%d unserved, want %d", n, want)
		}
	}
	mustClose(t, p)
}
