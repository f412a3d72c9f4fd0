package workers_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/internal/timeline"
	"github.com/frameslice/frameslice/workers"
)

// A job is counted when it has run, in the lane of its priority, whichever verb has submitted it.
func TestProfileCountsByLane(t *testing.T) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			o.Profile = -1
			p := workers.New(o)
			for i, prio := range deadline.Priorities() {
				for range 10 * (i + 1) {
					p.Go(prio, func() {})
					p.Submit(&workers.Job{Priority: prio, Func: func(w *workers.Worker) { w.Go(prio, func() {}) }})
					f := workers.Submit(p, prio, func(context.Context) (int, error) { return 1, nil })
					workers.Then(f, func(_ context.Context, n int) (int, error) { return n, nil })
				}
			}
			mustClose(t, p)
			var s workers.Profile
			if !p.Profile(&s) {
				t.Fatal("no insight")
			}
			for i := range s.Lanes {
				l, want := s.Lanes[i], uint64(50*(i+1))
				if l.Run+l.ByCaller != want || l.Delay.Count() != want || l.Stolen > l.Run {
					got := []uint64{l.Run, l.ByCaller, l.Delay.Count(), l.Stolen}
					t.Errorf("lane %d: want %d, got %d", i, want, got)
				}
			}
		})
	}
}

// A job that waits 5 ms for its worker has a delay of 5 ms.
func TestProfileMeasuresDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, Profile: -1})
		p.Go(deadline.Normal, func() { time.Sleep(5 * time.Millisecond) })
		p.Go(deadline.Low, func() {})
		f := workers.Submit(p, deadline.Idle, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			return 0, nil
		})
		workers.Then(f, func(context.Context, int) (int, error) { return 0, nil })
		mustClose(t, p)
		var s workers.Profile
		p.Profile(&s)
		if d := s.Lanes[2].Delay.Max(); d != 0 {
			t.Errorf("Normal waited %v", d)
		}
		if d := s.Lanes[3].Delay.Max(); d != 5*time.Millisecond {
			t.Errorf("Low waited %v", d)
		}
		if d := s.Lanes[4].Delay; d.Count() != 2 || d.Max() != 5*time.Millisecond || d.Percentile(25) != 0 {
			t.Errorf("Idle waited %v, a quarter %v", d.Max(), d.Percentile(25))
		}
	})
}

func TestProfileSeesWakeUps(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Profile: -1})
	defer mustClose(t, p)
	var s workers.Profile
	var st workers.Stats
	var ran atomic.Int64
	for i := int64(1); i <= 5; i++ {
		n := uint64(i)
		testkit.Eventually(t, "asleep", func() bool { p.Stats(&st); return st.Parked >= n })
		time.Sleep(100 * time.Microsecond)
		p.Go(deadline.Normal, func() { ran.Add(1) })
		testkit.Eventually(t, "it runs", func() bool { runtime.Gosched(); return ran.Load() == i })
	}
	if p.Profile(&s); s.Wake.Count() < 1 || s.Wake.Max() <= 0 || s.Late > s.Wake.Count() {
		t.Errorf("%d wake-ups, %v at most, %d late", s.Wake.Count(), s.Wake.Max(), s.Late)
	}
}

func ExamplePool_Profile() {
	p := workers.New(workers.Options{Profile: -1})
	p.Go(deadline.Low, func() {})
	_ = p.Close(background)
	var s workers.Profile
	p.Profile(&s)
	low := &s.Lanes[deadline.Low.Lane()]
	late := low.Delay.Percentile(99) > time.Minute // how long one in a hundred waits
	fmt.Println(low.Delay.Count(), "job was begun; one in 100 waited over a minute:", late)
	// Output: 1 job was begun; one in 100 waited over a minute: false
}

// Each job counts in its kind, be it so short that it would otherwise not be timed, wherever it runs. A job of several
// turns is one. What panicked or called Goexit is in no kind.
func TestProfileTellsWhatKindsCost(t *testing.T) {
	ends := []func(){func() { panic("no") }, runtime.Goexit, func() {}}
	for _, n := range []int{-1, 2} {
		bubble(t, workers.Options{Workers: n, Profile: -1}, func(t *testing.T, p *workers.Pool) {
			job := func(label string, d time.Duration, end func()) *workers.Job {
				j := &workers.Job{Label: label, Func: func(*workers.Worker) { time.Sleep(d); end() }}
				p.Submit(j)
				return j
			}
			for range 500 {
				job("short", 0, func() {})
			}
			for range 3 {
				job("long", 2*ms, func() {})
			}
			for _, end := range ends {
				_ = job("waited", ms, end).Wait(background)
				job("failed", ms, end)
			}
			p.Submit(&workers.Job{Label: "turns", Func: func(w *workers.Worker) {
				for range 3 {
					time.Sleep(ms)
					w.Yield()
				}
			}})
			for range 4 {
				p.RunUntil(deadline.Deadline{})
			}
			var st workers.Stats
			p.Stats(&st)
			mustClose(t, p)
			var s workers.Profile
			p.Profile(&s)
			for i := range s.Kinds {
				if i > 0 && s.Kinds[i].Total > s.Kinds[i-1].Total {
					t.Errorf("not sorted: %+v", s.Kinds)
				}
				k := &s.Kinds[i]
				if k.Kind == "long" && k.Expected <= 0 {
					t.Errorf("nothing is expected: %+v", k)
				}
				k.Expected = 0
			}
			most := 3 * ms
			if st.Workers == 0 {
				most = ms // each turn counts
			}
			for _, want := range []workers.Cost{
				{Kind: "short", Runs: 500}, {Kind: "long", Runs: 3, Total: 6 * ms, Max: 2 * ms},
				{Kind: "waited", Runs: 1, Total: ms, Max: ms}, {Kind: "failed", Runs: 1, Total: ms, Max: ms},
				{Kind: "turns", Runs: 1, Total: 3 * ms, Max: most},
			} {
				if !slices.Contains(s.Kinds, want) {
					t.Errorf("%d workers: %+v, want %+v", n, s.Kinds, want)
				}
			}
		})
	}
}

func spin(d time.Duration) {
	for t := deadline.Now(); deadline.Now().Sub(t) < d; {
	}
}

// Where all jobs are timed none is on credit: workers are not busy for longer than there was time.
func TestBusyIsNoMoreThanTheTimeThatThereWas(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Profile: -1})
	defer mustClose(t, p)
	begin := deadline.Now()
	for range 1000 {
		p.Go(deadline.Normal, func() { spin(5 * time.Microsecond) })
	}
	done := make(chan workers.Stats)
	p.Go(deadline.Normal, func() { var s workers.Stats; p.Stats(&s); done <- s })
	s := <-done
	if whole := deadline.Now().Sub(begin); s.PerWorker[0].Busy > whole {
		t.Errorf("busy for %v of %v", s.PerWorker[0].Busy, whole)
	}
}

func TestProfileAdd(t *testing.T) {
	var a, b workers.Profile
	b.Lanes[1].Run, b.Lanes[1].Stolen, b.Lanes[1].ByCaller = 3, 2, 1
	b.Lanes[1].Delay.Record(5)
	b.Wake.Record(7)
	b.Late = 4
	b.Kinds = []workers.Cost{{Kind: "k", Runs: 2, Total: 9, Max: 6, Expected: 5}}
	a.Add(&b)
	a.Add(&b)
	want := workers.Cost{Kind: "k", Runs: 4, Total: 18, Max: 6, Expected: 5}
	if l := &a.Lanes[1]; l.Run != 6 || l.Stolen != 4 || l.ByCaller != 2 || l.Delay.Count() != 2 ||
		a.Wake.Count() != 2 || a.Late != 8 || len(a.Kinds) != 1 || a.Kinds[0] != want {
		t.Errorf("%+v", a.Kinds)
	}
}

// Profile has the latest runs of jobs, of workers and of callers, with their times.
func TestProfileHasRuns(t *testing.T) {
	ends, cancel := context.WithCancel(background) // a Wait leaves the job to a worker
	defer cancel()
	for _, c := range []struct {
		o     workers.Options
		ctx   context.Context
		where timeline.Where
	}{
		{workers.Options{Workers: 1}, ends, timeline.Worker},
		{workers.Options{Workers: -1, Background: 1}, ends, timeline.Background},
		{workers.Options{Workers: -1}, background, timeline.Caller},
	} {
		c.o.Profile = 4
		p := workers.New(c.o)
		var st workers.Stats
		if p.Stats(&st); c.where != timeline.Caller && len(st.PerWorker) == 0 {
			p.Close(background)
			continue // there are no such workers here
		}
		for range 7 {
			j := workers.Job{Label: "slow", Priority: deadline.Low, Func: func(*workers.Worker) {
				time.Sleep(time.Millisecond)
			}}
			p.Submit(&j)
			if err := j.Wait(c.ctx); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(background); err != nil {
			t.Fatal(err)
		}
		var s workers.Profile
		if !p.Profile(&s) || uint64(len(s.Runs))+s.RunsDropped != 7 || len(s.Runs) < 4 {
			t.Fatalf("%d runs, %d dropped, want 7 together", len(s.Runs), s.RunsDropped)
		}
		for _, r := range s.Runs {
			if r.Label != "slow" || r.Priority != deadline.Low || r.Where != c.where || r.Ready == 0 ||
				r.Begin < r.Ready || r.End.Sub(r.Begin) < time.Millisecond {
				t.Errorf("got %+v", r)
			}
		}
	}
}
