package workers_test

import (
	"context"
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
	for name, end := range map[string]func(s *workers.Seat, j *workers.Job){
		"RunUntil": func(s *workers.Seat, _ *workers.Job) {
			for s.RunUntil(deadline.Deadline{}) > 0 {
			}
		},
		"Wait": func(s *workers.Seat, j *workers.Job) { _ = s.Wait(context.Background(), j) },
	} {
		p, s, release := seated(t)
		exits := workers.Job{Func: func(*workers.Worker) { runtime.Goexit() }}
		panics := workers.Job{Func: func(*workers.Worker) { panic("in a seat") }}
		fine := workers.Job{Func: func(*workers.Worker) {}}
		for _, j := range []*workers.Job{&exits, &panics, &fine} {
			p.Submit(j)
			end(s, j)
			if j.State() != workers.Finished {
				t.Fatalf("%s left a job %v", name, j.State())
			}
		}
		if err := exits.Err(); !errors.Is(err, workers.ErrGoexit) {
			t.Errorf("%s, Goexit: %v", name, err)
		}
		var pe *workers.PanicError
		if err := panics.Err(); !errors.As(err, &pe) || pe.Value != "in a seat" {
			t.Errorf("%s, panic: %v", name, err)
		}
		if err := fine.Err(); err != nil {
			t.Errorf("%s, the job after them: %v", name, err)
		}
		s.Close()
		release()
		mustClose(t, p)
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
