package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// While jobs wait within Blocking, as many others run as the pool has workers; beyond the spares they wait.
func TestBlockingBringsInASpare(t *testing.T) {
	for name, o := range map[string]workers.Options{
		"ordinary":   workers.Options{Workers: 1}.Standing(2),
		"background": workers.Options{Workers: -1, Background: 1}.Standing(2),
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			var s workers.Stats
			if p.Stats(&s); s.Workers+s.Background == 0 {
				t.Skipf("no background workers here: %v", s.Notes)
			}
			gate := make(chan struct{})
			var blocked, ran atomic.Int32
			jobs := make([]workers.Job, 3)
			for i := range jobs {
				jobs[i].Func = func(w *workers.Worker) {
					w.Blocking(func() { blocked.Add(1); <-gate })
				}
			}
			p.Submit(&jobs[0])
			p.Submit(&jobs[1])
			eventually(t, "two are blocked", func() bool { return blocked.Load() == 2 })
			p.Go(deadline.Normal, func() { ran.Add(1) })
			eventually(t, "another job runs", func() bool { return ran.Load() == 1 })
			p.Submit(&jobs[2]) // takes the last worker: there is no spare for it
			eventually(t, "three are blocked", func() bool { return blocked.Load() == 3 })
			p.Go(deadline.Normal, func() { ran.Add(1) })
			if p.Stats(&s); s.Workers+s.Background != 3 {
				t.Errorf("%d workers, want 1 and 2 spares", s.Workers+s.Background)
			}
			close(gate)
			eventually(t, "the last job runs", func() bool { return ran.Load() == 2 })
			eventually(t, "the spares have left", func() bool {
				p.Stats(&s)
				return s.Workers+s.Background == 1 && len(s.PerWorker) == 1
			})
		})
	}
}

// A spare leaves after its job, also if there is always more to do; and what it had for itself is not lost.
func TestSpareLeavesABusyPool(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var stop atomic.Bool
	var left atomic.Int32
	var more func(w *workers.Worker)
	more = func(w *workers.Worker) {
		runtime.Gosched()
		if !stop.Load() {
			left.Add(1)
			w.Submit(&workers.Job{Func: func(w *workers.Worker) { left.Add(-1); more(w) }})
		}
	}
	for range 3 {
		p.Submit(&workers.Job{Func: more})
	}
	for range 20 {
		j := workers.Job{Priority: deadline.Immediate, Func: func(w *workers.Worker) { w.Blocking(runtime.Gosched) }}
		p.Submit(&j)
		if err := j.Wait(background); err != nil {
			t.Fatal(err)
		}
	}
	var s workers.Stats
	eventually(t, "the spares have left", func() bool { p.Stats(&s); return len(s.PerWorker) == 1 })
	stop.Store(true)
	eventually(t, "all have run", func() bool { return left.Load() == 0 })
}

// Where one worker serves all lanes so does its spare, also if a job of a capped lane blocks.
func TestASpareOfTheOnlyWorkerServesAllLanes(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	blocks := func(prio deadline.Priority) (goOn func()) {
		var blocked atomic.Bool
		gate := make(chan struct{})
		p.Submit(&workers.Job{Priority: prio, Func: func(w *workers.Worker) {
			w.Blocking(func() { blocked.Store(true); <-gate })
		}})
		eventually(t, "a job blocks", blocked.Load)
		return func() { close(gate) }
	}
	var s workers.Stats
	if p.Stats(&s); s.Workers == 0 {
		t.Skip("no workers here")
	}
	first := blocks(deadline.Normal)
	second := blocks(deadline.Low)
	first()
	eventually(t, "one spare", func() bool { p.Stats(&s); return s.Workers == 2 })
	for _, prio := range deadline.Priorities() {
		var ran atomic.Bool
		p.Go(prio, func() { ran.Store(true) })
		eventually(t, "a job of any lane", ran.Load)
	}
	second()
}

// A job that keeps a worker without having its handle (it runs within a wait, or as a node) brings in a spare.
func TestBlockingWithinAJobBringsInASpare(t *testing.T) {
	needsWorkers(t)
	var blocked atomic.Bool
	block := func(p *workers.Pool, w *workers.Worker) {
		c := make(chan struct{})
		p.Go(deadline.Normal, func() { close(c) })
		w.Blocking(func() { <-c })
		blocked.Store(true)
	}
	for name, f := range map[string]func(p *workers.Pool, w *workers.Worker) error{
		"wait": func(p *workers.Pool, _ *workers.Worker) error {
			j := &workers.Job{Func: func(w *workers.Worker) { block(p, w) }}
			p.Submit(j)
			return j.Wait(background)
		},
		"node": func(p *workers.Pool, _ *workers.Worker) error {
			var g workers.Graph
			g.Add("a", func(w *workers.Worker) error {
				j := &workers.Job{Func: func(w *workers.Worker) { block(p, w) }}
				w.Fork(j)
				w.Join(j)
				return nil
			})
			return g.Run(background, p)
		},
		"scope": func(p *workers.Pool, _ *workers.Worker) error {
			return p.Scope(background, func(s *workers.Scope) error {
				s.Go(func(context.Context) error {
					j := &workers.Job{Func: func(w *workers.Worker) { block(p, w) }}
					p.Submit(j)
					return j.Wait(background)
				})
				return nil
			})
		},
		"left fork": func(p *workers.Pool, w *workers.Worker) error {
			w.Fork(&workers.Job{Func: func(w *workers.Worker) { block(p, w) }})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := workers.New(workers.Options{Workers: 1})
			defer mustClose(t, p)
			blocked.Store(false)
			within(t, "a job in Blocking", func() {
				must(run(p, func(w *workers.Worker) { must(f(p, w)) }))
			})
			// The left fork may begin after the job that left it: Close would drop what it waits for.
			eventually(t, "the job has blocked", blocked.Load)
			var s workers.Stats
			eventually(t, "the spare leaves", func() bool { p.Stats(&s); return s.Workers == 1 })
		})
	}
}
