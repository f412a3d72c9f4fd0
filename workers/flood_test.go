package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// flooded makes a pool of two workers, one of which is kept by a job with its Worker, which meanwhile calls keep,
// while the other one never runs out of what comes from outside, of a kind that is not brief.
func flooded(t *testing.T, keep func(p *Pool, w *Worker)) {
	if !threads {
		t.Skip("no threads")
	}
	p := New(Options{Workers: 2})
	in, free := make(chan struct{}), make(chan struct{})
	p.Go(0, func() { close(in); <-free })
	<-in
	kept := make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) { keep(p, w); close(kept) }})
	<-kept
	flood(t, p, 0)
	close(free)
}

// flood sees to it that something of a lane always waits outside until the test ends, and then closes the pool.
func flood(t *testing.T, p *Pool, prio deadline.Priority) {
	var over atomic.Bool
	var again func()
	again = func() {
		for begin := time.Now(); time.Since(begin) < 20*time.Microsecond; {
			runtime.Gosched()
		}
		if !over.Load() {
			p.Go(prio, again)
		}
	}
	for range 100 {
		p.Go(prio, again)
	}
	t.Cleanup(func() {
		over.Store(true)
		closeNow(t, p)
	})
}

func soon(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Error(what + " starves")
	}
}

// What a job has submitted, and the next one waits for by means that the pool knows nothing of, begins though the
// other workers have enough to do.
func TestAFloodFromOutsideDoesNotStarveWhatAJobHasSubmitted(t *testing.T) {
	done := make(chan struct{})
	flooded(t, func(_ *Pool, w *Worker) {
		w.Go(0, func() { close(done) })
		w.Go(0, func() { <-done })
	})
	soon(t, "what a job has submitted", done)
}

// The same of what a worker has taken ahead.
func TestAFloodFromOutsideDoesNotStarveABatch(t *testing.T) {
	done := make(chan struct{})
	flooded(t, func(p *Pool, w *Worker) {
		p.Go(0, func() { <-done })
		p.Go(0, func() { close(done) })
		for range 4 { // as it takes half of what there is
			p.Go(0, func() {})
		}
		w.brief = true
	})
	soon(t, "what a worker has taken ahead", done)
}

// What is taken from another's batch is stolen, also by who looks for a batch of its own.
func TestWhatIsTakenFromABatchCountsAsStolen(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	p := New(Options{Workers: 2})
	in, free := make(chan struct{}), make(chan struct{})
	p.Go(0, func() { close(in); <-free })
	<-in
	var left atomic.Int32
	begun, done := make(chan struct{}), make(chan struct{})
	jobs := make([]Job, 40)
	left.Store(int32(len(jobs)))
	p.Submit(&Job{Func: func(w *Worker) {
		p.Go(0, func() { close(begun); <-done })
		for i := range jobs {
			jobs[i].Func = func(w *Worker) {
				w.brief = true
				if left.Add(-1) == 0 {
					close(done)
				}
			}
			p.Submit(&jobs[i])
		}
		w.brief = true
	}})
	<-begun // the first of the half that this worker has taken
	close(free)
	<-done
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	var s Stats
	if p.Stats(&s); s.Stolen != 20 {
		t.Errorf("%d stolen", s.Stolen)
	}
}

// What a background job submits to an urgent lane begins though there is always something from others.
func TestAFloodDoesNotStarveWhatABackgroundJobSubmits(t *testing.T) {
	p := New(Options{Workers: 1, Background: 1})
	if p.classes[background].want.Load() == 0 || p.classes[ordinary].want.Load() == 0 {
		_ = p.Close(context.Background())
		t.Skip("no threads of lower priority")
	}
	flood(t, p, deadline.Immediate)
	done := make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) { w.Go(deadline.Immediate, func() { close(done) }) }})
	soon(t, "what a background job has submitted", done)
}
