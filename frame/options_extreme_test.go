package frame_test

import (
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/extreme"
	"github.com/frameslice/frameslice/workers"
)

// Every number of every option is taken, bounded, or refused by its name.
func TestNumbersOfOptions(t *testing.T) {
	lost := errors.New("a task was lost")
	one := workers.Options{Workers: 1}
	drive := func(l *frame.Loop, done func() bool) error {
		defer l.Close()
		for range 200 {
			l.Begin()
			l.Slice()
			l.End()
			if done() {
				return nil
			}
			time.Sleep(100 * time.Microsecond)
		}
		return lost
	}
	// The options of the scheduler and of the pool have tests of their own.
	extreme.Try(t, func(o frame.Options) error {
		o.Workers, o.OnStuck = one, func(frame.Stuck) {}
		n := 0
		l := frame.New(o)
		l.Post(deadline.Normal, func() { n++ })
		return drive(l, func() bool { return n == 1 })
	}, "Scheduler", "Workers")
}
