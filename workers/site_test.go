package workers

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/topology"
)

// A pool without a frame follows GOMAXPROCS too: its workers look, and where there are none RunUntil does.
func TestWorkersFollowGOMAXPROCSWithoutFrames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: GOMAXPROCS is looked at once a second")
	}
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	p := New(Options{})
	defer p.Close(context.Background())
	if p.OrdinaryFor(2) == 0 {
		t.Skip("one processor, or a quota of less than two: never a worker")
	}
	workers := func(n int32) func() bool {
		return func() bool {
			p.Go(deadline.Immediate, func() { time.Sleep(time.Microsecond) })
			if n > 0 {
				p.RunUntil(deadline.Deadline{})
			}
			return p.classes[ordinary].want.Load() == n
		}
	}
	if p.classes[ordinary].want.Load() != 1 {
		t.Fatal("not one worker on two Ps")
	}
	runtime.GOMAXPROCS(1)
	wait(t, "no worker on one P", workers(0))
	runtime.GOMAXPROCS(2)
	wait(t, "one worker on two Ps", workers(1))
}

// A pool that begins without workers gets them when there are more Ps, whichever way its caller runs what there is.
func TestThePoolsCallersFollowGOMAXPROCSWhereThereAreNoWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: GOMAXPROCS is looked at once a second")
	}
	ctx := t.Context()
	for name, run := range map[string]func(p *Pool){
		"wait":         func(p *Pool) { _, _ = Submit(p, 0, func() (int, error) { return 0, nil }).Wait(ctx) },
		"parallel for": func(p *Pool) { p.ParallelFor(10, 1, func(_, _ int) {}) },
		"scope": func(p *Pool) {
			_ = p.Scope(ctx, func(s *Scope) error { s.Go(func(context.Context) error { return nil }); return nil })
		},
		"graph": func(p *Pool) {
			var g Graph
			g.Add("node", func(*Worker) error { return nil })
			_ = g.Run(ctx, p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			old := runtime.GOMAXPROCS(1)
			defer runtime.GOMAXPROCS(old)
			p := New(Options{})
			defer p.Close(context.Background())
			if p.OrdinaryFor(2) == 0 {
				t.Skip("one processor, or a quota of less than two: never a worker")
			}
			runtime.GOMAXPROCS(2)
			wait(t, "one worker on two Ps", func() bool {
				run(p)
				return p.classes[ordinary].want.Load() == 1
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

// Two complexes: a worker that has a processor steals from those that share its cache first.
func TestStealingStartsNearby(t *testing.T) {
	files := fstest.MapFS{}
	put := func(name, v string) { files["sys/devices/system/cpu/"+name] = &fstest.MapFile{Data: []byte(v)} }
	put("online", "0-3")
	for id, shared := range []string{"0-1", "0-1", "2-3", "2-3"} {
		dir := "cpu" + string(rune('0'+id)) + "/"
		put(dir+"topology/core_cpus_list", string(rune('0'+id)))
		put(dir+"cache/index0/level", "3")
		put(dir+"cache/index0/type", "Unified")
		put(dir+"cache/index0/shared_cpu_list", shared)
	}
	p := &Pool{opt: Options{Pin: PinCPU}}
	p.site.once.Do(func() { p.site.machine = topology.Read(files, nil) })
	p.site.urgent = p.site.machine.Urgent()
	if want := []int{1, 3, 2, 0}; !slices.Equal(p.site.urgent, want) {
		t.Fatalf("order %v, want %v", p.site.urgent, want)
	}
	w := &Worker{pool: p, class: &p.classes[ordinary], index: 1}
	p.locate(w)
	for i, at := range w.near[:2] { // worker 1 is on 3, workers 2, 5, 6 and so on are on 3 and 2
		if cpu := p.site.urgent[at%4]; cpu != 3 && cpu != 2 {
			t.Errorf("victim %d of worker 1 is worker %d, on processor %d", i, at, cpu)
		}
	}
	for i := range 3 {
		v := &Worker{pool: p, class: w.class, index: i}
		w.class.slots[i].Store(v)
		w.class.used.Store(int32(i) + 1)
		v.deques[0].Push(jobItem(&Job{Label: string(rune('a' + i))}))
		v.deques[0].Publish()
	}
	w.class.slots[1].Store(w)
	var order string
	for range 2 {
		if it, ok := w.steal(0); ok {
			order += it.job().Label
		}
	}
	if order != "ca" {
		t.Errorf("worker 1 stole in the order %q, want \"ca\"", order)
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
			at := w.Index() % len(p.site.urgent) // on one processor they share it
			if want := p.site.urgent[at : at+1]; err != nil || !slices.Equal(got, want) {
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
		limit          string
		whole, workers int32
	}{{"200000 100000\n", 2, 1}, {"50000 100000\n", 1, 0}, {"max 100000\n", 0, 1}} {
		p.site.files = quotaFiles(c.limit)
		p.site.readAt.Store(int64(deadline.Now().Add(-quotaEvery)))
		p.follow.next.Store(0)
		p.BeginFrame()
		p.EndFrame()
		wait(t, c.limit, func() bool {
			return p.site.whole.Load() == c.whole && p.classes[ordinary].want.Load() == c.workers
		})
		if p.quotaIsDue(deadline.Now().Add(quotaEvery / 2)) {
			t.Error("read again too early")
		}
	}
}

// However many workers the options ask for, under a quota none of them stays awake; also when it comes later.
func TestExplicitWorkersDoNotStayAwakeUnderAQuota(t *testing.T) {
	if !threads {
		t.Skip("no threads")
	}
	p := &Pool{opt: Options{Workers: 2}}
	c := &p.classes[ordinary]
	c.base.Store(2)
	p.site.files = quotaFiles("150000 100000\n")
	p.survey()
	p.setPlaces()
	if n := c.sleep.Places(); n != 0 || p.granted() != 1 {
		t.Errorf("%d places, %d processors granted", n, p.granted())
	}
	p.site.files = quotaFiles("max 100000\n")
	p.adapt()
	without := c.sleep.Places()
	p.site.files = quotaFiles("300000 100000\n")
	p.adapt()
	if n := c.sleep.Places(); n != 0 || without != max(min(p.procs.others(), runtime.NumCPU())-1, 0) {
		t.Errorf("%d places without a quota, %d when it has come", without, n)
	}
}
