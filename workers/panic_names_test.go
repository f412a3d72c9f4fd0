package workers_test

import (
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// foreign is a Looper of somebody else's, though it has one of ours within.
type foreign struct {
	*workers.Pool
	called int
}

func (l *foreign) ParallelFor(n, grain int, body func(lo, hi int)) {
	l.called++
	l.Pool.ParallelFor(n, grain, body)
}

// A panic names the call whose function it was, also where that is a ParallelFor in the end.
func TestPanicsNameTheLoop(t *testing.T) {
	no := func(int) int { panic("no") }
	cmp := func(a, b int) int { panic("no") }
	loops := map[string]func(l workers.Looper){
		"ParallelFor": func(l workers.Looper) { l.ParallelFor(1000, 1, func(lo, hi int) { panic("no") }) },
		"ParallelFor2D": func(l workers.Looper) {
			workers.ParallelFor2D(l, 100, 100, 8, func(_, _, _, _ int) { panic("no") })
		},
		"Map": func(l workers.Looper) { workers.Map(l, nil, make([]int, 1000), no) },
		"Reduce": func(l workers.Looper) {
			workers.Reduce(l, 1000, 1, func(int, int) int { panic("no") }, func(a, b int) int { return a })
		},
		"Sort": func(l workers.Looper) { workers.Sort(l, make([]int, 10_000), cmp) },
		"Join": func(l workers.Looper) { workers.Join(l, func() { panic("no") }, func() { panic("no") }) },
	}
	each(t, func(t *testing.T, p *workers.Pool) {
		for name, loop := range loops {
			check := func(what string, l workers.Looper) {
				if got := panicOf(func() { loop(l) }).(*workers.PanicError).Error(); got != name+": panic: no" {
					t.Errorf("%s of a %s: %s", name, what, got)
				}
			}
			check("pool", p)
			check("lane", p.Lane(deadline.Low))
			j := workers.Job{Func: func(w *workers.Worker) { check("worker", w) }}
			p.Submit(&j)
			must(j.Wait(background))
			l := &foreign{Pool: p}
			if panicOf(func() { loop(l) }) == nil || l.called == 0 {
				t.Errorf("%s of a foreign Looper does not call that", name)
			}
		}
	})
}
