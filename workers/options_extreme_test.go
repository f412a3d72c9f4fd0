package workers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/workers"
)

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	lost := errors.New("a job was lost")
	extreme.Try(t, func(o workers.Options) error {
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
	extreme.Try(t, func(o workers.GroupOptions) error {
		n := 0
		g := p.NewGroup(context.Background(), o)
		g.Go(func(context.Context) error { n++; return nil })
		if err := g.Wait(); err != nil || n != 1 {
			return lost
		}
		return nil
	})
	extreme.Argument(t, "window", func(window int) error {
		n := 0
		s := workers.NewStream[int](p, 0, window)
		if err := s.Submit(context.Background(), func(out *int) error { *out = 1; return nil }); err != nil {
			return err
		}
		if v, err := s.Next(context.Background()); err == nil {
			n = *v
		}
		if n != 1 {
			return lost
		}
		return nil
	})
	extreme.Argument(t, "capacity", func(n int) error {
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
