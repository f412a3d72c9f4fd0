package workers

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/internal/loops"
)

// Whatever next would look at before a batch ends a row of its jobs. One thing at a time, on a worker that is alone.
func TestWhatGoesBeforeABatchEndsARowOfIt(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	const lane = 2 // Normal
	p := New(Options{Workers: 1})
	defer p.Close(context.Background())
	ran := 0
	var open *loops.Loop
	before := []struct {
		what    string
		set     func(w *Worker)
		restore func(w *Worker)
	}{
		{"nothing", func(*Worker) {}, func(*Worker) {}},
		{"the end of the row", func(w *Worker) { w.streak = 0 }, func(*Worker) {}},
		{"jobs that are not brief", func(w *Worker) { w.brief = false }, func(w *Worker) { w.brief = true }},
		{"the end of the pool", func(w *Worker) { p.state.Store(gone) }, func(w *Worker) { p.state.Store(running) }},
		{"a worker too many", func(w *Worker) { w.class.want.Store(0) }, func(w *Worker) { w.class.want.Store(1) }},
		{"a lane with a cap", func(w *Worker) {
			w.lane = capFrom
			w.batches[capFrom].Push(funcItem(func() {}))
			w.batches[capFrom].Publish()
		}, func(w *Worker) {
			w.lane = lane
			_, _ = w.batches[capFrom].Next()
			w.batches[capFrom].Settle()
		}},
		{"a background worker", func(w *Worker) { w.class.low = true }, func(w *Worker) { w.class.low = false }},
		{"a fork", func(w *Worker) { w.lane = forkLane }, func(w *Worker) { w.lane = lane }},
		{"a fork left behind", func(w *Worker) { w.forks.Push(nil) }, func(w *Worker) { w.forks.Pop() }},
		{"a loop", func(w *Worker) { open = w.class.loops.Offer(new(readyNodes)) }, func(*Worker) { open.End() }},
		{"a job's own", func(w *Worker) { w.deques[lane].Push(item{}) }, func(w *Worker) { w.deques[lane].Pop() }},
		{"a lane that is overdue", func(w *Worker) { w.overdue = 4 }, func(w *Worker) { w.overdue = 0 }},
		{"the turn of the others", func(w *Worker) { w.urgent = floor }, func(w *Worker) { w.urgent = 0 }},
		{"a more urgent job", func(w *Worker) { p.lanes[lane-1].extra.Or(useLocal) },
			func(w *Worker) { p.lanes[lane-1].extra.And(^uint32(useLocal)) }},
		{"a less urgent job", func(w *Worker) { p.lanes[lane+1].extra.Or(useLocal) },
			func(w *Worker) { p.lanes[lane+1].extra.And(^uint32(useLocal)) }},
	}
	done := make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) {
		defer close(done)
		cur, at := w.cur, w.lane
		defer func() { w.cur, w.lane, w.streak, w.urgent = cur, at, 0, 0 }()
		w.lane, w.urgent = lane, 0
		b := &w.batches[lane]
		for range before {
			b.Push(funcItem(func() { ran++ }))
		}
		b.Publish()
		for _, c := range before {
			w.brief, w.streak = true, inARow-1
			c.set(w)
			got := w.again()
			c.restore(w)
			want := c.what == "nothing" || c.what == "a less urgent job"
			if got != want {
				t.Errorf("%s: another of the batch: %v", c.what, got)
			}
			if got {
				w.cur.fn()()
				if w.streak != inARow-2 {
					t.Errorf("%s: %d more in this row", c.what, w.streak)
				}
			}
		}
		for {
			if _, ok := b.Next(); !ok {
				break
			}
		}
		b.Settle()
		w.brief, w.streak = true, inARow-1
		if w.again() {
			t.Error("another of an empty batch")
		}
	}})
	<-done
	if ran != 2 {
		t.Errorf("%d of the batch ran, want 2", ran)
	}
}
