package workers_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
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
	within(t, "Close", func() {
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

// A job that SubmitContext takes is run, also when Close comes at that moment (C2). A job that it refuses is as it was.
func TestSubmitContextBesideClose(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	for _, o := range []workers.Options{{Workers: -1}, {Workers: -1, MaxWaiting: 1000}} {
		for round := range rounds {
			p := workers.New(o)
			var submitters sync.WaitGroup
			start := make(chan struct{})
			for range 2 {
				submitters.Go(func() {
					<-start
					for range 100 {
						j := &workers.Job{Func: func(*workers.Worker) {}}
						if err := p.SubmitContext(background, j); err != nil {
							if err != workers.ErrClosed || j.State() != workers.Fresh {
								t.Errorf("%v, and the job is %v", err, j.State())
							}
							return
						}
						if err := j.Wait(background); err != nil {
							t.Errorf("limit %d, round %d: taken, and then %v", o.MaxWaiting, round, err)
						}
					}
				})
			}
			close(start)
			for range round % 100 {
				runtime.Gosched()
			}
			mustClose(t, p)
			submitters.Wait()
		}
	}
}
