package workers_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// Jobs that wait among stale entries stay, in their order.
func TestWhatStaysInALaneKeepsItsOrder(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	var got, want []int
	var ended [2000]workers.Job
	for i := range ended {
		if i%7 == 0 {
			want = append(want, i)
			workers.Submit(p, deadline.Normal, func(context.Context) (int, error) {
				got = append(got, i)
				return 0, nil
			})
		}
		ended[i].Func = func(*workers.Worker) {}
		p.Submit(&ended[i])
		if i%3 == 0 {
			ended[i/2].Cancel()
			ended[i].Wait(background)
		}
	}
	for i := range ended {
		ended[i].Wait(background)
	}
	var s workers.Stats
	p.Stats(&s)
	if s.Unserved < len(want) || s.Unserved > 2*len(want) {
		t.Errorf("%d unserved, with %d jobs", s.Unserved, len(want))
	}
	p.RunUntil(deadline.Deadline{})
	if !slices.Equal(got, want) {
		t.Errorf("ran %v", got)
	}
	mustClose(t, p)
}

// A job that has ended without a worker leaves nothing behind: nothing is kept, counted or looked at.
func TestNothingIsLeftInALane(t *testing.T) {
	workers.NeedsWorkers(t)
	const n = 20_000
	one := func(context.Context) (int, error) { return 1, nil }
	nothing := func(*workers.Worker) {}
	ways := map[string]func(p *workers.Pool, w *workers.Worker){
		"Cancel": func(p *workers.Pool, _ *workers.Worker) {
			for range n {
				workers.Submit(p, deadline.Normal, one).Cancel()
			}
		},
		"Cancel of all at last": func(p *workers.Pool, _ *workers.Worker) {
			var all []*workers.Future[int]
			for range n {
				all = append(all, workers.Submit(p, deadline.Normal, one))
			}
			for _, u := range all {
				u.Cancel()
			}
		},
		"Wait": func(p *workers.Pool, _ *workers.Worker) {
			for range n {
				workers.Submit(p, deadline.Normal, one).Wait(background)
			}
		},
		"Group": func(p *workers.Pool, _ *workers.Worker) {
			for range n / 100 {
				must(grouped(p, background, func(g *workers.Group) {
					for range 100 {
						g.Go(func(context.Context) error { return nil })
					}
				}))
			}
		},
		"Group, canceled": func(p *workers.Pool, _ *workers.Worker) {
			ctx, cancel := context.WithCancel(background)
			g := p.NewGroup(ctx, deadline.Normal)
			for range n {
				g.Go(func(ctx context.Context) error { return ctx.Err() })
			}
			cancel()
			g.Wait()
		},
		"Then": func(p *workers.Pool, _ *workers.Worker) {
			for range n / 2 {
				u := workers.Submit(p, deadline.Normal, one)
				v := workers.Then(u, func(context.Context, int) (int, error) { return 2, nil })
				u.Wait(background) // outside a job the Wait for v would leave u to the worker
				v.Wait(background)
			}
		},
		"RunUntil": func(p *workers.Pool, _ *workers.Worker) {
			for range n {
				p.Go(deadline.Normal, func() {})
			}
			p.RunUntil(deadline.Deadline{})
		},
		"Worker.Submit and Cancel": func(p *workers.Pool, w *workers.Worker) {
			for range n {
				j := &workers.Job{Func: nothing}
				w.Submit(j)
				j.Cancel()
			}
		},
		"Worker.Submit and Wait": func(p *workers.Pool, w *workers.Worker) {
			for range n / 20 { // which looks at stacks
				j := &workers.Job{Func: nothing}
				w.Submit(j)
				j.Wait(background)
			}
		},
		"beside some that stay": func(p *workers.Pool, _ *workers.Worker) {
			for range 5 {
				defer workers.Submit(p, deadline.Normal, one).Cancel()
			}
			for range n {
				workers.Submit(p, deadline.Normal, one).Cancel()
			}
			var s workers.Stats
			if p.Stats(&s); s.Queued[deadline.Normal.Lane()] != 5 {
				t.Errorf("beside 5 that wait: %d queued", s.Queued[deadline.Normal.Lane()])
			}
		},
	}
	for name, way := range ways {
		ofWorker := strings.HasPrefix(name, "Worker.")
		for _, busy := range []bool{true, false} { // a worker that is busy, or none
			if ofWorker && !busy {
				continue
			}
			o := workers.Options{Workers: -1}
			if busy {
				o.Workers = 1
			}
			p := workers.New(o)
			before := heapNow()
			begun, stop := make(chan bool), make(chan bool)
			if busy {
				p.Submit(&workers.Job{Func: func(w *workers.Worker) {
					if ofWorker {
						way(p, w)
					}
					close(begun)
					<-stop
				}})
				<-begun
			}
			if !ofWorker {
				way(p, nil)
			}
			if grown := heapNow() - before; grown > 1<<20 {
				t.Errorf("%s, busy %v: %d KiB stay", name, busy, grown>>10)
			}
			var s workers.Stats
			if p.Stats(&s); s.Queued != [5]int{} {
				t.Errorf("%s, busy %v: %v are queued", name, busy, s.Queued)
			}
			runner := bridge.Of(p).Runner(func() {
				t.Errorf("%s, busy %v: a runner is woken for what has ended", name, busy)
			})
			runner.Rest()
			if ran := runner.RunUntil(deadline.Deadline{}); ran != 0 {
				t.Errorf("%s, busy %v: RunUntil ran %d", name, busy, ran)
			}
			runner.Close()
			close(stop)
			mustClose(t, p)
		}
	}
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Stats counts the jobs that wait right also when workers have come by the entries of cancelled ones.
func TestQueuedWhenStaleEntriesAreGone(t *testing.T) {
	workers.NeedsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(background)
	queued := func() int {
		var s workers.Stats
		p.Stats(&s)
		return s.Queued[deadline.Normal.Lane()]
	}
	for range 2 {
		begun, stop := make(chan bool), make(chan bool)
		p.Go(deadline.Normal, func() { close(begun); <-stop })
		<-begun
		for range 20 { // so many that the lane is not sifted
			p.Go(deadline.Normal, func() {})
		}
		workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 1, nil }).Cancel()
		if n := queued(); n != 20 {
			t.Errorf("%d jobs are queued, not 20", n)
		}
		close(stop)
		testkit.Eventually(t, "no job is left", func() bool { return queued() <= 0 })
	}
}
