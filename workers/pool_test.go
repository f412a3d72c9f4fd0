package workers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

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
	testkit.Eventually(t, "ten jobs", func() bool { mu.Lock(); defer mu.Unlock(); return len(order) == 10 })
	want := "immediate 0 immediate 1 user-blocking 0 user-blocking 1 normal 0 normal 1 low 0 low 1 idle 0 idle 1"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("order:\n got %s\nwant %s", got, want)
	}
}

// Brief jobs of one goroutine, which a worker takes many at a time, begin in order too.
func TestBriefJobsOfOneGoroutineBeginInOrder(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	var got, want []int
	for i := range 20_000 {
		want = append(want, i)
		p.Go(deadline.Normal, func() { got = append(got, i) })
	}
	mustClose(t, p)
	if !slices.Equal(got, want) {
		t.Error("jobs of one goroutine on one worker began out of order")
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
	testkit.Eventually(t, "all jobs", func() bool { return ran.Load() == int64(len(jobs)) })
	if wrong.Load() != 0 {
		t.Errorf("%d jobs ran on a worker of the wrong class", wrong.Load())
	}
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
		testkit.Eventually(t, "end", func() bool { p.Stats(&s); return !s.PerWorker[0].Running && s.Queued[3] == 0 })
	}
}

// A lane that waits for longer than its timeout goes first, once.
func TestOverdueLaneGoesFirst(t *testing.T) {
	needsWorkers(t)
	o := workers.Options{Workers: 1}.Aging(deadline.Timeouts{Normal: 20 * ms})
	bubble(t, o, func(t *testing.T, p *workers.Pool) {
		var log []string
		p.Go(deadline.Immediate, func() { time.Sleep(ms) })
		synctest.Wait() // the worker finds all others in their lanes
		for i := range 12 {
			p.Go(deadline.Immediate, func() { time.Sleep(5 * ms); log = append(log, fmt.Sprint(i)) })
		}
		p.Go(deadline.Normal, func() { log = append(log, "normal") })
		p.Go(deadline.Low, func() { log = append(log, "low") })
		time.Sleep(time.Second)
		synctest.Wait()
		// Seen waiting at 1 ms; overdue after 21.
		if got, want := strings.Join(log, " "), "0 1 2 3 4 normal 5 6 7 8 9 10 11 low"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// The counts of a pool's workers add up to the pool's own.
func TestStatsOfTheWorkersAddUp(t *testing.T) {
	p := workers.New(workers.Options{Workers: 2})
	defer mustClose(t, p)
	for range 20 {
		f := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 0, nil })
		if _, err := f.Wait(background); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "all are counted", func() bool {
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
