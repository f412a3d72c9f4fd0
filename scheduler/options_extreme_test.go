package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/scheduler"
)

var errNotRun = errors.New("nothing ran")

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	extreme.Try(t, func(o scheduler.Options) error {
		o.OnPanic = func(*scheduler.PanicError) {}
		s := scheduler.New(o)
		ran, later, micro := 0, 0, 0
		for _, p := range deadline.Priorities() {
			s.Post(p, func() { ran++; s.Microtask(func() { micro++ }) })
		}
		s.After(deadline.Normal, time.Microsecond, func() { later++ })
		s.Go(deadline.Low, func(co *scheduler.Co) { co.Yield(); ran++ })
		for i := 0; i < 100 && (ran < 6 || later == 0 || micro < 5); i++ {
			time.Sleep(2 * time.Microsecond)
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.In(time.Millisecond))
		}
		s.Close()
		if ran != 6 || later != 1 || micro != 5 {
			return errNotRun
		}
		return nil
	})
}
