package load_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/frameslice/frameslice/frame"
)

const ms = time.Millisecond

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

// bubble runs f in virtual time with a loop that has no workers if o does not say how many.
func bubble(t *testing.T, o frame.Options, f func(t *testing.T, l *frame.Loop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Workers.Workers == 0 {
			o.Workers.Workers = -1
		}
		o.Grace = -1
		l := frame.New(o)
		defer l.Close()
		f(t, l)
	})
}

func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	if got := panicOf(f); got != want {
		t.Errorf("panic: %s, want %q", got, want)
	}
}

func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}
