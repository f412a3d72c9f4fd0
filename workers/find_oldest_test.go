package workers

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
)

// An endless chain of jobs lets the earlier jobs of its lane begin within 1,000 later ones (W11), wherever they wait
// and however the chain goes on.
func TestAnEndlessChainLetsEarlierJobsOfItsLaneBegin(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	const earlier = 30 // of each kind
	chains := map[string]func(w *Worker, f func(w *Worker)){
		"Worker.Submit": func(w *Worker, f func(w *Worker)) { w.Submit(&Job{Func: f}) },
		"in two lanes in turns": func(w *Worker, f func(w *Worker)) {
			w.Submit(&Job{Priority: deadline.UserBlocking, Func: func(w *Worker) { w.Submit(&Job{Func: f}) }})
		},
		"Fork": func(w *Worker, f func(w *Worker)) { w.Fork(&Job{Func: f}) },
	}
	for name, goOn := range chains {
		for _, n := range []int{1, 2} {
			worst := laterThanTheEarlier(t, n, earlier, goOn)
			for try := 1; n > 1 && try < 5 && worst > 1000; try++ { // the system may stop a worker that has some
				worst = laterThanTheEarlier(t, n, earlier, goOn)
			}
			if worst > 1000 {
				t.Errorf("%s, %d workers: the last earlier job began after %d later ones", name, n, worst)
			}
		}
	}
}

// laterThanTheEarlier returns how many jobs of a chain had begun when the last of those before them did.
func laterThanTheEarlier(t *testing.T, n, earlier int, goOn func(w *Worker, f func(w *Worker))) int64 {
	p := New(Options{Workers: n})
	var begun, links, worst atomic.Int64
	note := func() {
		begun.Add(1)
		worst.Store(links.Load())
	}
	var chain func(w *Worker)
	chain = func(w *Worker) {
		if links.Add(1) < 20_000 && begun.Load() < int64(2*earlier) {
			goOn(w, chain)
		}
	}
	ready := make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) {
		<-ready
		for range earlier {
			w.Go(deadline.Normal, note)
		}
		chain(w)
	}})
	for range earlier {
		p.Go(deadline.Normal, note)
	}
	close(ready)
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	return worst.Load()
}
