package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// The time within jobs, and what a lane counts, are those of the jobs that ran.
func TestBusyAndLaneInsight(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1, Insight: true})
	defer p.Close(context.Background())
	var s workers.Stats
	if p.Stats(&s); s.Workers == 0 {
		t.Skip("no workers here")
	}
	j := &workers.Job{Priority: deadline.Low, Func: func(*workers.Worker) { time.Sleep(10 * time.Millisecond) }}
	j2 := &workers.Job{Priority: deadline.Low, Func: func(*workers.Worker) {}}
	done := make(chan struct{}, 2)
	for _, j := range []*workers.Job{j, j2} {
		j.Notify(func() { done <- struct{}{} })
		p.Submit(j)
		<-done
	}
	eventually(t, "the worker has told", func() bool { p.Stats(&s); return s.PerWorker[0].Run == 2 })
	if busy := s.PerWorker[0].Busy; busy < 10*time.Millisecond {
		t.Errorf("busy for %v, the job took 10ms", busy)
	}
	var in workers.Insight
	if !p.Insight(&in) {
		t.Fatal("no insight")
	}
	for i, lane := range in.Lanes {
		want := uint64(0)
		if i == deadline.Low.Lane() {
			want = 2
		}
		if lane.Run != want || lane.Stolen+lane.Guests != 0 || lane.Delay.Count() != want {
			t.Errorf("lane %d: %d run, %d stolen, %d by guests, %d delays", i, lane.Run, lane.Stolen, lane.Guests,
				lane.Delay.Count())
		}
	}
}
