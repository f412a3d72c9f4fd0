package workers_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/workers"
)

func TestARunnerOnALockedGoroutineAndAfterClose(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		p := workers.New(workers.Options{Workers: 1})
		s, release := bridge.Of(p).Runner(nil), func() {}
		if hasWorkers(p) { // the only one is busy, so that the runner has all jobs
			release = occupy(p, deadline.Immediate)
		}
		ran := 0
		for i, end := range []func(){func() {}, runtime.Goexit, func() {}, func() { panic("x") }, func() {}} {
			j := workers.Job{Func: func(*workers.Worker) { ran++; end() }}
			p.Submit(&j)
			s.RunUntil(deadline.Deadline{})
			if ran != i+1 || j.State() != workers.Finished || (j.Err() == nil) != (i%2 == 0) {
				t.Errorf("job %d: %d ran, and the job is %v", i, ran, j.State())
			}
			if i != 1 && i != 3 { // what ends badly leaves the Runner open
				s.Close()
			}
		}
		release()
		mustClose(t, p)
		if n := s.RunUntil(deadline.Deadline{}); n != 0 {
			t.Errorf("a runner of a closed pool ran %d jobs", n)
		}
		s.Close()
	}()
	<-done
}

func TestRestWakesOnce(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	wakes := 0
	bridge.Of(p).Runner(nil).Rest() // with nobody to wake
	s := bridge.Of(p).Runner(func() { wakes++ })
	want := func(what string, n int) {
		t.Helper()
		if wakes != n {
			t.Errorf("%s: %d wakes, want %d", what, wakes, n)
		}
		wakes = 0
	}
	p.Go(deadline.Normal, func() {})
	want("no rest", 0)
	s.Rest()
	want("a rest while a job waits", 1)
	p.Go(deadline.Normal, func() {})
	want("another job", 0)
	for s.RunUntil(deadline.In(time.Hour)) > 0 {
	}
	s.Rest()
	want("a rest while none waits", 0)
	workers.Submit(p, deadline.Low, func(context.Context) (int, error) { return 1, nil })
	p.Go(deadline.Immediate, func() {})
	want("a job comes, and another", 1)
	for s.RunUntil(deadline.In(time.Hour)) > 0 {
	}
	s.Rest()
	s.Close()
	s.Close()
	p.Go(deadline.Normal, func() {})
	want("closed", 0)
	if s.Rest(); wakes != 1 {
		t.Error("a runner that was closed does not rest again")
	}
	s.Close()
	mustClose(t, p)
}

// Where workers take the job nobody is to be woken.
func TestRestIsQuietWhereThereAreWorkers(t *testing.T) {
	needsWorkers(t)
	p := workers.New(workers.Options{Workers: 1})
	var wakes atomic.Int32
	s := bridge.Of(p).Runner(func() { wakes.Add(1) })
	s.Rest()
	for range 100 {
		f := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) { return 1, nil })
		if _, err := f.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := wakes.Load(); n != 0 {
		t.Errorf("%d wakes", n)
	}
	s.Close()
	mustClose(t, p)
}
