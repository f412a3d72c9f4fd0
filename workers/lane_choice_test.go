package workers_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestLaneDoesEveryIndexOnce(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		for _, prio := range deadline.Priorities() {
			var hits [1000]atomic.Int32
			l := p.Lane(prio)
			for range 3 {
				l.ParallelFor(len(hits), 7, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						hits[i].Add(1)
					}
				})
			}
			for i := range hits {
				if hits[i].Load() != 3 {
					t.Fatalf("%v: index %d was done %d times", prio, i, hits[i].Load())
				}
			}
			length := func(lo, hi int) int { return hi - lo }
			n := workers.Reduce(l, 100, 10, length, func(a, b int) int { return a + b })
			var jobs atomic.Int32
			err := l.Scope(background, func(s *workers.Scope) error {
				for range 5 {
					s.Go(func(context.Context) error { jobs.Add(1); return nil })
				}
				return nil
			})
			if n != 100 || jobs.Load() != 5 || err != nil {
				t.Errorf("%v: %d, %d, %v", prio, n, jobs.Load(), err)
			}
		}
	})
}

// A helper of a Low loop leaves it for a job of Normal, and comes back; for an Idle one it stays.
func TestLaneHelpersLeaveForTheUrgent(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var normalAt, idleAt, pieces atomic.Int64
	helped := make(chan struct{}, 1)
	p.Lane(deadline.Low).ParallelFor(400, 1, func(lo, hi int) {
		pieces.Add(int64(hi - lo))
		if runtimeIsWorker() {
			select {
			case helped <- struct{}{}:
				p.Go(deadline.Idle, func() { idleAt.Store(pieces.Load()) })
				p.Go(deadline.Normal, func() { normalAt.Store(pieces.Load()) })
			default:
			}
			return
		}
		if lo == 0 {
			eventually(t, "the worker helps, leaves and comes back", func() bool {
				return normalAt.Load() > 0 && pieces.Load() > normalAt.Load()
			})
		}
	})
	eventually(t, "the Idle job runs", func() bool { return idleAt.Load() > 0 })
	if normalAt.Load() >= 300 || idleAt.Load() < 400 {
		t.Errorf("of 400 elements %d had been done when the Normal job ran, %d at the Idle one",
			normalAt.Load(), idleAt.Load())
	}
}

// runtimeIsWorker reports whether the calling goroutine is a worker's.
func runtimeIsWorker() bool {
	var buf [1 << 12]byte
	return strings.Contains(string(buf[:runtime.Stack(buf[:], false)]), "workers.(*Worker).serve")
}

// A background job that polls lets a frame's ParallelFor, and urgent jobs, in.
func TestYieldHelpsAFramesLoop(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var stop atomic.Bool
	started := make(chan struct{})
	j := workers.Job{Label: "long", Priority: deadline.Low, Func: func(w *workers.Worker) {
		close(started)
		for !stop.Load() {
			if w.ShouldYield() {
				w.Yield()
			}
			runtime.Gosched()
		}
	}}
	p.Submit(&j)
	<-started
	for _, end := range []func(){func() {}, runtime.Goexit, func() { panic("no") }} {
		var byWorker atomic.Int32
		func() {
			defer func() { _ = recover() }()
			p.ParallelFor(2, 1, func(lo, _ int) {
				if runtimeIsWorker() || lo == 1 {
					byWorker.Add(1)
					end()
					return
				}
				eventually(t, "the other half", func() bool { return byWorker.Load() > 0 })
			})
		}()
		var s workers.Stats
		eventually(t, "the job goes on", func() bool { // a moment after the loop
			p.Stats(&s)
			return j.State() == workers.Running && s.PerWorker[0].Running && s.PerWorker[0].Label == "long"
		})
	}
	f := workers.Submit(p, deadline.UserBlocking, func() (int, error) { return 1, nil })
	<-f.Done()
	stop.Store(true)
	if err := j.Wait(background); err != nil {
		t.Error(err)
	}
}

// A node that runs within Yield has another value of a Local than the job that yields, and its forks are run.
func TestYieldKeepsWhatALocalHasLentFromNodes(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	l := workers.NewLocal(p, func() string { return "" })
	var nodes, forks atomic.Int32
	started := make(chan struct{})
	j := workers.Job{Func: func(w *workers.Worker) {
		*l.Get(w) = "the job's"
		close(started)
		for forks.Load() < 2 {
			w.Yield()
			runtime.Gosched()
		}
		if v := *l.Get(w); v != "the job's" {
			t.Errorf("the job has %q", v)
		}
	}}
	p.Submit(&j)
	<-started
	var g workers.Graph
	for _, end := range []func(){func() {}, runtime.Goexit} {
		g.Add("node", func(w *workers.Worker) error {
			nodes.Add(1)
			eventually(t, "two nodes at once", func() bool { return nodes.Load() == 2 })
			v := l.Get(w)
			if *v == "the job's" {
				t.Errorf("a node on worker %d got %q", w.Index(), *v)
			}
			*v = "a node's"
			w.Fork(&workers.Job{Func: func(*workers.Worker) { forks.Add(1) }})
			end()
			return nil
		})
	}
	ended := make(chan struct{})
	go func() { // which a Goexit may end
		defer close(ended)
		_ = g.Run(background, p)
	}()
	<-ended
	if err := j.Wait(background); err != nil {
		t.Error(err)
	}
}

// A helper of a Graph shows the node's name.
func TestGraphHelpersAreNamed(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var g workers.Graph
	var s workers.Stats
	seen := make(chan struct{})
	var once sync.Once // the worker may run both nodes
	named := func(w *workers.Worker) error {
		if w.Index() < 0 {
			<-seen
			return nil
		}
		defer once.Do(func() { close(seen) })
		eventually(t, "named", func() bool { p.Stats(&s); return s.PerWorker[0].Label == "physics" })
		return nil
	}
	g.Add("physics", named)
	g.Add("physics", named)
	if err := g.Run(background, p); err != nil {
		t.Error(err)
	}
}

func ExampleLane() {
	p := workers.New(workers.Options{})
	defer p.Close(context.Background())
	thumbnails := make([]string, 4)
	// Not before what the frame wants.
	workers.Map(p.Lane(deadline.Low), thumbnails, []string{"a", "b", "c", "d"}, strings.ToUpper)
	fmt.Println(thumbnails)
	// Output: [A B C D]
}
