package workers_test

import (
	"testing"

	"github.com/frameslice/frameslice/workers"
)

func TestSubmitToAllocatesNothing(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Bound: 1})
	defer mustClose(t, p)
	j := &workers.Job{Label: "bound", Func: func(*workers.Worker) {}}
	done := make(chan struct{}, 1)
	f := func() { done <- struct{}{} }
	once := func() {
		p.SubmitTo(0, j)
		p.GoTo(0, f) // after it
		<-done
	}
	once()
	if n := allocsPerRun(1000, once); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
