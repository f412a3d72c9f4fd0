package workers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// A worker that runs its batch in rows begins the same jobs in the same order as one that looks at everything before
// each, whatever comes meanwhile: its own, others', what RunUntil has put back, what background workers submit, and a
// lane that is overdue.
func TestARowIsWhatLongerLooksWouldFind(t *testing.T) {
	for seed := range uint64(60) {
		looks := begun(seed, func(w *Worker) bool { return w.find.findWork() })
		rows := begun(seed, func(w *Worker) bool { return w.find.continueStreak() || w.find.findWork() })
		if !slices.Equal(rows, looks) {
			at := 0
			for at < min(len(rows), len(looks)) && rows[at] == looks[at] {
				at++
			}
			t.Fatalf("seed %d: in rows, from job %d on: %v, by looks %v", seed, at,
				rows[at:min(at+4, len(rows))], looks[at:min(at+4, len(looks))])
		}
	}
}

// begun returns what a worker that finds jobs so begins, while a script of the seed adds others.
func begun(seed uint64, find func(w *Worker) bool) (jobs []string) {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := lone()
	w.find.brief = true
	p, c := w.pool, w.class
	c.lanes, c.fork = []int{0, 1, 2, 3, 4}, 2
	v := &Worker{pool: p, class: c, index: 1}
	c.slots[0].Store(w)
	c.slots[1].Store(v)
	c.used.Store(2)
	c.want.Store(int32(1 + rng.IntN(2)))
	lanes := 1 + rng.IntN(numLanes)
	rare := []int{20, 300, 3000}[rng.IntN(3)]
	n := 0
	one := func() item {
		n++
		return jobItem(&Job{Label: fmt.Sprint(n)})
	}
	for range 3000 {
		lane := rng.IntN(lanes)
		l := &p.lanes[lane]
		switch rng.IntN(rare) {
		case 0:
			l.use(useOlder)
			l.older.Push(one())
		case 1:
			l.push(one(), true)
		case 2:
			v.add(lane, one())
		case 3:
			w.add(lane, one())
		case 4:
			w.find.overdue = lane
		case 5, 6, 7:
			for range rng.IntN(200) {
				l.push(one(), false)
			}
		}
		if find(w) {
			jobs = append(jobs, fmt.Sprint(w.cur.job().Label, " of lane ", w.lane))
			w.cur = item{}
		} else {
			jobs = append(jobs, "none")
		}
	}
	return jobs
}

// Whatever findWork would look at before a batch ends a row of its jobs. One thing at a time, on a worker that is
// alone.
func TestWhatGoesBeforeABatchEndsARowOfIt(t *testing.T) {
	NeedsWorkers(t)
	const lane = 2 // Normal
	p := New(Options{Workers: 1})
	defer p.Close(context.Background())
	ran := 0
	free := make(chan struct{})
	before := []struct {
		what    string
		set     func(w *Worker)
		restore func(w *Worker)
	}{
		{"nothing", func(*Worker) {}, func(*Worker) {}},
		{"the end of the row", func(w *Worker) { w.find.streak = 0 }, func(*Worker) {}},
		{"jobs that are not brief", func(w *Worker) { w.find.brief = false }, func(w *Worker) { w.find.brief = true }},
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
		{"a loop", func(w *Worker) {
			go p.ParallelFor(4, 1, func(int, int) { <-free })
			for w.class.loops.Open() == 0 {
				runtime.Gosched()
			}
		}, func(w *Worker) {
			close(free)
			for w.class.loops.Open() != 0 {
				runtime.Gosched()
			}
		}},
		{"a job's own", func(w *Worker) { w.deques[lane].Push(item{}) }, func(w *Worker) { w.deques[lane].Pop() }},
		{"a lane that is overdue", func(w *Worker) { w.find.overdue = 4 }, func(w *Worker) { w.find.overdue = 0 }},
		{"the turn of the others", func(w *Worker) { w.find.urgent = floor }, func(w *Worker) { w.find.urgent = 0 }},
		{"a more urgent job", func(w *Worker) { p.lanes[lane-1].extra.Or(useLocal) },
			func(w *Worker) { p.lanes[lane-1].extra.And(^uint32(useLocal)) }},
		{"a less urgent job", func(w *Worker) { p.lanes[lane+1].extra.Or(useLocal) },
			func(w *Worker) { p.lanes[lane+1].extra.And(^uint32(useLocal)) }},
	}
	done := make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) {
		defer close(done)
		cur, at := w.cur, w.lane
		defer func() { w.cur, w.lane, w.find.streak, w.find.urgent = cur, at, 0, 0 }()
		w.lane, w.find.urgent = lane, 0
		b := &w.batches[lane]
		for range before {
			b.Push(funcItem(func() { ran++ }))
		}
		b.Publish()
		for _, c := range before {
			w.find.brief, w.find.streak = true, inARow-1
			c.set(w)
			got := w.find.continueStreak()
			c.restore(w)
			want := c.what == "nothing" || c.what == "a less urgent job"
			if got != want {
				t.Errorf("%s: another of the batch: %v", c.what, got)
			}
			if got {
				w.cur.fn()()
				if w.find.streak != inARow-2 {
					t.Errorf("%s: %d more in this row", c.what, w.find.streak)
				}
			}
		}
		for {
			if _, ok := b.Next(); !ok {
				break
			}
		}
		b.Settle()
		w.find.brief, w.find.streak = true, inARow-1
		if w.find.continueStreak() {
			t.Error("another of an empty batch")
		}
	}})
	<-done
	if ran != 2 {
		t.Errorf("%d of the batch ran, want 2", ran)
	}
}
