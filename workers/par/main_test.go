package par_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestMain(m *testing.M) {
	if runtime.GOARCH == "wasm" { // which leaves something behind
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

var (
	background = context.Background()
	none       = workers.Options{Workers: -1}
	two        = workers.Options{Workers: 2}
	low        = workers.Options{Workers: 1, Background: 2}
)

// each runs f on pools of several shapes.
func each(t *testing.T, f func(t *testing.T, o workers.Options)) {
	for name, o := range map[string]workers.Options{"none": none, "two": two, "background": low} {
		t.Run(name, func(t *testing.T) { f(t, o) })
	}
}

// open returns a pool that the end of the test closes. The test is skipped if o asks for workers and there are none, as
// where there is one thread.
func open(t *testing.T, o workers.Options) *workers.Pool {
	p := workers.New(o)
	t.Cleanup(func() { within(t, "Close", func() { must(p.Close(background)) }) })
	if o.Workers > 0 && !hasWorkers(p) {
		t.Skip("no workers here")
	}
	return p
}

func hasWorkers(p *workers.Pool) bool {
	var s workers.Stats
	p.Stats(&s)
	return s.Workers > 0
}

// ended returns a context that is done, with the cause workers.ErrClosed.
func ended() context.Context {
	ctx, cancel := context.WithCancelCause(background)
	cancel(workers.ErrClosed)
	return ctx
}

// until runs jobs, which a pool without workers needs, until f is true.
func until(t *testing.T, p *workers.Pool, f func() bool) {
	within(t, "the end", func() {
		for !f() {
			p.RunUntil(deadline.Deadline{})
			runtime.Gosched()
		}
	})
}

// within ends the process, with everybody's stack, if f does not return in a time that no machine needs.
func within(t *testing.T, what string, f func()) {
	stop := time.AfterFunc(2*time.Minute, func() {
		buf := make([]byte, 1<<18)
		panic(fmt.Sprintf("%s: %s hangs\n%s", t.Name(), what, buf[:runtime.Stack(buf, true)]))
	})
	defer stop.Stop()
	f()
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprint("unexpected error: ", err))
	}
}

// panicOf returns what f panics with, or nil.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}
