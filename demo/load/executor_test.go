package load

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// probe counts its runs and its commits. The latter are plain: the race detector sees a commit off the frame
// goroutine.
type probe struct {
	ran     atomic.Int32
	commits int
	order   *int
}

func (p *probe) Run() { p.ran.Add(1) }
func (p *probe) Commit() {
	p.commits++
	*p.order++
}

func TestEveryModeRunsAndCommitsEveryJobOnce(t *testing.T) {
	for _, m := range AllModes() {
		t.Run(string(m), func(t *testing.T) {
			x := Open(m, Config{})
			defer x.Close()
			committed := 0
			jobs := make([]*probe, 500)
			for n := 0; committed < len(jobs); n++ {
				if n == 20_000 { // frames of 1 ms or more; not the clock, which continues while we are stopped
					t.Fatalf("only %d of %d jobs were committed", committed, len(jobs))
				}
				x.Begin()
				for i := n * 50; i < min((n+1)*50, len(jobs)); i++ {
					jobs[i] = &probe{order: &committed}
					x.Submit("probe", deadline.Priorities()[i%deadline.NumPriorities], jobs[i])
				}
				x.End()
				time.Sleep(time.Millisecond)
			}
			for i, j := range jobs {
				if j.ran.Load() != 1 || j.commits != 1 {
					t.Fatalf("job %d ran %d times and was committed %d times", i, j.ran.Load(), j.commits)
				}
			}
			if x.Pending() != 0 {
				t.Errorf("%d jobs pending, want 0", x.Pending())
			}
		})
	}
}

func TestCloseDropsWhatHasNotStartedAndLeavesNothing(t *testing.T) {
	for _, m := range AllModes() {
		t.Run(string(m), func(t *testing.T) {
			procs, before := runtime.GOMAXPROCS(0), runtime.NumGoroutine()
			n, most := 0, 2*runtime.NumCPU()+2
			if m == Goroutines {
				most = 300
			}
			// Close begins before the gate is opened, unless this goroutine gets no processor for as long.
			for d := 50 * time.Millisecond; d < time.Minute; d *= 2 {
				if n = ranInClose(Open(m, Config{}), m == Idle, d); n <= most {
					break
				}
			}
			if n > most {
				t.Errorf("%d jobs ran although the executor was closed", n)
			}
			if got := runtime.GOMAXPROCS(0); got != procs {
				t.Errorf("GOMAXPROCS is %d, was %d", got, procs)
			}
			for i := 0; runtime.NumGoroutine() > before && i < 60_000; i++ {
				time.Sleep(time.Millisecond) // an ended goroutine may still be on its way out
			}
			if got := runtime.NumGoroutine(); got > before {
				t.Errorf("%d goroutines, were %d", got, before)
			}
		})
	}
}

// ranInClose closes an executor that has 300 jobs, none of which ends within d. It returns how many of them have run.
// A quiet executor gets none, because it would run them at once.
func ranInClose(x Executor, quiet bool, d time.Duration) int {
	var ran atomic.Int32
	gate := make(chan struct{})
	x.Begin()
	if !quiet {
		for range 300 {
			x.Submit("gated", deadline.Normal, gated{gate, &ran})
		}
	}
	time.AfterFunc(d, func() { close(gate) })
	x.Close()
	x.Close()
	<-gate
	return int(ran.Load())
}

type gated struct {
	gate chan struct{}
	ran  *atomic.Int32
}

func (g gated) Run()  { <-g.gate; g.ran.Add(1) }
func (gated) Commit() {}

func TestParallelForCoversTheRangeInEveryMode(t *testing.T) {
	for _, m := range AllModes() {
		x := Open(m, Config{})
		var hits [1000]atomic.Int32
		x.Begin()
		x.ParallelFor(len(hits), 10, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				hits[i].Add(1)
			}
		})
		x.ParallelFor(0, 10, func(lo, hi int) { t.Errorf("%s: body(%d, %d) of nothing", m, lo, hi) })
		x.End()
		x.Close()
		for i := range hits {
			if hits[i].Load() != 1 {
				t.Fatalf("%s: index %d was visited %d times", m, i, hits[i].Load())
			}
		}
	}
}

func TestFifoKeepsOrderAndMemory(t *testing.T) {
	var q fifo[int]
	next, want := 0, 0
	for round := range 2000 {
		for range 1 + round%5 {
			q.push(next)
			next++
		}
		for range min(q.len(), 1+(round*7)%6) {
			if got := q.front(); got != want || q.pop() != want {
				t.Fatalf("got %d, want %d", got, want)
			}
			want++
		}
		if q.len() != next-want {
			t.Fatalf("len %d, want %d", q.len(), next-want)
		}
	}
	if cap(q.items) > 4096 {
		t.Errorf("the queue grew to %d for at most %d items", cap(q.items), next-want)
	}
}
