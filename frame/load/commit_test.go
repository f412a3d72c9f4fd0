package load_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A request whose commit panics or calls Goexit has failed, for all who ask: after a retry, held back or not, with a
// value or an error of the decode, where the commit cancels itself, and where it closes the loop.
func TestCommitThatDoesNotReturn(t *testing.T) {
	for _, how := range []string{"panic", "an error", "raised again", "Goexit"} {
		for _, when := range []string{"", "retried", "held", "canceled", "closed", "with an error"} {
			inLoading(t, func(w *loading) {
				o, key := load.Options{Label: "pictures", Ahead: 1}, "a"
				switch when {
				case "retried":
					w.fail["a"] = 2
					o.Attempts, o.Backoff = 3, time.Millisecond
				case "with an error":
					key = "goexit"
				}
				ld := w.loader(o)
				cause := errors.New("no such format")
				raised := &workers.PanicError{Value: cause, Label: "elsewhere"}
				during := load.Progress{}
				var r *load.Request
				if when == "held" {
					ld.Load(bg, "first", func(string, error) {})
				}
				r = ld.Load(bg, key, func(string, error) {
					during = ld.Progress()
					switch when {
					case "canceled":
						if r.Cancel() || r.State() != load.Pending {
							t.Error("canceled in its commit")
						}
					case "closed":
						go w.l.Close()
						time.Sleep(time.Millisecond)
					}
					switch how {
					case "panic":
						panic("no such format")
					case "an error":
						panic(cause)
					case "raised again":
						panic(raised)
					}
					runtime.Goexit()
				})
				told := false
				r.Notify(func() {
					s, err := r.Result()
					told = s == load.Failed && err != nil && ld.Progress().Failed == 1
				})
				w.frames(10)
				all, allErr := load.AllOf(r).Result()
				s, err := r.Result()
				var pe *scheduler.PanicError
				ok := errors.As(err, &pe) && len(pe.Stack) > 0 && pe.Label == "pictures"
				switch how {
				case "Goexit":
					ok = err == scheduler.ErrGoexit
				case "an error":
					ok = ok && errors.Is(err, cause)
				case "raised again":
					ok = err == error(raised)
				}
				if !ok || s != load.Failed || r.State() != s || !told || r.Cancel() {
					t.Errorf("%s, %s: %v, %v; told in time: %v", how, when, s, err, told)
				}
				if allErr != err || all.Failed != 1 || all.Loaded != 0 {
					t.Errorf("%s, %s: of all %+v, %v", how, when, all, allErr)
				}
				p := ld.Progress()
				if p.Failed != 1 || p.Done() != p.Total || during.Failed+during.Loaded != p.Total-1 {
					t.Errorf("%s, %s: progress %+v; in the commit %+v", how, when, p, during)
				}
			})
		}
	}
}

// The commit of a load has the priority that its options say, and so has the decode; a loading screen sees what has
// happened since it began.
func TestLoadsGoByTheirPriorities(t *testing.T) {
	inLoadingWith(t, -1, func(w *loading) {
		var order []string
		ask := func(name string, decode, commit deadline.Priority) *load.Loader[string, int] {
			ld := load.New(w.l, load.Options{Decode: decode, Commit: commit},
				func(context.Context, string, *load.Meter) (int, error) {
					order = append(order, "decode "+name)
					return 0, nil
				})
			before := ld.Progress()
			ld.Load(bg, name, func(int, error) { order = append(order, "commit "+name) })
			w.l.Post(deadline.Immediate, func() {
				if got := ld.Progress().Since(before); got.Total != 1 || got.Done() != 0 || got.Fraction() != 0 {
					t.Errorf("%s: %+v", name, got)
				}
			})
			return ld
		}
		a := ask("a", deadline.Low, deadline.Low)
		ask("b", deadline.UserBlocking, deadline.UserBlocking)
		before := a.Progress()
		w.frames(5)
		if want := []string{"decode b", "decode a", "commit b", "commit a"}; !slices.Equal(order, want) {
			t.Errorf("got %q, want %q", order, want)
		}
		if got := a.Progress().Since(before); got.Total != 1 || got.Done() != 1 {
			t.Errorf("since the request: %+v", got)
		}
	})
}
