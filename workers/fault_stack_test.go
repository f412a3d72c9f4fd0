package workers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/workers"
)

// A stack begins with who panicked, and not with how the pool has caught it, wherever it ran.
func TestAStackBeginsWithWhoPanicked(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		boom := errors.New("boom")
		raised := func(f func()) (err error) {
			defer func() { err, _ = recover().(error) }()
			f()
			return nil
		}
		for name, err := range map[string]error{
			"job": func() error {
				j := workers.Job{Priority: deadline.Normal, Func: func(*workers.Worker) { explode(boom) }}
				p.Submit(&j)
				p.RunUntil(deadline.Deadline{})
				return j.Wait(background)
			}(),
			"future": func() error {
				u := workers.Submit(p, deadline.Low, func() (int, error) { explode(boom); return 1, nil })
				_, err := u.Wait(t.Context())
				return err
			}(),
			"loop": raised(func() { p.ParallelFor(100, 1, func(int, int) { explode(boom) }) }),
			"scope": raised(func() {
				_ = p.Scope(background, func(s *workers.Scope) error {
					s.Go(func(context.Context) error { explode(boom); return nil })
					return nil
				})
			}),
		} {
			var pe *workers.PanicError
			if !errors.As(err, &pe) {
				t.Errorf("%s: %v", name, err)
				continue
			}
			_, first, _ := strings.Cut(string(pe.Stack), "\n")
			if !strings.HasPrefix(first, fault.NameOf(explode)+"(") {
				t.Errorf("%s:\n%s", name, pe.Stack)
			}
		}
	})
}
