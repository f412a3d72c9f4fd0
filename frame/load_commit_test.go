package frame_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// A request whose commit panics or calls Goexit has failed, for all who ask: after a retry, held back or not, with a
// value or an error of the decode, where the commit cancels itself, and where it closes the loop.
func TestCommitThatDoesNotReturn(t *testing.T) {
	for _, how := range []string{"panic", "an error", "raised again", "Goexit"} {
		for _, when := range []string{"", "retried", "held", "canceled", "closed", "with an error"} {
			inLoading(t, func(w *loading) {
				o, key := frame.LoadOptions{Label: "pictures", Ahead: 1}, "a"
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
				during := frame.Progress{}
				var r *frame.Request
				if when == "held" {
					ld.Load(bg, "first", func(string, error) {})
				}
				r = ld.Load(bg, key, func(string, error) {
					during = ld.Progress()
					switch when {
					case "canceled":
						if r.Cancel() || r.State() != frame.Pending {
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
					told = s == frame.LoadFailed && err != nil && ld.Progress().Failed == 1
				})
				w.frames(10)
				all, allErr := frame.AllOf(r).Result()
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
				if !ok || s != frame.LoadFailed || r.State() != s || !told || r.Cancel() {
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
