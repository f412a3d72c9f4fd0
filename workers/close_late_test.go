package workers_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// giveUp closes p with a context that is done.
func giveUp(p *workers.Pool) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	return p.Close(ctx)
}

// What a background worker holds back for a late frame does not begin any more when Close has given up, and is counted.
func TestCloseFindsTheJobThatIsHeldBack(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1, Background: 1})
	p.StandBack(deadline.Now().Add(time.Minute))
	j := workers.Job{Func: func(*workers.Worker) { t.Error("it began") }}
	p.Submit(&j)
	eventually(t, "the worker has the job in its hands", func() bool {
		var s workers.Stats
		p.Stats(&s)
		return s.Queued[deadline.Normal.Lane()] == 0
	})
	err := giveUp(p)
	mustClose(t, p)
	if !errors.Is(j.Err(), workers.ErrClosed) {
		t.Errorf("the job has ended with %v", j.Err())
	}
	if err == nil || !strings.Contains(err.Error(), "1 job dropped") {
		t.Errorf("Close returned %v", err)
	}
}

// What a job submits that still runs when Close has given up does not begin, also if the job waits for it.
func TestWhatALateJobSubmitsIsClosed(t *testing.T) {
	needsWorkers(t)
	for name, o := range shapes {
		p := workers.New(o)
		in, late := make(chan struct{}), make(chan struct{})
		k := workers.Job{Func: func(*workers.Worker) { t.Errorf("%s: it began", name) }}
		var err error
		j := workers.Job{Priority: deadline.Normal, Func: func(w *workers.Worker) {
			close(in)
			<-late
			w.Submit(&k)
			err = k.Wait(background)
		}}
		p.Submit(&j)
		if o.Workers < 0 && o.Background == 0 {
			go p.RunUntil(deadline.Deadline{})
		}
		<-in
		giveUp(p)
		close(late)
		mustClose(t, p)
		if !errors.Is(err, workers.ErrClosed) {
			t.Errorf("%s: Wait returned %v", name, err)
		}
	}
}

// What a worker ran last counts when the pool has ended, also if it has not slept, nor timed a job, since.
func TestAClosedPoolHasCountedEveryRun(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	begun, gate := make(chan struct{}), make(chan struct{})
	j := workers.Job{Func: func(*workers.Worker) { close(begun); <-gate; runtime.Goexit() }}
	p.Submit(&j)
	<-begun
	_ = giveUp(p) // the worker leaves after this job
	close(gate)
	mustClose(t, p)
	var s workers.Stats
	if p.Stats(&s); s.Run != 1 || j.Err() != workers.ErrGoexit {
		t.Errorf("%d runs counted; the one job has ended with %v", s.Run, j.Err())
	}
}
