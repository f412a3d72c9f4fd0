package workers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/workers"
)

// oneWorker returns a pool with one worker, unless there are none here.
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

// Close in a job says what else runs when its context is done, and nothing of its own job.
func TestCloseInAJobSaysWhatStillRuns(t *testing.T) {
	p := oneWorker(t, workers.Options{Workers: 2})
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
