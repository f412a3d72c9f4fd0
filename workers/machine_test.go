package workers

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/procs"
	"github.com/frameslice/frameslice/internal/quota"
	"github.com/frameslice/frameslice/internal/testkit"
)

// A pool follows GOMAXPROCS without frames, too. Its workers look, or, where there are none, the goroutines that run
// its jobs.
func TestAPoolFollowsGOMAXPROCSWithoutFrames(t *testing.T) {
	NeedsWorkers(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	nop := func(context.Context) (int, error) { return 0, nil }
	for _, c := range []struct {
		name     string
		from, to int
		run      func(p *Pool)
	}{
		{"a worker", 2, 1, func(p *Pool) { p.Go(deadline.Immediate, func() {}) }},
		{"RunUntil", 1, 2, func(p *Pool) {
			p.Go(deadline.Normal, func() {})
			p.RunUntil(deadline.Deadline{})
		}},
		{"Wait", 1, 2, func(p *Pool) { _, _ = Submit(p, 0, nop).Wait(context.Background()) }},
		{"ParallelFor", 1, 2, func(p *Pool) { p.ParallelFor(10, 1, func(_, _ int) {}) }},
		{"Group", 1, 2, func(p *Pool) {
			g := p.NewGroup(context.Background(), deadline.Normal)
			g.Go(func(context.Context) error { return nil })
			_ = g.Wait()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runtime.GOMAXPROCS(c.from)
				p := New(Options{})
				defer MustClose(t, p)
				if p.OrdinaryFor(2) == 0 {
					t.Skip("one processor, or a quota of less than two: never a worker")
				}
				runtime.GOMAXPROCS(c.to)
				time.Sleep(time.Second)
				c.run(p)
				synctest.Wait()
				if n, want := p.classes[ordinary].want.Load(), p.OrdinaryFor(c.to); int(n) != want {
					t.Errorf("%d workers on %d Ps, want %d", n, c.to, want)
				}
			})
		})
	}
}

// What another pool has added to GOMAXPROCS is not for this one's workers.
func TestWorkersOfARaisedGOMAXPROCS(t *testing.T) {
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	a := New(Options{Workers: -1, Background: 2, RaiseProcs: true})
	defer a.Close(context.Background())
	if a.classes[background].want.Load() == 0 {
		t.Skip("no background workers here")
	}
	b := New(Options{})
	defer b.Close(context.Background())
	if n := b.classes[ordinary].want.Load(); n != 0 {
		t.Errorf("%d workers on one P of the program's own", n)
	}
}

// A quota bounds the workers, the background ones too, so that the frame is not stopped with them.
func TestHowManyWorkersThereAre(t *testing.T) {
	for _, c := range []struct{ procs, processors, granted, ordinary, background int }{
		{1, 8, 99, 0, 8},
		{2, 2, 99, 1, 2},
		{8, 8, 99, 7, 8},
		{10, 8, 99, 7, 8},     // GOMAXPROCS above the processors
		{2, 8, 1, 0, 1},       // a quota of 1.5, which Go rounds up
		{4, 64, 4, 3, 3},      // a quota of 4
		{1, 1, 99, 0, 1},      //
		{99, 99, 999, 64, 64}, // MaxWorkers
	} {
		ord, low := ordinaryFor(c.procs, c.processors, c.granted), backgroundFor(c.processors, c.granted)
		if ord != c.ordinary || low != c.background {
			t.Errorf("%+v: got %d and %d", c, ord, low)
		}
	}
}

// PinCPU takes the processors in the order that the topology says.
func TestPinnedWorkersTakeTheUrgentOrder(t *testing.T) {
	NeedsAffinity(t)
	p := New(Options{Workers: 2, Pin: PinCPU})
	defer p.Close(context.Background())
	var in sync.WaitGroup
	in.Add(2)
	for range 2 {
		p.Submit(&Job{Func: func(w *Worker) {
			in.Done()
			in.Wait() // so each worker has one
			got, err := osthread.CPUs()
			at := w.Index() % len(p.machine.urgent) // on one processor they share it
			if want := p.machine.urgent[at : at+1]; err != nil || !slices.Equal(got, want) {
				t.Errorf("worker %d is on %v, want %v, %v", w.Index(), got, want, err)
			}
		}})
	}
	in.Wait()
}

// A quota that changes without GOMAXPROCS, which is two on either side of it, is followed all the same.
func TestAQuotaIsFollowedWhereGOMAXPROCSDoesNotTell(t *testing.T) {
	if !threads || runtime.NumCPU() < 2 {
		t.Skip("never a worker here")
	}
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	p := New(Options{})
	defer p.Close(context.Background())
	for _, c := range []struct {
		limit   string
		whole   int
		workers int32
	}{{"200000 100000\n", 2, 1}, {"50000 100000\n", 1, 0}, {"max 100000\n", 0, 1}} {
		p.machine.quota.Files = quotaFiles(c.limit)
		p.machine.quota.Expire()
		p.follow.next.Store(0)
		p.BeginFrame()
		p.EndFrame()
		testkit.Eventually(t, c.limit, func() bool {
			return p.machine.quota.Whole() == c.whole && p.classes[ordinary].want.Load() == c.workers
		})
		if p.machine.quota.Due(deadline.Now().Add(quota.Every / 2)) {
			t.Error("read again too early")
		}
	}
}

// However many workers the options ask for, under a quota none of them stays awake; also when it comes later.
func TestExplicitWorkersDoNotStayAwakeUnderAQuota(t *testing.T) {
	NeedsWorkers(t)
	m, c, f := machine{opt: &Options{Workers: 2}}, class{}, follower{}
	c.base.Store(2)
	f.init(&m, &quiet{}, &c)
	m.quota.Files = quotaFiles("150000 100000\n")
	m.survey()
	f.adapt()
	if n := c.sleep.Places(); n != 0 || m.granted() != 1 {
		t.Errorf("%d places, %d processors granted", n, m.granted())
	}
	m.quota.Files = quotaFiles("max 100000\n")
	f.adapt()
	without := c.sleep.Places()
	m.quota.Files = quotaFiles("300000 100000\n")
	f.adapt()
	if n := c.sleep.Places(); n != 0 || without != max(min(procs.Others(), runtime.NumCPU())-1, 0) {
		t.Errorf("%d places without a quota, %d when it has come", without, n)
	}
}
