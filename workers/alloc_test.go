package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// steady is what a verb does again and again on some pools, and how many allocations each time takes.
type steady struct {
	on    []workers.Options
	most  float64
	round func(t *testing.T, p *workers.Pool) func()
}

var (
	onNone = []workers.Options{{Workers: -1}}
	onOne  = []workers.Options{{Workers: 1}}
	onBoth = []workers.Options{{Workers: -1}, {Workers: 1}}
	onLow  = []workers.Options{{Workers: 1}, {Workers: 2}, {Workers: 1, Background: 1}}
	onTold = []workers.Options{{Workers: -1, Profile: -1}}
)

// finish waits for j without an allocation.
func finish(j *workers.Job) {
	for j.State() != workers.Finished {
		runtime.Gosched()
	}
}

var steadies = map[string]steady{
	"Go and Submit": {onLow, 0, func(t *testing.T, p *workers.Pool) func() {
		var done atomic.Int64
		f := func() { done.Add(1) }
		jobs := make([]workers.Job, 100)
		for i := range jobs {
			jobs[i].Label = "count"
			jobs[i].Func = func(*workers.Worker) { done.Add(1) }
		}
		return func() {
			done.Store(0)
			for i := range jobs {
				p.Go(deadline.Immediate, f)
				p.Submit(&jobs[i])
			}
			for i := range jobs {
				finish(&jobs[i])
			}
			for done.Load() < 200 {
				runtime.Gosched()
			}
		}
	}},
	"a Wait that sleeps": {onOne, 0, func(t *testing.T, p *workers.Pool) func() {
		ctx, cancel := context.WithCancel(background)
		asked, gate := make(chan struct{}, 1), make(chan struct{})
		t.Cleanup(func() { cancel(); close(asked) })
		go func() {
			for range asked {
				gate <- struct{}{}
			}
		}()
		j := &workers.Job{Func: func(*workers.Worker) { <-gate }}
		return func() { p.Submit(j); asked <- struct{}{}; must(j.Wait(ctx)) }
	}},
	"Fork and Join": {onOne, 0, func(t *testing.T, p *workers.Pool) func() {
		fork := workers.Job{Func: func(*workers.Worker) {}}
		j := workers.Job{Label: "forks", Func: func(w *workers.Worker) {
			for range 100 {
				w.Fork(&fork)
				w.Join(&fork)
			}
		}}
		return func() { p.Submit(&j); finish(&j) }
	}},
	"Worker.Go": {onOne, 0, func(t *testing.T, p *workers.Pool) func() {
		f := func() {}
		j := workers.Job{Label: "goes", Func: func(w *workers.Worker) {
			for range 100 {
				w.Go(deadline.Normal, f)
			}
		}}
		return func() { p.Submit(&j); finish(&j) }
	}},
	"a job of two turns": {onNone, 0, func(t *testing.T, p *workers.Pool) func() {
		j := workers.Job{Label: "slice", Func: func(w *workers.Worker) { w.Yield() }}
		return func() {
			for p.Submit(&j); j.State() != workers.Finished; {
				p.RunUntil(deadline.Deadline{})
			}
		}
	}},
	"Runner": {onNone, 0, func(t *testing.T, p *workers.Pool) func() {
		runner := bridge.Of(p).Runner(nil)
		t.Cleanup(runner.Close)
		j := &workers.Job{Label: "get", Func: func(w *workers.Worker) {}}
		return func() {
			p.Submit(j)
			runner.RunUntil(deadline.Deadline{})
		}
	}},
	"ParallelFor, measured": {onBoth, 0, func(t *testing.T, p *workers.Pool) func() {
		body := func(lo, hi int) { burn(lo, hi, 10) }
		return func() { p.ParallelFor(10000, 0, body) }
	}},
	"ParallelFor": {onBoth, 0, func(t *testing.T, p *workers.Pool) func() {
		body := func(lo, hi int) { burn(lo, hi, 10) }
		return func() { p.ParallelFor(10000, 100, body) }
	}},
	"Queue, where both sides sleep": {onNone, 0, func(t *testing.T, _ *workers.Pool) func() {
		q, back := workers.NewQueue[int](1), workers.NewQueue[int](1)
		ctx, cancel := context.WithCancel(background)
		t.Cleanup(func() { cancel(); q.Close() })
		go func() {
			for {
				v, err := q.Pop(background)
				if err != nil {
					return
				}
				_ = back.Push(background, v)
			}
		}()
		return func() {
			for i := range 20 {
				must(q.Push(ctx, i))
				if v, err := back.Pop(ctx); v != i || err != nil {
					t.Error(v, err)
				}
			}
		}
	}},

	"Stats": {onOne, 0, func(t *testing.T, p *workers.Pool) func() {
		var s workers.Stats
		return func() { p.Stats(&s) }
	}},

	// What allocates does so once.
	"a Future whose function looks at its context": {onNone, 1, func(t *testing.T, p *workers.Pool) func() {
		runner := bridge.Of(p).Runner(nil)
		t.Cleanup(runner.Close)
		f := func(ctx context.Context) (bool, error) {
			_, limited := ctx.Deadline()
			return limited || ctx.Value(t) != nil, ctx.Err()
		}
		return func() {
			u := workers.Submit(p, deadline.Normal, f)
			runner.RunUntil(deadline.Deadline{})
			if limited, err := u.Result(); limited || err != nil {
				t.Error(limited, err)
			}
		}
	}},
	"Job.Notify": {onNone, 1, func(t *testing.T, p *workers.Pool) func() {
		j := &workers.Job{Func: func(*workers.Worker) {}}
		p.Submit(j)
		return func() { j.Notify(func() {}) }
	}},
	"a group of 100, each spawned by the last": {onNone, 400, func(t *testing.T, p *workers.Pool) func() {
		return func() {
			must(grouped(p, background, func(g *workers.Group) {
				var next func(left int)
				next = func(left int) {
					g.Go(func(context.Context) error {
						if left > 1 {
							next(left - 1)
						}
						return nil
					})
				}
				next(100)
			}))
		}
	}},
	"Go with Profile": {onTold, 8, func(t *testing.T, p *workers.Pool) func() {
		f := func() {} // 1; the coroutine of RunUntil takes 7
		return func() { p.Go(deadline.Normal, f); p.RunUntil(deadline.Deadline{}) }
	}},
	"Wait and Profile": {onTold, 20, func(t *testing.T, p *workers.Pool) func() {
		j := workers.Job{Func: func(*workers.Worker) {}}
		var s workers.Profile
		return func() { p.Submit(&j); must(j.Wait(background)); p.Profile(&s) }
	}},
}

// Nothing allocates in steady state.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for name, s := range steadies {
		t.Run(name, func(t *testing.T) {
			for _, o := range s.on {
				if o.Workers > 0 {
					needsWorkers(t)
				}
				p := workers.New(o)
				round := s.round(t, p)
				for range 20 {
					round()
				}
				began := time.Now()
				got := testkit.Allocs(50, round)
				most := s.most
				if o.Background > 0 && time.Since(began) > 20*time.Second {
					// Other programs keep the worker of low priority off the processors. It holds on to the rings that
					// it reads from, so some rounds need new ones: not one for ten jobs.
					most = 20
				}
				if got > most && (most > 0 || got >= 1) {
					t.Errorf("%+v: %v allocations", o, got)
				}
				mustClose(t, p)
			}
		})
	}
}
