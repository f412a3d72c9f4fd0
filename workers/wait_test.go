package workers_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

// A job that waits for what another worker runs lends its place: the two workers are busy and asleep, and a third job
// runs all the same. There are no more workers than before when all has ended.
func TestAJobThatWaitsHasASpare(t *testing.T) {
	needsWorkers(t)
	for name, begin := range map[string]func(p *workers.Pool, f func()) (wait func()){
		"Job": func(p *workers.Pool, f func()) func() {
			j := &workers.Job{Func: func(*workers.Worker) { f() }}
			p.Submit(j)
			return func() { _ = j.Wait(background) }
		},
		"Future": func(p *workers.Pool, f func()) func() {
			u := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { f(); return 0, nil })
			return func() { _, _ = u.Wait(background) }
		},
		"Then": func(p *workers.Pool, f func()) func() {
			u := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { f(); return 0, nil })
			v := workers.Then(u, func(context.Context, int) (int, error) { return 0, nil })
			return func() { _, _ = v.Wait(background) }
		},
		"Group": func(p *workers.Pool, f func()) func() {
			g := p.NewGroup(background, deadline.Normal)
			g.Go(func(context.Context) error { f(); return nil })
			return func() { _ = g.Wait() }
		},
	} {
		p := workers.New(workers.Options{Workers: 2})
		begun, end := make(chan struct{}), make(chan struct{})
		wait := begin(p, func() { close(begun); <-end })
		<-begun
		waiter := workers.Job{Func: func(*workers.Worker) { wait() }}
		p.Submit(&waiter)
		var s workers.Stats
		testkit.Eventually(t, name+": a spare", func() bool { p.Stats(&s); return s.Workers == 3 })
		third := workers.Job{Func: func(*workers.Worker) {}}
		p.Submit(&third)
		testkit.Eventually(t, name+": the third job", third.Finished)
		close(end)
		if err := waiter.Wait(background); err != nil {
			t.Error(err)
		}
		testkit.Eventually(t, name+": two workers again", func() bool { p.Stats(&s); return s.Workers == 2 })
		mustClose(t, p)
	}
}

// A job that has a spare already, because it is within Blocking or SubmitWaiting has seen it wait, gets no other spare
// for a wait.
func TestAWaitOfAJobThatHasASpareBringsInNoOther(t *testing.T) {
	needsWorkers(t)
	for name, submit := range map[string]func(p *workers.Pool, wait func()){
		"Blocking": func(p *workers.Pool, wait func()) {
			p.Submit(&workers.Job{Func: func(w *workers.Worker) { w.Blocking(wait) }})
		},
		"SubmitWaiting": func(p *workers.Pool, wait func()) {
			bridge.Of(p).SubmitWaiting(&workers.Job{Func: func(*workers.Worker) { wait() }})
		},
	} {
		bubble(t, workers.Options{Workers: 2}, func(t *testing.T, p *workers.Pool) {
			source := workers.Job{Func: func(*workers.Worker) { time.Sleep(time.Second) }}
			p.Submit(&source)
			synctest.Wait() // a worker has it
			submit(p, func() { must(source.Wait(background)) })
			var s workers.Stats
			most := 0
			for range 40 {
				time.Sleep(5 * ms)
				p.Stats(&s)
				most = max(most, s.Workers)
			}
			if most != 3 {
				t.Errorf("%s: %d workers, want two and a spare", name, most)
			}
		})
	}
}
