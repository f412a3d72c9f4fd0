package workers

import (
	"context"
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
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

// Forks of others are those that a worker has stolen, wherever it runs them, and not what its own job has forgotten.
func TestForksOfOthersAreCounted(t *testing.T) {
	p := New(Options{Workers: 2, Insight: true})
	var walk func(w *Worker, n int)
	walk = func(w *Worker, n int) {
		if n < 2 {
			return
		}
		f := Job{Func: func(w *Worker) { walk(w, n-1) }}
		w.Fork(&f)
		walk(w, n-2)
		w.Join(&f)
	}
	for range 20 {
		root := Job{Func: func(w *Worker) {
			walk(w, 18)
			w.Fork(&Job{Func: func(*Worker) {}})
		}}
		p.Submit(&root)
		_ = root.Wait(context.Background())
	}
	in, st := closing(p)
	forks, stolen := uint64(0), uint64(0)
	for _, w := range in.Workers {
		forks += w.Forks
	}
	for _, l := range in.Lanes {
		stolen += l.Stolen
	}
	if forks+stolen != st.Stolen {
		t.Errorf("%d forks and %d jobs, of %d that were stolen", forks, stolen, st.Stolen)
	}
}
