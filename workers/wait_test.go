package workers_test

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/deadline"
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
		eventually(t, name+": a spare", func() bool { p.Stats(&s); return s.Workers == 3 })
		third := workers.Job{Func: func(*workers.Worker) {}}
		p.Submit(&third)
		eventually(t, name+": the third job", third.Finished)
		close(end)
		if err := waiter.Wait(background); err != nil {
			t.Error(err)
		}
		eventually(t, name+": two workers again", func() bool { p.Stats(&s); return s.Workers == 2 })
		mustClose(t, p)
	}
}

// A wait within Blocking lends the place once.
func TestAWaitWithinBlockingHasOneSpare(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 2})
	begun, end := make(chan struct{}), make(chan struct{})
	j := workers.Job{Func: func(*workers.Worker) { close(begun); <-end }}
	p.Submit(&j)
	<-begun
	about := make(chan struct{})
	waiter := workers.Job{Func: func(w *workers.Worker) {
		w.Blocking(func() { close(about); _ = j.Wait(background) })
	}}
	p.Submit(&waiter)
	<-about
	var s workers.Stats
	for range 100 {
		if p.Stats(&s); s.Workers != 3 {
			t.Fatalf("%d workers, not 3", s.Workers)
		}
	}
	close(end)
	mustClose(t, p)
}
