package workers

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// A job of one pool waits for room in a stream of another, whose only worker waits for that job.
func TestAStreamIsFedByAnotherPoolsJob(t *testing.T) {
	needsWorkers(t)
	a, b := New(Options{Workers: 1}), New(Options{Workers: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := NewStream[int](a, deadline.Normal, 1)
	outer := Submit(a, deadline.Normal, func() (int, error) {
		started := make(chan struct{})
		inner := Submit(b, deadline.Normal, func() (int, error) {
			close(started)
			for range 3 {
				if err := s.Submit(ctx, func(*int) error { return nil }); err != nil {
					return 0, err
				}
			}
			return 0, nil
		})
		<-started
		return inner.Wait(context.Background())
	})
	for range 3 {
		if _, err := s.Next(ctx); err != nil {
			t.Error(err)
		}
	}
	if _, err := outer.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	_ = a.Close(context.Background())
	_ = b.Close(context.Background())
}

// Close waits for the jobs of a Worker's Scope, also for those that a node's caller runs.
func TestCloseWaitsForTheScopeOfANode(t *testing.T) {
	p := New(Options{Workers: -1})
	var g Graph
	started, release := make(chan struct{}), make(chan struct{})
	g.Add("node", func(w *Worker) error {
		return w.pool.Scope(context.Background(), func(s *Scope) error {
			s.Go(func(context.Context) error { close(started); <-release; return nil })
			return nil
		})
	})
	ran := make(chan error)
	go func() { ran <- g.Run(context.Background(), p) }()
	<-started
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Close(over); err == nil {
		t.Error("closed while a job runs")
	}
	close(release)
	if err := <-ran; err != nil {
		t.Error(err)
	}
	_ = p.Close(context.Background())
}

// A job is its owner's again as soon as somebody has canceled it, even if Submit has not returned. (The race detector
// sees who does not know that.)
func TestACanceledJobMayBeChanged(t *testing.T) {
	p := New(Options{Workers: 1})
	for range 300 {
		j := Job{Func: func(*Worker) {}}
		changed := make(chan struct{})
		go func() {
			defer close(changed)
			for j.State() == Fresh {
				runtime.Gosched()
			}
			if j.Cancel() {
				j.Priority = deadline.Low
			}
		}()
		p.Submit(&j)
		<-changed
	}
	_ = p.Close(context.Background())
}
