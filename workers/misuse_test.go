package workers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// misuses are calls that panic in the caller, by what the panic says after "workers: ". A call that lacks a function
// panics before anything runs, and also where there is nothing to do. w runs self, a job of p.
func misuses(p *workers.Pool, w *workers.Worker, self *workers.Job) map[string]func() {
	nop := func(*workers.Worker) {}
	none := func(context.Context) error { return nil }
	held := &workers.Job{Func: nop}
	group := p.NewGroup(background, deadline.Normal)
	must(group.Wait())
	options := func(o workers.Options) func() { return func() { workers.New(o) } }
	return map[string]func(){
		"Go of a nil function":            func() { p.Go(0, nil) },
		"Submit of a nil function":        func() { workers.Submit[int](p, 0, nil) },
		"Submit of a job without a Func":  func() { p.Submit(&workers.Job{}) },
		"Submit of a nil Job":             func() { p.Submit(nil) },
		"Submit of a job that is running": func() { p.Submit(self) },
		"Submit of a job with an invalid Priority(17)": func() {
			p.Submit(&workers.Job{Func: nop, Priority: 17})
		},
		"invalid Priority(-3)": func() { p.Go(-3, func() {}) },
		"invalid Priority(16)": func() { p.NewGroup(background, 16) },
		"Submit of a job with an invalid Priority(99)": func() {
			workers.Submit(p, 99, func(context.Context) (int, error) { return 0, nil })
		},
		"Wait for a job that was never submitted": func() { _ = new(workers.Job).Wait(background) },
		"Err of a job that has not finished":      func() { _ = held.Err() },
		"Job.Notify of a nil function":            func() { held.Notify(nil) },
		"Future.Notify of a nil function":         func() { answer(p).Notify(nil) },
		"Then of a nil function":                  func() { workers.Then[int, int](answer(p), nil) },
		"Then of a nil Future": func() {
			workers.Then(nil, func(context.Context, int) (int, error) { return 0, nil })
		},
		"Then of a Future that is not from Submit": func() {
			workers.Then(new(workers.Future[int]), func(context.Context, int) (int, error) { return 0, nil })
		},

		"Group.Go of a nil function":               func() { group.Go(nil) },
		"Go on a Group that has ended":             func() { group.Go(none) },
		"NewQueue with a capacity of -1, which":    func() { workers.NewQueue[int](-1) },
		"NewQueue with a capacity of 0, which":     func() { workers.NewQueue[int](0) },
		"NewQueue with a capacity of 1073741825, ": func() { workers.NewQueue[int](1<<30 + 1) },

		"ParallelFor of a nil function": func() { p.ParallelFor(0, 1, nil) },
		"Join of a nil function":        func() { workers.Join(p, func() { panic("it ran") }, nil) },
		"Join with a nil Looper":        func() { workers.Join(nil) },

		"Blocking of a nil function":    func() { w.Blocking(nil) },
		"Join of a nil Job":             func() { w.Join(nil) },
		"Fork of a job that is running": func() { w.Fork(self) },

		"New with Options.Workers of 65, more than 64": options(workers.Options{Workers: 65}),
		"New with Options.Background of 65, more than": options(workers.Options{Background: 65}),
		"New with Options.Pin of 99, more than 2":      options(workers.Options{Pin: 99}),
	}
}

// Misuse panics with the name of what was misused, and the pool is afterwards what it was.
func TestMisusePanicsWithItsName(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		job := new(workers.Job)
		job.Func = func(w *workers.Worker) {
			all := misuses(p, w, job)
			if w.Index() < 0 { // a worker waits for the end of such a job
				all["Join of a job that was not forked here"] = func() { w.Join(new(workers.Job)) }
			}
			for want, f := range all {
				if got := testkit.PanicOf(f); !strings.HasPrefix(got, "workers: "+want) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		}
		p.Submit(job)
		must(job.Wait(background))
		if n, err := answer(p).Wait(background); n != 42 || err != nil {
			t.Errorf("afterwards: %d, %v", n, err)
		}
		refused := workers.Job{Func: func(*workers.Worker) {}, Priority: 17}
		_ = testkit.Recovered(func() { p.Submit(&refused) })
		refused.Priority = deadline.Normal
		p.Submit(&refused)
		must(refused.Wait(background))
	})
}

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	lost := errors.New("a job was lost")
	testkit.Extremes(t, func(o workers.Options) error {
		p := workers.New(o)
		defer p.Close(context.Background())
		n := 0
		j := &workers.Job{Func: func(*workers.Worker) { n++ }}
		p.Submit(j)
		j.Wait(context.Background())
		if n != 1 {
			return lost
		}
		return nil
	})
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	testkit.Argument(t, "capacity", func(n int) error {
		q := workers.NewQueue[int](n)
		if err := q.TryPush(7); err != nil {
			return err
		}
		if v, err := q.TryPop(); v != 7 || err != nil {
			return lost
		}
		return nil
	})
}
