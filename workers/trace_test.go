package workers_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/regions/tracetest"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// stealOne has a job fork on p until another worker steals the fork, which calls f, and returns when both have ended.
func stealOne(p *workers.Pool, f func()) {
	in := make(chan struct{})
	fork := workers.Job{Label: "the fork", Func: func(*workers.Worker) { f(); close(in) }}
	root := workers.Job{Label: "the root", Func: func(w *workers.Worker) {
		for {
			w.Fork(&fork)
			time.Sleep(50 * time.Microsecond)
			if !w.Unfork(&fork) { // shared, with somebody who is hungry
				<-in // Join would take it back
				w.Join(&fork)
				return
			}
		}
	}}
	p.Submit(&root)
	<-in
	for root.State() != workers.Finished {
		time.Sleep(time.Microsecond)
	}
}

// A stolen fork is seen by whoever sees jobs.
func TestAStolenForkIsSeen(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	hold, in := make(chan struct{}), make(chan struct{})
	ended := make(chan struct{})
	go func() {
		stealOne(p, func() { close(in); <-hold })
		close(ended)
	}()
	<-in
	shown := 0
	var s workers.Stats
	p.Stats(&s)
	for _, w := range s.PerWorker {
		if w.Running && w.Label == "the fork" {
			shown++
		}
	}
	ctx, cancel := context.WithCancelCause(background)
	cancel(errors.New("enough"))
	err := p.Close(ctx)
	close(hold)
	<-ended
	mustClose(t, p)
	if shown != 1 || err == nil || !strings.Contains(err.Error(), "the fork") {
		t.Errorf("%d workers run it; Close: %v", shown, err)
	}
}

// A job is a region of a trace, wherever it runs and however it ends.
func TestJobsAreRegionsOfATrace(t *testing.T) {
	needsWorkers(t)
	submit := func(f func(w *workers.Worker)) func(p *workers.Pool) {
		return func(p *workers.Pool) { p.Submit(&workers.Job{Label: "the fork", Func: f}) }
	}
	for how, way := range map[string]struct {
		workers int
		run     func(p *workers.Pool)
	}{
		"returns":  {1, submit(func(*workers.Worker) {})},
		"panics":   {1, submit(func(*workers.Worker) { panic("no") })},
		"in Close": {-1, submit(func(*workers.Worker) {})},
		"in turns": {-1, func(p *workers.Pool) {
			submit(func(w *workers.Worker) { w.Yield() })(p)
			p.RunUntil(deadline.In(time.Hour))
			p.RunUntil(deadline.In(time.Hour))
		}},
		"stolen": {2, func(p *workers.Pool) { stealOne(p, func() {}) }},
		"left": {1, func(p *workers.Pool) {
			p.Submit(&workers.Job{Label: "the root", Func: func(w *workers.Worker) {
				base := workers.Job{Func: func(*workers.Worker) {}}
				w.Fork(&base)
				w.Fork(&workers.Job{Label: "the fork", Func: base.Func}) // forgotten
				w.Join(&base)
			}})
		}},
	} {
		all := tracetest.Run(t, "frameslice.job ", func() {
			p := workers.New(workers.Options{Workers: way.workers})
			way.run(p)
			mustClose(t, p)
		})
		if n := strings.Count(strings.Join(tracetest.Types(all), "\n"), "frameslice.job the fork"); n != 1 {
			t.Errorf("%s: %d regions", how, n)
		}
	}
}

// Whatever jobs do, the trace can be read: regions nest.
func TestTheTraceOfRandomProgramsCanBeRead(t *testing.T) {
	all := tracetest.Run(t, "frameslice.", func() {
		testkit.RandomPrograms(t, 40, testkit.Numbered, func(seed uint64) testkit.RandomProgram {
			g := makeProgram(seed)
			g.inBubble = false // real time only
			return g
		})
	})
	for _, r := range all {
		if label, ok := strings.CutPrefix(r.Type, "frameslice.job "); !ok || label == "" {
			t.Errorf("a region %q", r.Type)
		}
	}
}
