package workers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// Whatever takes a context and has to wait returns its cause, at once if it is done already; what need not wait does
// not look at it.
func TestWaitsEndWithTheCauseOfTheContext(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	boom := errors.New("boom")
	ctx, cancel := context.WithCancelCause(background)
	cancel(boom)

	hold, held := make(chan struct{}), make(chan struct{})
	running := workers.Submit(p, deadline.Immediate, func(context.Context) (int, error) {
		close(held)
		<-hold
		return 42, nil
	})
	<-held
	waiting := workers.Job{Func: func(*workers.Worker) {}}
	p.Submit(&waiting)
	empty, full := workers.NewQueue[int](1), workers.NewQueue[int](1)
	must(full.TryPush(1))
	for name, f := range map[string]func() error{
		"Future.Wait": func() error { _, err := running.Wait(ctx); return err },
		"Job.Wait":    func() error { return waiting.Wait(ctx) },
		"Queue.Pop":   func() error { _, err := empty.Pop(ctx); return err },
		"Queue.Push":  func() error { return full.Push(ctx, 2) },
		"Group": func() error {
			return grouped(p, ctx, func(g *workers.Group) {
				g.Go(func(ctx context.Context) error { return context.Cause(ctx) })
			})
		},
	} {
		testkit.Within(t, name, func() {
			if err := f(); !errors.Is(err, boom) {
				t.Errorf("%s: %v, want the cause", name, err)
			}
		})
	}
	if waiting.State() != workers.Queued {
		t.Error("a wait that was given up has changed the job:", waiting.State())
	}
	close(hold)
	if v, err := running.Wait(background); v != 42 || err != nil {
		t.Error("afterwards:", v, err)
	}
	must(waiting.Wait(background))
	// Nothing of this has to wait.
	v, err := running.Wait(ctx)
	if v != 42 || err != nil || waiting.Wait(ctx) != nil || empty.Push(ctx, 1) != nil {
		t.Error("a context that is done ended what need not wait:", v, err)
	}
}

// Who waits with a context that is done already runs nothing, also where it is waits that run jobs: on a pool without
// workers, and in a job that keeps the only one.
func TestADoneContextBeginsNothing(t *testing.T) {
	boom := errors.New("boom")
	ctx, cancel := context.WithCancelCause(background)
	cancel(boom)
	waits := func(p *workers.Pool) {
		ran := 0
		job := workers.Job{Func: func(*workers.Worker) { ran++ }}
		first := workers.Submit(p, 0, func(context.Context) (int, error) { ran++; return 0, nil })
		next := workers.Then(first, func(context.Context, int) (int, error) { ran++; return 0, nil })
		p.Submit(&job)
		for name, f := range map[string]func() error{
			"Job.Wait":    func() error { return job.Wait(ctx) },
			"Future.Wait": func() error { _, err := first.Wait(ctx); return err },
			"Then":        func() error { _, err := next.Wait(ctx); return err },
		} {
			if err := f(); err != boom || ran != 0 {
				t.Errorf("%s: %v, %d have run", name, err, ran)
			}
		}
		if !job.Cancel() || !first.Cancel() {
			t.Error("one has begun")
		}
		if err := job.Err(); err != workers.ErrCanceled || !errors.Is(err, context.Canceled) {
			t.Errorf("the error of a canceled job is %v", err)
		}
	}
	if errors.Is(workers.ErrClosed, context.Canceled) {
		t.Error("a closed pool is not told from a canceled job")
	}
	p := workers.New(workers.Options{Workers: -1})
	testkit.Within(t, "outside", func() { waits(p) })
	mustClose(t, p)
	p = workers.New(workers.Options{Workers: 1})
	testkit.Within(t, "a job", func() { must(run(p, func(*workers.Worker) { waits(p) })) })
	mustClose(t, p)
}
