package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

// While the urgent never ends every lane that waits has its turns, and none has to wait until a less urgent one is
// empty.
func TestTheFloorGoesRound(t *testing.T) {
	for _, flood := range []deadline.Priority{deadline.Immediate, deadline.UserBlocking} {
		w := lone()
		w.class.want.Store(1)
		w.class.lanes = []int{0, 1, 2, 3, 4}
		w.class.fork = 2
		var begun [numLanes]int
		for i := range numLanes * (floor + 1) * 8 {
			for _, prio := range deadline.Priorities() {
				if lane := prio.Lane(); lane == flood.Lane() || lane > flood.Lane() && i == 0 {
					for range 100 {
						w.pool.lanes[lane].push(funcItem(func() {}), false)
					}
				}
			}
			if !w.find.findWork() {
				t.Fatal("nothing to do")
			}
			begun[w.lane]++
			w.cur = item{}
		}
		for lane := flood.Lane() + 1; lane < numLanes; lane++ {
			if begun[lane] < 8 {
				t.Errorf("a flood of %v: begun %v", flood, begun)
			}
		}
	}
}

// An endless chain of jobs lets the earlier jobs of its lane begin within 1,000 later ones (W11), wherever they wait
// and however the chain continues.
func TestAnEndlessChainLetsEarlierJobsOfItsLaneBegin(t *testing.T) {
	NeedsWorkers(t)
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

// flooded makes a pool of two workers, one of which is kept by a job with its Worker, which meanwhile calls keep,
// while the other one never runs out of what comes from outside, of a kind that is not brief.
func flooded(t *testing.T, keep func(p *Pool, w *Worker)) {
	NeedsWorkers(t)
	p := New(Options{Workers: 2})
	free := Occupy(p, 0)
	kept := make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) { keep(p, w); close(kept) }})
	<-kept
	flood(t, p, 0)
	free()
}

// flood sees to it that something of a lane always waits outside until the test ends, and then closes the pool.
func flood(t *testing.T, p *Pool, prio deadline.Priority) {
	var over atomic.Bool
	var again func()
	again = func() {
		for begin := time.Now(); time.Since(begin) < 20*time.Microsecond; {
			runtime.Gosched()
		}
		if !over.Load() {
			p.Go(prio, again)
		}
	}
	for range 100 {
		p.Go(prio, again)
	}
	t.Cleanup(func() {
		over.Store(true)
		MustClose(t, p)
	})
}

// What a job has submitted, and the next one waits for by means that the pool knows nothing of, begins though the
// other workers have enough to do.
func TestAFloodFromOutsideDoesNotStarveWhatAJobHasSubmitted(t *testing.T) {
	done := make(chan struct{})
	flooded(t, func(_ *Pool, w *Worker) {
		w.Go(0, func() { close(done) })
		w.Go(0, func() { <-done })
	})
	testkit.Within(t, "what a job has submitted", func() { <-done })
}

// The same of what a worker has taken ahead.
func TestAFloodFromOutsideDoesNotStarveABatch(t *testing.T) {
	done := make(chan struct{})
	flooded(t, func(p *Pool, w *Worker) {
		p.Go(0, func() { <-done })
		p.Go(0, func() { close(done) })
		for range 4 { // as it takes half of what there is
			p.Go(0, func() {})
		}
		w.find.brief = true
	})
	testkit.Within(t, "what a worker has taken ahead", func() { <-done })
}

// What is taken from another's batch is stolen, also by who looks for a batch of its own.
func TestWhatIsTakenFromABatchCountsAsStolen(t *testing.T) {
	NeedsWorkers(t)
	p := New(Options{Workers: 2})
	free := Occupy(p, 0)
	var left atomic.Int32
	begun, done := make(chan struct{}), make(chan struct{})
	jobs := make([]Job, 40)
	left.Store(int32(len(jobs)))
	p.Submit(&Job{Func: func(w *Worker) {
		p.Go(0, func() { close(begun); <-done })
		for i := range jobs {
			jobs[i].Func = func(w *Worker) {
				w.find.brief = true
				if left.Add(-1) == 0 {
					close(done)
				}
			}
			p.Submit(&jobs[i])
		}
		w.find.brief = true
	}})
	<-begun // the first of the half that this worker has taken
	free()
	<-done
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	var s Stats
	if p.Stats(&s); s.Stolen != 20 {
		t.Errorf("%d stolen", s.Stolen)
	}
}

// What a background job submits to an urgent lane begins though there is always something from others.
func TestAFloodDoesNotStarveWhatABackgroundJobSubmits(t *testing.T) {
	p := New(Options{Workers: 1, Background: 1})
	if p.classes[background].want.Load() == 0 || p.classes[ordinary].want.Load() == 0 {
		_ = p.Close(context.Background())
		t.Skip("no threads of lower priority")
	}
	flood(t, p, deadline.Immediate)
	done := make(chan struct{})
	p.Submit(&Job{Func: func(w *Worker) { w.Go(deadline.Immediate, func() { close(done) }) }})
	testkit.Within(t, "what a background job has submitted", func() { <-done })
}

// lone returns a worker of a pool without goroutines.
func lone() *Worker {
	p := &Pool{}
	c := &p.classes[ordinary]
	c.pool = p
	for i := range p.lanes {
		p.lanes[i].init(i, c, &p.quiet, 0)
	}
	w := &Worker{pool: p, class: c}
	w.find.init(w)
	return w
}
