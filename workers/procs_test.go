package workers

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/procs"
)

// A pool that is made while another one takes back what it has added to GOMAXPROCS has the workers that it should
// have, and whoever looks for changes then gets it right too.
func TestAPoolIsMadeWhileAnotherOneLowersGOMAXPROCS(t *testing.T) {
	NeedsWorkers(t)
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	made := make(chan *Pool)
	procs.HalfWay(2, func() {
		go func() { made <- New(Options{}) }()
		time.Sleep(10 * time.Millisecond) // most often enough for whom nothing stops to go wrong
	})
	p := <-made
	defer p.Close(context.Background())
	c := &p.classes[ordinary]
	want := int32(p.OrdinaryFor(2))
	if n := c.want.Load(); n != want {
		t.Errorf("%d workers on two Ps, want %d", n, want)
	}
	procs.HalfWay(2, func() {
		p.follow.next.Store(0)
		p.BeginFrame() // must not wait, and takes the change for one
		time.Sleep(10 * time.Millisecond)
		if n := c.want.Load(); n != want {
			t.Errorf("%d workers while another pool lowers GOMAXPROCS, want %d", n, want)
		}
	})
	p.EndFrame()
}

// A pool that has lost its workers gets them back, also if nobody runs jobs meanwhile, or calls BeginFrame.
func TestWorkersComeBackByThemselves(t *testing.T) {
	NeedsWorkers(t)
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		defer p.Close(context.Background())
		want := int32(p.OrdinaryFor(2))
		if want == 0 {
			t.Skip("one processor, or a quota of less than two: never a worker")
		}
		runtime.GOMAXPROCS(1)
		time.Sleep(time.Second)
		p.BeginFrame()
		p.EndFrame()
		synctest.Wait()
		c := &p.classes[ordinary]
		if n := c.want.Load(); n != 0 {
			t.Fatalf("%d workers on one P", n)
		}
		var ran atomic.Bool
		p.Go(deadline.Normal, func() { ran.Store(true) })
		time.Sleep(10 * time.Second)
		if ran.Load() {
			t.Error("a job runs where there are no workers")
		}
		runtime.GOMAXPROCS(2)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := c.want.Load(); n != want || !ran.Load() {
			t.Errorf("%d workers on two Ps, want %d; the job has run: %v", n, want, ran.Load())
		}
	})
}

// Close takes back what New has added, and nothing of what the program has set meanwhile, in whatever order pools open
// and close.
func TestCloseLeavesWhatGOMAXPROCSWouldBeWithoutThePool(t *testing.T) {
	NeedsWorkers(t)
	old := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(old)
	runtime.SetDefaultGOMAXPROCS()
	byDefault := runtime.GOMAXPROCS(0)
	open := func() *Pool { return New(Options{Workers: 1, Background: 1, RaiseProcs: true}) }
	if p := open(); p.procs.By() == 0 {
		MustClose(t, p)
		t.Skip("no background workers here")
	} else {
		MustClose(t, p)
	}
	set := func(n int) func() int { return func() int { runtime.GOMAXPROCS(n); return n } }
	toDefault := func() int { runtime.SetDefaultGOMAXPROCS(); return byDefault }
	for _, before := range []int{byDefault, 1, 3, byDefault + 5} {
		for name, between := range map[string]func() int{
			"nothing": func() int { return before }, "the default": toDefault,
			"one": set(1), "two": set(2), "many": set(40),
		} {
			for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}} {
				for at := range 4 { // before which pool is opened, or after all
					runtime.GOMAXPROCS(before)
					want := before
					var pools [3]*Pool
					for i := range pools {
						if i == at {
							want = between()
						}
						pools[i] = open()
					}
					if at == 3 {
						want = between()
					}
					if n := procs.Settled(); n != want {
						t.Errorf("%d, then %s before pool %d: %d without the pools, want %d",
							before, name, at, n, want)
					}
					for _, i := range order {
						MustClose(t, pools[i])
					}
					if n := runtime.GOMAXPROCS(0); n != want {
						t.Errorf("%d, then %s before pool %d, closed as %v: %d, want %d",
							before, name, at, order, n, want)
					}
				}
			}
		}
	}
}

func TestForNoWorkersNothingIsRaised(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	p := New(Options{Workers: -1, RaiseProcs: true})
	if n := runtime.GOMAXPROCS(0); n != before || p.procs.By() != 0 {
		t.Errorf("GOMAXPROCS %d, was %d; raised by %d", n, before, p.procs.By())
	}
	MustClose(t, p)
}
