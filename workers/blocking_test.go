package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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
			testkit.Eventually(t, "two are blocked", func() bool { return blocked.Load() == 2 })
			p.Go(deadline.Normal, func() { ran.Add(1) })
			testkit.Eventually(t, "another job runs", func() bool { return ran.Load() == 1 })
			p.Submit(&jobs[2]) // takes the last worker: there is no spare for it
			testkit.Eventually(t, "three are blocked", func() bool { return blocked.Load() == 3 })
			p.Go(deadline.Normal, func() { ran.Add(1) })
			if p.Stats(&s); s.Workers+s.Background != 3 {
				t.Errorf("%d workers, want 1 and 2 spares", s.Workers+s.Background)
			}
			close(gate)
			testkit.Eventually(t, "the last job runs", func() bool { return ran.Load() == 2 })
			testkit.Eventually(t, "the spares have left", func() bool {
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
	testkit.Eventually(t, "the spares have left", func() bool { p.Stats(&s); return len(s.PerWorker) == 1 })
	stop.Store(true)
	testkit.Eventually(t, "all have run", func() bool { return left.Load() == 0 })
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
		testkit.Eventually(t, "a job blocks", blocked.Load)
		return func() { close(gate) }
	}
	var s workers.Stats
	if p.Stats(&s); s.Workers == 0 {
		t.Skip("no workers here")
	}
	first := blocks(deadline.Normal)
	second := blocks(deadline.Low)
	first()
	testkit.Eventually(t, "one spare", func() bool { p.Stats(&s); return s.Workers == 2 })
	for _, prio := range deadline.Priorities() {
		var ran atomic.Bool
		p.Go(prio, func() { ran.Store(true) })
		testkit.Eventually(t, "a job of any lane", ran.Load)
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
		"group": func(p *workers.Pool, _ *workers.Worker) error {
			return grouped(p, background, func(g *workers.Group) {
				g.Go(func(context.Context) error {
					j := &workers.Job{Func: func(w *workers.Worker) { block(p, w) }}
					p.Submit(j)
					return j.Wait(background)
				})
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
			testkit.Within(t, "a job in Blocking", func() {
				must(run(p, func(w *workers.Worker) { must(f(p, w)) }))
			})
			// The left fork may begin after the job that left it: Close would drop what it waits for.
			testkit.Eventually(t, "the job has blocked", blocked.Load)
			var s workers.Stats
			testkit.Eventually(t, "the spare leaves", func() bool { p.Stats(&s); return s.Workers == 1 })
		})
	}
}

// In a function that has a context, Blocking finds the worker by it: while the function waits, another job runs, on a
// pool of one worker. Elsewhere Blocking calls the function, and takes nobody's place.
func TestBlockingByContext(t *testing.T) {
	needsWorkers(t)
	type key struct{}
	spares := func(t *testing.T, p *workers.Pool, ctx context.Context) (n int) {
		workers.Blocking(ctx, func() {
			var s workers.Stats
			p.Stats(&s)
			n = s.Workers - 1
		})
		return n
	}
	waits := func(p *workers.Pool) func(ctx context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			ctx, cancel := context.WithCancel(context.WithValue(ctx, key{}, 1))
			defer cancel()
			done := make(chan struct{})
			workers.Blocking(ctx, func() {
				p.Go(deadline.Normal, func() { close(done) })
				<-done
			})
			return 0, nil
		}
	}
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	testkit.Within(t, "functions on the worker", func() {
		f := workers.Submit(p, deadline.Normal, waits(p))
		<-f.Done()
		ended := make(chan error)
		g := p.NewGroup(background, deadline.Normal)
		g.Go(func(ctx context.Context) error { // in a job, so that the worker has it
			_, err := waits(p)(ctx)
			ended <- err
			return err
		})
		must(<-ended)
		must(g.Wait())
	})
	p2 := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p2)
	testkit.Within(t, "the others", func() {
		f := workers.Submit(p, deadline.Normal, func(ctx context.Context) (int, error) {
			n := make(chan int)
			go func() { n <- spares(t, p, ctx) }()
			if one := <-n; one != 0 {
				return one, nil
			}
			return spares(t, p, background) + spares(t, p, nil), nil //nolint:staticcheck // nil is what is tested
		})
		if n, _ := f.Wait(t.Context()); n != 0 {
			t.Errorf("%d spares for another goroutine, or without the context", n)
		}
		f = workers.SubmitIO(p, func(ctx context.Context) (int, error) { return spares(t, p, ctx), nil })
		if n, _ := f.Wait(t.Context()); n != 0 {
			t.Errorf("%d spares for IO", n)
		}
		f = workers.Submit(p2, deadline.Normal, func(ctx context.Context) (int, error) {
			u := workers.Submit(p, deadline.Normal, func(inner context.Context) (int, error) {
				return spares(t, p, ctx), nil // the context of a job of another pool
			})
			<-u.Done()
			return u.Result()
		})
		if n, _ := f.Wait(t.Context()); n != 0 {
			t.Errorf("%d spares for the context of another pool", n)
		}
		f = workers.Submit(p, deadline.Normal, func(ctx context.Context) (int, error) { return spares(t, p, ctx), nil })
		<-f.Done()
		if n, _ := f.Result(); n != 1 {
			t.Errorf("%d spares, want 1", n)
		}
	})
	none := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, none)
	ran := false
	f := workers.Submit(none, deadline.Normal, func(ctx context.Context) (int, error) {
		workers.Blocking(ctx, func() { ran = true })
		return 0, nil
	})
	if _, err := f.Wait(background); err != nil || !ran {
		t.Error("without workers", ran, err)
	}
}
