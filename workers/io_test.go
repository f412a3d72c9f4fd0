package workers_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// hold is a function for SubmitIO that runs until its context ends.
func hold(ctx context.Context) (int, error) { <-ctx.Done(); return 0, context.Cause(ctx) }

func ioStats(p *workers.Pool) (running, waiting int, ended uint64) {
	var s workers.Stats
	p.Stats(&s)
	return s.IO, s.IOWaiting, s.IOEnded
}

// At most Options.IO functions run at once, and they begin in the order of their submissions. They take no worker.
func TestIOIsBoundedAndInOrder(t *testing.T) {
	for _, o := range []workers.Options{{Workers: -1, IO: 3}, {Workers: 1, IO: 1}, {Workers: 1}} {
		limit := o.IO
		if limit == 0 {
			limit = 64
		}
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			bubble(t, o, func(t *testing.T, p *workers.Pool) {
				var mu sync.Mutex
				var begun []int
				running, most := 0, 0
				var all []*workers.Future[int]
				for i := range 2*limit + 1 {
					all = append(all, workers.SubmitIO(p, func(context.Context) (int, error) {
						mu.Lock()
						begun = append(begun, i)
						running++
						most = max(most, running)
						mu.Unlock()
						time.Sleep(time.Second + time.Duration(i)*ms) // so that they end one by one
						mu.Lock()
						running--
						mu.Unlock()
						return i, nil
					}))
					synctest.Wait()
				}
				if n, waiting, ended := ioStats(p); n != limit || waiting != limit+1 || ended != 0 {
					t.Errorf("%d run, %d wait, %d have ended", n, waiting, ended)
				}
				if o.Workers > 0 {
					job := func(context.Context) (int, error) { return 0, nil }
					_, _ = workers.Submit(p, deadline.Idle, job).Wait(t.Context())
					if n, _, ended := ioStats(p); n != limit || ended != 0 {
						t.Error("the worker has waited for IO")
					}
				}
				for i, f := range all {
					if v, err := f.Wait(t.Context()); v != i || err != nil {
						t.Errorf("%d: %d, %v", i, v, err)
					}
				}
				if most != limit || !slices.IsSorted(begun) {
					t.Errorf("%d ran at once; they began in the order %v", most, begun)
				}
				if n, waiting, ended := ioStats(p); n != 0 || waiting != 0 || ended != uint64(len(all)) {
					t.Errorf("at the end %d run, %d wait, %d have ended", n, waiting, ended)
				}
			})
		})
	}
}

// Cancel drops a function that waits, which never begins, and ends the context of one that runs.
func TestIOIsCanceled(t *testing.T) {
	bubble(t, workers.Options{Workers: -1, IO: 1}, func(t *testing.T, p *workers.Pool) {
		runs := workers.SubmitIO(p, hold)
		waits := workers.SubmitIO(p, func(context.Context) (int, error) { t.Error("it began"); return 0, nil })
		next := workers.SubmitIO(p, func(context.Context) (int, error) { return 7, nil })
		synctest.Wait()
		if fmt.Sprint(runs, "; ", waits) != "IO that runs; IO that is queued" {
			t.Error(runs, waits)
		}
		if !waits.Cancel() || waits.Cancel() {
			t.Error("Cancel of one that waits")
		}
		if _, err := waits.Result(); err != workers.ErrCanceled {
			t.Error(err)
		}
		if runs.Cancel() {
			t.Error("Cancel of one that runs")
		}
		if v, err := next.Wait(t.Context()); v != 7 || err != nil {
			t.Error(v, err)
		}
		if _, err := runs.Result(); err != workers.ErrCanceled || runs.String() != "IO that has ended" {
			t.Error(err, runs)
		}
	})
}

// A panic and a Goexit are errors, and the place goes to the next.
func TestIOEndsByPanicOrGoexit(t *testing.T) {
	bubble(t, workers.Options{Workers: -1, IO: 1}, func(t *testing.T, p *workers.Pool) {
		boom := errors.New("boom")
		panics := workers.SubmitIO(p, func(context.Context) (int, error) { panic(boom) })
		exits := workers.SubmitIO(p, func(context.Context) (int, error) { runtime.Goexit(); return 1, nil })
		after := workers.SubmitIO(p, func(context.Context) (int, error) { return 7, nil })
		_, err := panics.Wait(t.Context())
		var pe *workers.PanicError
		if !errors.As(err, &pe) || !errors.Is(err, boom) || !strings.Contains(pe.Label, "TestIOEndsByPanicOrGoexit") {
			t.Errorf("a panic is %v", err)
		}
		if _, err := exits.Wait(t.Context()); err != workers.ErrGoexit {
			t.Errorf("a Goexit is %v", err)
		}
		if v, err := after.Wait(t.Context()); v != 7 || err != nil {
			t.Error(v, err)
		}
		var s workers.Stats
		if p.Stats(&s); s.Panicked != 1 || s.IOEnded != 3 {
			t.Errorf("%d panicked, %d ended", s.Panicked, s.IOEnded)
		}
	})
}

// Close runs what waits until its context is done, and then ends contexts and drops the rest. A later SubmitIO gets
// ErrClosed.
func TestCloseEndsIO(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, IO: 1})
		brief := workers.SubmitIO(p, func(context.Context) (int, error) {
			time.Sleep(time.Second / 2)
			return 7, nil
		})
		queued := workers.SubmitIO(p, func(context.Context) (int, error) { return 8, nil })
		holds, never := workers.SubmitIO(p, hold), workers.SubmitIO(p, hold)
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		start := time.Now()
		err := p.Close(ctx)
		if d := time.Since(start); d < time.Second || d > time.Second+2*ms {
			t.Errorf("Close took %v", d)
		}
		if err == nil || !strings.Contains(err.Error(), "1 job dropped") || strings.Contains(err.Error(), "running") {
			t.Errorf("Close: %v", err)
		}
		for i, f := range []*workers.Future[int]{brief, queued, holds, never, workers.SubmitIO(p, hold)} {
			v, err := f.Result()
			want := []int{7, 8, 0, 0, 0}[i]
			if v != want || (err == nil) != (i < 2) || i > 1 && err != workers.ErrClosed {
				t.Errorf("%d: %d, %v", i, v, err)
			}
		}
	})
}

// A Close that gives up on a function names IO. Within such a function Close waits for the others.
func TestCloseBesideStuckIO(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, IO: 1})
		free := make(chan struct{})
		workers.SubmitIO(p, func(context.Context) (int, error) { <-free; return 0, nil })
		queued := workers.SubmitIO(p, hold)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		if err := p.Close(ctx); err == nil || !strings.Contains(err.Error(), "1 in SubmitIO") {
			t.Errorf("Close: %v", err)
		}
		<-queued.Done() // although the place is taken
		if _, err := queued.Result(); err != workers.ErrClosed {
			t.Error(err)
		}
		close(free)
		if err := p.Close(background); err != nil {
			t.Error(err)
		}
	})
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		f := workers.SubmitIO(p, func(context.Context) (int, error) { return 0, p.Close(background) })
		if _, err := f.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
