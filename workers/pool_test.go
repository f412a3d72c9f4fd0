package workers_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestEveryAcceptedJobRunsOnce(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		const producers, each = 4, 2000
		var ran [producers * each]atomic.Int32
		var wg sync.WaitGroup
		for k := range producers {
			wg.Go(func() {
				for i := range each {
					at := k*each + i
					p.Go(deadline.Priorities()[i%deadline.NumPriorities], func() { ran[at].Add(1) })
				}
			})
		}
		wg.Wait()
		mustClose(t, p)
		for i := range ran {
			if n := ran[i].Load(); n != 1 {
				t.Fatalf("job %d ran %d times", i, n)
			}
		}
		var s workers.Stats
		p.Stats(&s)
		if got := s.Run + s.RanByCaller; got != producers*each || s.Dropped != 0 {
			t.Errorf("stats count %d runs and %d drops, want %d and 0", got, s.Dropped, producers*each)
		}
	})
}

// One worker is held; what is queued meanwhile comes out by priority, and in order within one.
func TestLanesAreServedInOrder(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	free := occupy(p, deadline.Immediate)
	var mu sync.Mutex
	var order []string
	for i := range 2 {
		for _, prio := range []deadline.Priority{deadline.Idle, deadline.Normal, deadline.Immediate, deadline.Low,
			deadline.UserBlocking} {
			p.Go(prio, func() {
				mu.Lock()
				order = append(order, fmt.Sprint(prio, " ", i))
				mu.Unlock()
			})
		}
	}
	free()
	eventually(t, "ten jobs", func() bool { mu.Lock(); defer mu.Unlock(); return len(order) == 10 })
	want := "immediate 0 immediate 1 user-blocking 0 user-blocking 1 normal 0 normal 1 low 0 low 1 idle 0 idle 1"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("order:\n got %s\nwant %s", got, want)
	}
}

// However many urgent jobs there are, one of sixteen dispatches goes to the least urgent lane.
func TestIdleJobsAreNotStarved(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	free := occupy(p, deadline.Immediate)
	var urgent, idle, at atomic.Int64
	for range 200 {
		p.Go(deadline.Immediate, func() { urgent.Add(1) })
	}
	p.Go(deadline.Idle, func() { at.Store(urgent.Load()); idle.Add(1) })
	free()
	eventually(t, "the idle job", func() bool { return idle.Load() == 1 })
	if n := at.Load(); n > 16 {
		t.Errorf("the idle job ran after %d urgent ones, want at most 16", n)
	}
}

// Jobs of the least urgent lanes never have all workers.
func TestLowJobsLeaveAWorker(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	release := make(chan struct{})
	var inside, most atomic.Int64
	for range 8 {
		p.Go(deadline.Low, func() {
			n := inside.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			<-release
			inside.Add(-1)
		})
	}
	eventually(t, "one low job", func() bool { return inside.Load() == 1 })
	// All of these need the other worker.
	for range 50 {
		var done atomic.Bool
		p.Go(deadline.UserBlocking, func() { done.Store(true) })
		eventually(t, "an urgent job", done.Load)
	}
	close(release)
	mustClose(t, p)
	if most.Load() != 1 {
		t.Errorf("%d low jobs at once on two workers, want 1", most.Load())
	}
}

// Background workers take what is not urgent, and nothing else; ordinary workers the rest.
func TestBackgroundWorkersTakeTheirLanesOnly(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2, Background: 2, RaiseProcs: true})
	defer mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Background == 0 {
		t.Skipf("no background workers here: %v", s.Notes)
	}
	var wrong, ran atomic.Int64
	jobs := make([]workers.Job, 500)
	for i := range jobs {
		prio := deadline.Priorities()[i%deadline.NumPriorities]
		jobs[i].Priority = prio
		jobs[i].Func = func(w *workers.Worker) {
			ran.Add(1)
			if w.Low() != (prio <= deadline.Normal) {
				wrong.Add(1)
			}
		}
		p.Submit(&jobs[i])
	}
	eventually(t, "all jobs", func() bool { return ran.Load() == int64(len(jobs)) })
	if wrong.Load() != 0 {
		t.Errorf("%d jobs ran on a worker of the wrong class", wrong.Load())
	}
}

func TestJobIsReusable(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		n := 0
		j := workers.Job{Label: "count", Func: func(*workers.Worker) { n++ }}
		if j.State() != workers.Fresh {
			t.Errorf("state %v, want fresh", j.State())
		}
		for range 100 {
			p.Submit(&j)
			if err := j.Wait(background); err != nil || j.State() != workers.Finished || j.Err() != nil {
				t.Fatalf("err %v, state %v", err, j.State())
			}
		}
		if n != 100 {
			t.Errorf("ran %d times, want 100", n)
		}
	})
}

func TestMisusePanics(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	var queued workers.Job
	queued.Func = func(*workers.Worker) {}
	p.Submit(&queued)
	for what, f := range map[string]func(){
		"nil function":         func() { p.Go(deadline.Normal, nil) },
		"invalid Priority(17)": func() { p.Go(17, func() {}) },
		"job without a func":   func() { p.Submit(new(workers.Job)) },
		"job that is queued":   func() { p.Submit(&queued) },
		"job's bad priority":   func() { p.Submit(&workers.Job{Func: queued.Func, Priority: -9}) },
		"err of a queued job":  func() { _ = queued.Err() },
		"wait for a fresh":     func() { _ = new(workers.Job).Wait(background) },
		"too many workers":     func() { workers.New(workers.Options{Workers: workers.MaxWorkers + 1}) },
		"nil future":           func() { workers.Submit[int](p, deadline.Normal, nil) },
	} {
		if v := panicOf(f); v == nil || !strings.HasPrefix(fmt.Sprint(v), "workers: ") {
			t.Errorf("%s: panic %v, want one that begins with the package's name", what, v)
		}
	}
	bad := &workers.Job{Func: queued.Func, Priority: -9}
	_ = panicOf(func() { p.Submit(bad) })
	bad.Priority = deadline.Normal
	p.Submit(bad) // a refused Submit leaves the job as it was
	if err := bad.Wait(background); err != nil {
		t.Error(err)
	}
}

func TestCancelBeforeTheStart(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	ran := false
	j := workers.Job{Func: func(*workers.Worker) { ran = true }}
	p.Submit(&j)
	if !j.Cancel() || j.Cancel() || !errors.Is(j.Err(), workers.ErrCanceled) {
		t.Errorf("Cancel of a queued job: err %v", j.Err())
	}
	p.RunUntil(deadline.Deadline{})
	if ran {
		t.Error("a canceled job ran")
	}
	// Its stale entry must not make the next submission run twice, or early.
	p.Submit(&j)
	j.Cancel()
	p.Submit(&j)
	if n := p.RunUntil(deadline.Deadline{}); n != 1 || !ran || j.Err() != nil || j.Cancel() {
		t.Errorf("after a new Submit: ran %d jobs, err %v", n, j.Err())
	}
}

// Work that a job starts through its worker is run by it or stolen; the first job waits until another worker
// has some.
func TestWorkersStealFromOneAnother(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	var byOther, ran atomic.Int64
	j := workers.Job{Func: func(w *workers.Worker) {
		me := w.Index()
		children := make([]workers.Job, 100)
		for i := range children {
			children[i].Func = func(w *workers.Worker) {
				ran.Add(1)
				if w.Index() != me {
					byOther.Add(1)
				}
			}
			w.Submit(&children[i])
		}
		w.Go(deadline.Immediate, func() { ran.Add(1) })
		for byOther.Load() == 0 {
			runtime.Gosched()
		}
	}}
	p.Submit(&j)
	eventually(t, "all children", func() bool { return ran.Load() == 101 })
	var s workers.Stats
	eventually(t, "the count of stolen jobs", func() bool { p.Stats(&s); return s.Stolen > 0 })
}

func TestStatsNameWhatRuns(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	var s workers.Stats
	for _, c := range []struct {
		label string
		want  string
	}{{"decode", "decode"}, {"", "TestStatsNameWhatRuns"}} {
		started, release := make(chan struct{}), make(chan struct{})
		j := workers.Job{Label: c.label, Func: func(*workers.Worker) { close(started); <-release }}
		p.Submit(&j)
		<-started
		for range 3 {
			p.Go(deadline.Low, func() {})
		}
		p.Stats(&s)
		if w := s.PerWorker[0]; !w.Running || !strings.Contains(w.Label, c.want) || s.Queued[deadline.Low.Lane()] != 3 {
			t.Errorf("stats %+v, want a running %q and 3 queued", s, c.want)
		}
		close(release)
		eventually(t, "the end", func() bool { p.Stats(&s); return !s.PerWorker[0].Running && s.Queued[3] == 0 })
	}
	if n := allocsPerRun(100, func() { p.Stats(&s) }); n != 0 {
		t.Errorf("Stats allocates %v times", n)
	}
}

func TestWorkersFollowGOMAXPROCS(t *testing.T) {
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	p := workers.New(workers.Options{})
	defer mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Workers != 0 {
		t.Fatalf("%d workers on one P, want 0", s.Workers)
	}
	runtime.GOMAXPROCS(2)
	p.BeginFrame()
	want := p.OrdinaryFor(2) // one, but not on one processor or with a quota of less than two
	eventually(t, "the worker of two Ps", func() bool { p.Stats(&s); return s.Workers == want })
	var done atomic.Bool
	p.Go(deadline.Normal, func() { done.Store(true) })
	if want == 0 {
		p.RunUntil(deadline.Deadline{})
	}
	eventually(t, "a job on the new worker", done.Load)
	p.EndFrame()
}

// What the workers of a pool did adds up to what the pool says.
func TestStatsOfTheWorkersAddUp(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	for range 20 {
		f := workers.Submit(p, deadline.Normal, func() (int, error) { return 0, nil })
		if _, err := f.Wait(background); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all are counted", func() bool {
		var s workers.Stats
		p.Stats(&s)
		run := func(all []workers.WorkerStats) (n uint64) {
			for _, w := range all {
				n += w.Run
			}
			return n
		}
		return run(s.PerWorker) == s.Run && s.Run+s.RanByCaller >= 20
	})
}
