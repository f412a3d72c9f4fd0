package par_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

func TestMain(m *testing.M) { testkit.Main(m) }

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
	t.Cleanup(func() { testkit.Within(t, "Close", func() { must(p.Close(background)) }) })
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
	testkit.Within(t, "the end", func() {
		for !f() {
			p.RunUntil(deadline.Deadline{})
			runtime.Gosched()
		}
	})
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprint("unexpected error: ", err))
	}
}
