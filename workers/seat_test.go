package workers_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// seated returns a pool whose only worker is busy until release, so that the seat has all jobs.
func seated(t *testing.T) (p *workers.Pool, s *workers.Seat, release func()) {
	t.Helper()
	p = workers.New(workers.Options{Workers: 1})
	if !hasWorkers(p) {
		return p, p.Seat(), func() {}
	}
	release = occupy(p, deadline.Immediate)
	return p, p.Seat(), release
}

func TestASeatRunsJobsWithoutAllocating(t *testing.T) {
	p, s, release := seated(t)
	defer mustClose(t, p)
	defer release()
	defer s.Close()
	ran := 0
	f := func() { ran++ }
	job := workers.Job{Label: "seat", Func: func(*workers.Worker) { ran++ }}
	round := func() {
		p.Go(deadline.Normal, f)
		p.Submit(&job)
		for s.RunUntil(deadline.Deadline{}) > 0 {
		}
	}
	for range 50 {
		round()
	}
	if n := allocsPerRun(100, round); n != 0 {
		t.Errorf("two jobs in a seat allocate %v times", n)
	}
	if want := 2 * (50 + 101); ran != want {
		t.Errorf("ran %d jobs, want %d", ran, want)
	}
}

func TestASeatOutlivesGoexitAndPanic(t *testing.T) {
	p, s, release := seated(t)
	defer mustClose(t, p)
	defer release()
	defer s.Close()
	exits := workers.Submit(p, deadline.Normal, func() (int, error) { runtime.Goexit(); return 0, nil })
	panics := workers.Submit(p, deadline.Normal, func() (int, error) { panic("in a seat") })
	fine := workers.Submit(p, deadline.Normal, func() (int, error) { return 7, nil })
	for s.RunUntil(deadline.Deadline{}) > 0 {
	}
	if _, err := exits.Result(); !errors.Is(err, workers.ErrGoexit) {
		t.Errorf("Goexit: %v", err)
	}
	var pe *workers.PanicError
	if _, err := panics.Result(); !errors.As(err, &pe) || pe.Value != "in a seat" {
		t.Errorf("panic: %v", err)
	}
	if v, err := fine.Result(); v != 7 || err != nil {
		t.Errorf("the job after them: %v, %v", v, err)
	}
}

func TestASeatOnALockedGoroutineAndAfterClose(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		p, s, release := seated(t)
		ran := 0
		for range 3 {
			p.Go(deadline.Normal, func() { ran++ })
			s.RunUntil(deadline.Deadline{})
			s.Close()
		}
		if ran != 3 {
			t.Errorf("ran %d jobs, want 3", ran)
		}
		release()
		mustClose(t, p)
		if n := s.RunUntil(deadline.Deadline{}); n != 0 {
			t.Errorf("a seat of a closed pool ran %d jobs", n)
		}
		s.Close()
	}()
	<-done
}
