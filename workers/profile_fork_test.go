package workers_test

import (
	"bytes"
	"context"
	"errors"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
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

// Also a fork that runs elsewhere than within Join of its own job, and a job of a pool without workers, is a region.
func TestForksAndTurnsAreRegions(t *testing.T) {
	needsWorkers(t)
	if trace.IsEnabled() {
		t.Skip("go test -trace takes one, and there can be no other")
	}
	left := func(p *workers.Pool, look func()) {
		p.Submit(&workers.Job{Label: "the root", Func: func(w *workers.Worker) {
			base, fork := workers.Job{Func: func(*workers.Worker) {}}, workers.Job{Label: "the fork"}
			fork.Func = func(*workers.Worker) { look() }
			w.Fork(&base)
			w.Fork(&fork) // forgotten
			w.Join(&base)
		}})
	}
	for how, run := range map[string]func(p *workers.Pool, look func()){
		"left":   left,
		"stolen": stealOne,
		"in turns": func(p *workers.Pool, look func()) {
			p.Submit(&workers.Job{Label: "the fork", Func: func(w *workers.Worker) { w.Yield(); look() }})
			for range 2 {
				p.RunUntil(deadline.In(time.Hour))
			}
		},
	} {
		var b bytes.Buffer
		if err := trace.Start(&b); err != nil {
			t.Fatal(err)
		}
		workersWanted := map[string]int{"left": 1, "stolen": 2, "in turns": -1}[how]
		p := workers.New(workers.Options{Workers: workersWanted})
		run(p, func() {})
		mustClose(t, p)
		trace.Stop()
		if !strings.Contains(b.String(), "the fork") {
			t.Errorf("%s: no region", how)
		}
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
