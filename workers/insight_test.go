package workers_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// What is counted is what has run, in the lane in which it was submitted, however it was submitted.
func TestInsightCountsByLane(t *testing.T) {
	for name, o := range shapes {
		t.Run(name, func(t *testing.T) {
			o.Insight = true
			p := workers.New(o)
			for i, prio := range deadline.Priorities() {
				for range 10 * (i + 1) {
					p.Go(prio, func() {})
					p.Submit(&workers.Job{Priority: prio, Func: func(w *workers.Worker) { w.Go(prio, func() {}) }})
					f := workers.Submit(p, prio, func() (int, error) { return 1, nil })
					workers.Then(f, func(n int) (int, error) { return n, nil })
				}
			}
			mustClose(t, p)
			var s workers.Insight
			if !p.Insight(&s) {
				t.Fatal("no insight")
			}
			for i := range s.Lanes {
				l, want := s.Lanes[i], uint64(50*(i+1))
				if l.Run+l.Guests != want || l.Delay.Count() != want || l.Stolen > l.Run {
					got := []uint64{l.Run, l.Guests, l.Delay.Count(), l.Stolen}
					t.Errorf("lane %d: want %d, got %d", i, want, got)
				}
			}
		})
	}
}

func TestInsightIsAnOption(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer mustClose(t, p)
	p.Go(deadline.Normal, func() {})
	var s workers.Insight
	if p.Insight(&s) || s.Lanes[2].Run != 0 {
		t.Error("insight without Options.Insight")
	}
}

// A job that waits 5 ms for its worker has a delay of 5 ms.
func TestInsightMeasuresDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, Insight: true})
		p.Go(deadline.Normal, func() { time.Sleep(5 * time.Millisecond) })
		p.Go(deadline.Low, func() {})
		f := workers.Submit(p, deadline.Idle, func() (int, error) { time.Sleep(time.Second); return 0, nil })
		workers.Then(f, func(int) (int, error) { return 0, nil })
		mustClose(t, p)
		var s workers.Insight
		p.Insight(&s)
		if d := s.Lanes[2].Delay.Max(); d != 0 {
			t.Errorf("Normal waited %v", d)
		}
		if d := s.Lanes[3].Delay.Max(); d != 5*time.Millisecond {
			t.Errorf("Low waited %v", d)
		}
		if d := s.Lanes[4].Delay; d.Count() != 2 || d.Max() != 5*time.Millisecond || d.Quantile(0.25) != 0 {
			t.Errorf("Idle waited %v, a quarter %v", d.Max(), d.Quantile(0.25))
		}
	})
}

func TestInsightSeesWakeUps(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Insight: true})
	defer mustClose(t, p)
	var s workers.Insight
	var st workers.Stats
	var ran atomic.Int64
	for i := int64(1); i <= 5; i++ {
		n := uint64(i)
		eventually(t, "asleep", func() bool { p.Stats(&st); return st.Parked >= n })
		time.Sleep(100 * time.Microsecond)
		p.Go(deadline.Normal, func() { ran.Add(1) })
		eventually(t, "it runs", func() bool { runtime.Gosched(); return ran.Load() == i })
	}
	if p.Insight(&s); s.Wake.Count() < 1 || s.Wake.Max() <= 0 || s.Late > s.Wake.Count() {
		t.Errorf("%d wake-ups, %v at most, %d late", s.Wake.Count(), s.Wake.Max(), s.Late)
	}
}

func TestSubmissionDoesNotAllocateWithInsight(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1, Insight: true})
	defer mustClose(t, p)
	j := workers.Job{Func: func(*workers.Worker) {}}
	var s workers.Insight
	if n := allocsPerRun(100, func() {
		p.Submit(&j)
		_ = j.Wait(background)
		p.Insight(&s)
	}); n > 20 { // Wait makes a coroutine
		t.Errorf("%v allocations", n)
	}
}

func ExamplePool_Insight() {
	p := workers.New(workers.Options{Insight: true})
	p.Go(deadline.Low, func() {})
	_ = p.Close(background)
	var s workers.Insight
	p.Insight(&s)
	low := &s.Lanes[deadline.Low.Lane()]
	late := low.Delay.Quantile(0.99) > time.Minute // how long one in a hundred waits
	fmt.Println(low.Delay.Count(), "job was begun; one in 100 waited over a minute:", late)
	// Output: 1 job was begun; one in 100 waited over a minute: false
}
