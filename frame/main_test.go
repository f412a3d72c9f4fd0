package frame_test

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

// bubble runs f in virtual time with a loop whose waits and parkers are a bubble's.
func bubble(t *testing.T, o frame.Options, f func(t *testing.T, l *frame.Loop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Wait = frame.WaitTimer
		if o.Workers.Workers == 0 {
			o.Workers.Workers = -1
		}
		l := frame.New(virtual(o))
		defer l.Close()
		f(t, l)
	})
}

// virtual chooses channel parkers: a bubble does not know that a goroutine which sleeps in a system call is
// idle.
func virtual(o frame.Options) frame.Options {
	o.Workers.Park = workers.ParkChan
	o.Grace = -1
	return o
}
