package workers

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// closing closes p and returns what it has counted.
func closing(p *Pool) (in Profile, st Stats) {
	_ = p.Close(context.Background())
	p.Profile(&in)
	p.Stats(&st)
	return in, st
}

// What is stolen, and found to be stale, counts for nothing.
func TestOnlyWhatRunsCountsAsStolen(t *testing.T) {
	p := New(Options{Workers: 2, Profile: -1})
	stale := make([]Job, 100)
	root := Job{Func: func(w *Worker) {
		for i := range stale {
			stale[i].Func = func(*Worker) {}
			w.Submit(&stale[i])
			stale[i].Cancel()
		}
		last := Job{Func: func(*Worker) {}}
		w.Submit(&last)
		for w.class != nil && p.lanes[deadline.Normal.Lane()].hasJob() { // the other worker steals all
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
		pr := new(profiler)
		pr.wakeSent()
		time.Sleep(time.Second)
		pr.sleepBegins()
		pr.sleepEnds()
		var s Profile
		if pr.addTo(&s); s.Wake.Count() != 0 || s.Late != 0 {
			t.Errorf("%d wake-ups, %d late", s.Wake.Count(), s.Late)
		}
		pr.wakeSent()
		time.Sleep(time.Second)
		pr.wakeSent() // the second for the same sleep
		pr.sleepEnds()
		s = Profile{}
		if pr.addTo(&s); s.Wake.Count() != 1 || s.Late != 1 || s.Wake.Max() != time.Second {
			t.Errorf("%d wake-ups, %d late, %v at most", s.Wake.Count(), s.Late, s.Wake.Max())
		}
	})
}
