package workers_test

import (
	"runtime"
	"sync"
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

func TestBlockingEndsByPanicAndGoexit(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1}.Standing(1))
	defer mustClose(t, p)
	for range 5 { // more often than there are spares
		for _, f := range []func(){func() { panic("no") }, runtime.Goexit, func() {}} {
			j := workers.Job{Priority: deadline.Low, Func: func(w *workers.Worker) { w.Blocking(f) }}
			p.Submit(&j)
			_ = j.Wait(background)
		}
	}
	var s workers.Stats
	eventually(t, "one worker", func() bool { p.Stats(&s); return s.Workers == 1 && len(s.PerWorker) == 1 })
}

// Close waits for what blocks, and the pool ends whatever it blocks on meanwhile.
func TestCloseWhileBlocking(t *testing.T) {
	for range 20 {
		p := workers.New(workers.Options{Workers: 2}.Standing(2))
		var ended atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				p.Submit(&workers.Job{Func: func(w *workers.Worker) {
					w.Blocking(runtime.Gosched)
					ended.Add(1)
				}})
			})
		}
		wg.Wait()
		mustClose(t, p)
		if n := ended.Load(); n != 8 {
			t.Fatalf("%d of 8 have ended", n)
		}
	}
}

func TestBlockingElsewhereJustCalls(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	called := false
	p.Submit(&workers.Job{Func: func(w *workers.Worker) { w.Blocking(func() { called = true }) }})
	p.RunUntil(deadline.Deadline{})
	if !called {
		t.Error("not called")
	}
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
