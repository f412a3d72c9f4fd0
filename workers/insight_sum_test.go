package workers

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/park"
)

// closing closes p and returns what it has counted.
func closing(p *Pool) (in Insight, st Stats) {
	_ = p.Close(context.Background())
	p.Insight(&in)
	p.Stats(&st)
	return in, st
}

// What is stolen, and found to be stale, counts for nothing.
func TestOnlyWhatRunsCountsAsStolen(t *testing.T) {
	p := New(Options{Workers: 2, Insight: true})
	stale := make([]Job, 100)
	root := Job{Func: func(w *Worker) {
		for i := range stale {
			stale[i].Func = func(*Worker) {}
			w.Submit(&stale[i])
			stale[i].Cancel()
		}
		last := Job{Func: func(*Worker) {}}
		w.Submit(&last)
		for w.crew != nil && w.crew.has(deadline.Normal.Lane()) { // the other worker steals all
			runtime.Gosched()
		}
	}}
	p.Submit(&root)
	_ = root.Wait(context.Background())
	in, st := closing(p)
	if l := in.Lanes[deadline.Normal.Lane()]; l.Stolen > l.Run || st.Stolen > st.Run || st.Stolen != l.Stolen {
		t.Errorf("%d of %d stolen, Stats: %d of %d", l.Stolen, l.Run, st.Stolen, st.Run)
	}
}

// A wake-up that was sent to a worker that was awake does not count when that sleeps and gets up for its token.
func TestAStaleWakeUpIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parker, _ := park.New(park.Chan, false)
		w := &Worker{parker: parker, book: new(book), pool: new(Pool)}
		w.summon()
		time.Sleep(time.Second)
		w.book.liesDown()
		w.parker.Wait()
		w.book.woke()
		var s Insight
		if w.book.addTo(&s); s.Wake.Count() != 0 || s.Late != 0 {
			t.Errorf("%d wake-ups, %d late", s.Wake.Count(), s.Late)
		}
		w.summon()
		time.Sleep(time.Second)
		w.summon() // the second for the same sleep
		w.book.woke()
		s = Insight{}
		if w.book.addTo(&s); s.Wake.Count() != 1 || s.Late != 1 || s.Wake.Max() != time.Second {
			t.Errorf("%d wake-ups, %d late, %v at most", s.Wake.Count(), s.Late, s.Wake.Max())
		}
	})
}
