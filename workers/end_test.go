package workers_test

import (
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// A Close with time enough runs every job that was accepted, and all that these submit. It may be called outside, or in
// one job or two. These jobs may have the only worker, or be in RunUntil.
func TestCloseDropsNothing(t *testing.T) {
	for _, closers := range []int{0, 1, 2} {
		for _, visit := range []bool{false, true} {
			each(t, func(t *testing.T, p *workers.Pool) { closeDropsNothing(t, p, closers, visit) })
		}
	}
}

func closeDropsNothing(t *testing.T, p *workers.Pool, closers int, visit bool) {
	var ran atomic.Int64
	var spawn func(depth int) func(w *workers.Worker)
	spawn = func(depth int) func(w *workers.Worker) {
		return func(w *workers.Worker) {
			ran.Add(1)
			if depth == 0 {
				return
			}
			w.Go(deadline.Priorities()[depth%5], func() { ran.Add(1) })
			for i := range 3 {
				w.Submit(&workers.Job{Priority: deadline.Priorities()[(depth+i)%5], Func: spawn(depth - 1)})
			}
		}
	}
	open := make(chan struct{}) // the closers begin first, and wait until all is queued
	all := make([]workers.Job, closers)
	for i := range all {
		all[i] = workers.Job{Priority: deadline.Immediate - deadline.Priority(2*i), Func: func(*workers.Worker) {
			<-open
			if err := p.Close(background); err != nil {
				t.Errorf("in closer %d: %v", i, err)
			}
		}}
		p.Submit(&all[i])
	}
	for _, prio := range deadline.Priorities() {
		p.Submit(&workers.Job{Priority: prio, Func: spawn(5)})
	}
	close(open)
	testkit.Within(t, "Close", func() {
		if visit {
			p.RunUntil(deadline.Deadline{})
		}
		mustClose(t, p)
	})
	for i := range all {
		if all[i].State() != workers.Finished || all[i].Err() != nil {
			t.Errorf("closer %d is %v", i, all[i].State())
		}
	}
	const each = 364 + 121 // jobs, and what those that submit have by Go
	var s workers.Stats
	if p.Stats(&s); ran.Load() != 5*each || s.Dropped != 0 {
		t.Errorf("%d ran of %d, %d dropped", ran.Load(), 5*each, s.Dropped)
	}
}
