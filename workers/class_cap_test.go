package workers

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

// While a job of another lane blocks, those of the capped lanes do not have all workers that are left.
func TestWhoBlocksElsewhereLeavesTheCapAsItIs(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 2})
	defer MustClose(t, p)
	in, out, began := make(chan struct{}), make(chan struct{}), make(chan struct{}, 2)
	p.Submit(&Job{Func: func(w *Worker) {
		w.Blocking(func() { close(in); <-out })
	}})
	<-in
	for range 2 {
		p.Go(deadline.Low, func() { began <- struct{}{}; <-out })
	}
	<-began
	testkit.Eventually(t, "a worker sleeps", func() bool { return p.classes[ordinary].sleep.Resting() == 1 })
	urgent := &Job{Priority: deadline.UserBlocking, Func: func(*Worker) {}}
	p.Submit(urgent)
	testkit.Eventually(t, "an urgent job has run", urgent.Finished)
	if len(began) > 0 {
		t.Error("both jobs of the capped lane have begun")
	}
	close(out)
}
