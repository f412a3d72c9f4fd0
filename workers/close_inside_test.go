package workers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// oneWorker returns a pool with one worker, which takes bound jobs, unless there are none here.
func oneWorker(t *testing.T, o workers.Options) *workers.Pool {
	t.Helper()
	p := workers.New(o)
	var s workers.Stats
	if p.Stats(&s); s.Workers+s.Background == 0 {
		mustClose(t, p)
		t.Skip("no workers here:", s.Notes)
	}
	return p
}

// A job that Close runs within a job waits for what is bound to the worker that they are on.
func TestCloseInAJobRunsWhatWaitsForItsWorker(t *testing.T) {
	for name, wait := range map[string]func(p *workers.Pool, w *workers.Worker) error{
		"SubmitTo": func(p *workers.Pool, w *workers.Worker) error {
			k := &workers.Job{Func: func(*workers.Worker) {}}
			w.SubmitTo(0, k)
			return k.Wait(background)
		},
		"Graph": func(p *workers.Pool, w *workers.Worker) error {
			var g workers.Graph
			g.AddOn(0, "node", func(*workers.Worker) error { return nil })
			return g.Run(background, p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := oneWorker(t, workers.Options{Workers: 1, Bound: 1})
			var waited, closed error
			done := make(chan struct{})
			p.Submit(&workers.Job{Func: func(w *workers.Worker) {
				defer close(done)
				w.Submit(&workers.Job{Func: func(w *workers.Worker) { waited = wait(p, w) }})
				closed = p.Close(background)
			}})
			within(t, "Close in a job", func() { <-done })
			if waited != nil || closed != nil {
				t.Errorf("waited: %v; closed: %v", waited, closed)
			}
			mustClose(t, p)
		})
	}
}

// Close in a job says what else runs when its context is done, and nothing of its own job.
func TestCloseInAJobSaysWhatStillRuns(t *testing.T) {
	p := oneWorker(t, workers.Options{Workers: 2, Watchdog: time.Hour, OnStuck: func(string, time.Duration) {}})
	gate, started := make(chan struct{}), make(chan struct{})
	p.Submit(&workers.Job{Label: "other", Func: func(*workers.Worker) { close(started); <-gate }})
	<-started
	var err error
	done := make(chan struct{}) // not Wait, which would run it right here
	p.Submit(&workers.Job{Label: "closer", Func: func(*workers.Worker) {
		defer close(done)
		over, cancel := context.WithCancelCause(background)
		cancel(errors.New("enough"))
		err = p.Close(over)
	}})
	within(t, "Close in a job", func() { <-done })
	if err == nil || !strings.Contains(err.Error(), "other") || strings.Contains(err.Error(), "closer") ||
		!strings.Contains(err.Error(), "enough") {
		t.Errorf("Close said %v", err)
	}
	close(gate)
	mustClose(t, p)
}

// Close in a job whose context is done, beside nothing, has nothing to say.
func TestCloseInAJobWithNothingBesideIt(t *testing.T) {
	each(t, func(t *testing.T, p *workers.Pool) {
		var err error
		j := &workers.Job{Func: func(*workers.Worker) {
			over, cancel := context.WithCancel(background)
			cancel()
			err = p.Close(over)
		}}
		p.Submit(j)
		if e := j.Wait(background); e != nil || err != nil {
			t.Errorf("the job: %v; Close: %v", e, err)
		}
	})
}

// A worker on which a job waits for one between two turns runs what is bound to it, which that one may wait for.
func TestAWorkerThatGivesATurnServesItsInbox(t *testing.T) {
	p := oneWorker(t, workers.Options{Workers: -1, Background: 1})
	asked := 0
	sliced := &workers.Job{Priority: deadline.Immediate, Func: func(w *workers.Worker) {
		w.Yield()
		asked, _ = p.Broadcast(func(*workers.Worker) {}).Wait(background)
	}}
	p.Submit(sliced)
	p.RunUntil(deadline.Deadline{})
	if sliced.State() == workers.Finished {
		t.Fatal("the job did not yield")
	}
	j := &workers.Job{Priority: deadline.Normal, Func: func(*workers.Worker) { _ = sliced.Wait(background) }}
	p.Submit(j)
	within(t, "a wait for a job between two turns", func() {
		for j.State() != workers.Finished {
			time.Sleep(time.Millisecond)
		}
	})
	if asked != 1 {
		t.Errorf("%d workers were asked", asked)
	}
	mustClose(t, p)
}
