package workers_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/workers"
)

// shapes are the pools that most tests run on.
var shapes = map[string]workers.Options{
	"none":       {Workers: -1},
	"one":        {Workers: 1},
	"three":      {Workers: 3},
	"channel":    workers.Options{Workers: 2}.Parking(park.Chan),
	"syscall":    workers.Options{Workers: 2}.Parking(park.Syscall),
	"thread":     {Workers: 2, Pin: workers.PinThread},
	"cpu":        {Workers: 2, Pin: workers.PinCPU, RaiseProcs: true},
	"background": {Workers: 1, Background: 2, RaiseProcs: true},
	"low only":   {Workers: -1, Background: 1},
}

// each runs f on a pool of every shape and closes it.
func each(t *testing.T, f func(t *testing.T, p *workers.Pool)) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			p := workers.New(o)
			defer mustClose(t, p)
			f(t, p)
		})
	}
}

func quantile(v []float64, q float64) float64 {
	return hist.At(slices.Sorted(slices.Values(v)), q)
}

// ownFiles returns how many files of a kind the process has, by the system's word for it, or -1 where nobody says.
func ownFiles(kind string) int {
	if runtime.GOOS != "linux" { // Wine shows Linux's files
		return -1
	}
	d, err := os.ReadDir("/proc/self/" + kind)
	if err != nil {
		return -1
	}
	return len(d)
}

// background cannot be done, so Wait may run a job itself.
var background = context.Background()

// over is a context that is done.
var over = func() context.Context {
	ctx, cancel := context.WithCancel(background)
	cancel()
	return ctx
}()

// hasWorkers reports whether p has workers, as it has not where there is one thread.
func hasWorkers(p *workers.Pool) bool {
	var s workers.Stats
	p.Stats(&s)
	return s.Workers > 0
}

var (
	needsWorkers = workers.NeedsWorkers
	mustClose    = workers.MustClose
	occupy       = workers.Occupy
)

// grouped returns what Wait returns of a group that body has filled.
func grouped(p *workers.Pool, ctx context.Context, body func(g *workers.Group)) error {
	g := p.NewGroup(ctx, deadline.UserBlocking)
	body(g)
	return g.Wait()
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprint("unexpected error: ", err))
	}
}

//go:noinline
func explode(v any) { panic(v) }

func answer(p *workers.Pool) *workers.Future[int] {
	return workers.Submit(p, 0, func(context.Context) (int, error) { return 42, nil })
}
