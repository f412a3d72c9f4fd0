package workers_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/workers"
)

// submits are the ways to a Future whose function has a context on a worker.
var submits = map[string]func(p *workers.Pool, f func(ctx context.Context) (error, error)) *workers.Future[error]{
	"Submit": func(p *workers.Pool, f func(ctx context.Context) (error, error)) *workers.Future[error] {
		return workers.Submit(p, deadline.Normal, f)
	},
	"Then": func(p *workers.Pool, f func(ctx context.Context) (error, error)) *workers.Future[error] {
		first := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 1, nil })
		return workers.Then(first, func(ctx context.Context, _ int) (error, error) { return f(ctx) })
	},
}

// Cancel of a future whose function runs ends the function's context, whether it asks for Done or looks at Err. What
// the function returns is the result.
func TestCancelEndsTheContextOfWhatRuns(t *testing.T) {
	needsWorkers(t)
	for name, wait := range map[string]func(ctx context.Context){
		"Done": func(ctx context.Context) { <-ctx.Done() },
		"Err": func(ctx context.Context) {
			for ctx.Err() == nil {
				time.Sleep(ms)
			}
		},
		"a child": func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(context.WithValue(ctx, t, 1), time.Hour)
			defer cancel()
			<-ctx.Done()
		},
		"AfterFunc": func(ctx context.Context) {
			ended := make(chan struct{})
			context.AfterFunc(ctx, func() { close(ended) })
			<-ended
		},
	} {
		for verb, submit := range submits {
			bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
				f := submit(p, func(ctx context.Context) (error, error) {
					if err := ctx.Err(); err != nil {
						t.Error("it has ended before:", err)
					}
					wait(ctx)
					if err := ctx.Err(); err != context.Canceled {
						t.Error("Err returns", err)
					}
					return context.Cause(ctx), errors.New("its own")
				})
				synctest.Wait()
				start := time.Now()
				if f.Cancel() {
					t.Error("Cancel says that it had not begun")
				}
				cause, err := f.Wait(background)
				if cause != workers.ErrCanceled || err == nil || err.Error() != "its own" {
					t.Errorf("%s, %s: the cause is %v, the result %v", verb, name, cause, err)
				}
				if d := time.Since(start); d > ms {
					t.Errorf("it ended after %v", d)
				}
				f.Cancel() // does nothing
			})
		}
	}
}

// A context ends with its function: those that are derived from it are let go, and a Done that is asked for afterwards
// is closed.
func TestContextEndsWithItsFunction(t *testing.T) {
	bubble(t, workers.Options{Workers: 2}, func(t *testing.T, p *workers.Pool) {
		child := func(ctx context.Context, d time.Duration) context.Context {
			var stop context.CancelFunc
			if d == 0 {
				ctx, stop = context.WithCancel(ctx)
			} else {
				ctx, stop = context.WithTimeout(ctx, d)
			}
			t.Cleanup(stop) // much later
			return ctx
		}
		for name, f := range map[string]func(ctx context.Context) context.Context{
			"itself":          func(ctx context.Context) context.Context { return ctx },
			"itself, asked":   func(ctx context.Context) context.Context { ctx.Done(); return ctx },
			"a child of it":   func(ctx context.Context) context.Context { return child(ctx, 0) },
			"a value of it":   func(ctx context.Context) context.Context { return context.WithValue(ctx, t, 1) },
			"after a panic":   func(ctx context.Context) context.Context { go func() { <-ctx.Done() }(); panic("x") },
			"one with a time": func(ctx context.Context) context.Context { return child(ctx, time.Hour) },
		} {
			ctx, _ := workers.Submit(p, deadline.Normal, func(ctx context.Context) (context.Context, error) {
				if _, limited := ctx.Deadline(); limited || ctx.Value(t) != nil || ctx.Err() != nil {
					t.Error("a new context has a deadline, a value or an end")
				}
				return f(ctx), nil
			}).Wait(t.Context())
			if ctx == nil {
				continue // the goroutine would outlive the bubble
			}
			select {
			case <-ctx.Done():
			default:
				t.Errorf("%s: it continues", name)
			}
			if ctx.Err() != context.Canceled || context.Cause(ctx) != context.Canceled {
				t.Errorf("%s: %v, %v", name, ctx.Err(), context.Cause(ctx))
			}
		}
		synctest.Wait() // the goroutine of the panic may be within Done
		if n := p.ContextsAsked(); n != 0 {
			t.Errorf("%d contexts are left", n)
		}
	})
}

// Close ends the contexts when it gives up, and not before. Then it waits a little for jobs that asked for them.
func TestCloseEndsContexts(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 2})
		var after [2]time.Duration
		var causes [2]error
		start := time.Now()
		for i := range 2 {
			workers.Submit(p, deadline.Normal, func(ctx context.Context) (int, error) {
				if i == 1 {
					child, cancel := context.WithCancel(ctx)
					defer cancel()
					ctx = child
				}
				<-ctx.Done()
				time.Sleep(ms) // to tidy up
				after[i], causes[i] = time.Since(start), context.Cause(ctx)
				return 0, nil
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
		for i := range 2 {
			if after[i] < time.Second || after[i] > time.Second+2*ms || causes[i] != workers.ErrClosed {
				t.Errorf("job %d ended after %v by %v", i, after[i], causes[i])
			}
		}
	})
}

// EndContexts ends them all at once, and those of later jobs too. The jobs run.
func TestEndContexts(t *testing.T) {
	needsWorkers(t)
	bubble(t, workers.Options{Workers: 2}, func(t *testing.T, p *workers.Pool) {
		cause := func(ctx context.Context) (error, error) { <-ctx.Done(); return context.Cause(ctx), nil }
		before := workers.Submit(p, deadline.Normal, cause)
		synctest.Wait()
		bridge.Of(p).EndContexts()
		for _, f := range []*workers.Future[error]{before, workers.Submit(p, deadline.Normal, cause)} {
			if cause, err := f.Wait(background); cause != workers.ErrClosed || err != nil {
				t.Error(cause, err)
			}
		}
	})
	bubble(t, workers.Options{Workers: 1, IO: 1}, func(t *testing.T, p *workers.Pool) {
		free := make(chan struct{})
		workers.SubmitIO(p, func(context.Context) (int, error) { <-free; return 0, nil })
		never := func(context.Context) (int, error) { t.Error("it began"); return 0, nil }
		queued := workers.SubmitIO(p, never)
		bridge.Of(p).EndContexts()
		<-queued.Done()
		close(free)
		synctest.Wait()
		later := workers.SubmitIO(p, never)
		for _, f := range []*workers.Future[int]{queued, later} {
			if _, err := f.Wait(t.Context()); err != workers.ErrClosed {
				t.Error(err)
			}
		}
	})
}

// What a Future costs: on the calling goroutine, and on workers.
func BenchmarkSubmitFuture(b *testing.B) {
	f := func(context.Context) (int, error) { return 1, nil }
	b.Run("caller", func(b *testing.B) {
		p := workers.New(workers.Options{Workers: -1})
		defer p.Close(background)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = workers.Submit(p, deadline.Normal, f).Wait(background)
		}
	})
	b.Run("workers", func(b *testing.B) {
		p := workers.New(workers.Options{Workers: 2})
		defer p.Close(background)
		b.ReportAllocs()
		var row [64]*workers.Future[int]
		for i := 0; b.Loop(); i++ {
			at := &row[i%len(row)]
			if *at != nil {
				_, _ = (*at).Wait(background)
			}
			*at = workers.Submit(p, deadline.Normal, f)
		}
	})
}
