package workers_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

func TestASeatWaitsWithoutAllocating(t *testing.T) {
	p, s, release := seated(t)
	defer mustClose(t, p)
	defer release()
	defer s.Close()
	ran := 0
	job := workers.Job{Label: "seat", Func: func(*workers.Worker) { ran++ }}
	round := func() {
		p.Submit(&job)
		if err := s.Wait(context.Background(), &job); err != nil {
			t.Error(err)
		}
		for s.RunUntil(deadline.Deadline{}) > 0 { // throws away the stale entry
		}
	}
	for range 50 {
		round()
	}
	if n := allocsPerRun(100, round); n != 0 {
		t.Errorf("a job in a seat's Wait allocates %v times", n)
	}
	if want := 50 + 101; ran != want {
		t.Errorf("ran %d jobs, want %d", ran, want)
	}
}

// A job that the seat runs may wait by it, too: the seat's coroutine is taken, so that is Job.Wait's to see to.
func TestASeatWaitsWithinAJobOfItsOwn(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1})
	defer mustClose(t, p)
	s := p.Seat()
	defer s.Close()
	order := ""
	inner := workers.Job{Func: func(*workers.Worker) { order += "b" }}
	outer := workers.Job{Func: func(*workers.Worker) {
		order += "a"
		p.Submit(&inner)
		if err := s.Wait(context.Background(), &inner); err != nil {
			t.Error(err)
		}
		order += "c"
	}}
	p.Submit(&outer)
	if err := s.Wait(context.Background(), &outer); err != nil || order != "abc" {
		t.Errorf("ran %q, %v; want abc", order, err)
	}
}

func TestASeatWaitsForWhatIsNotItsToRun(t *testing.T) {
	p, s, release := seated(t)
	q := workers.New(workers.Options{Workers: -1})
	ran := 0
	elsewhere := workers.Job{Func: func(*workers.Worker) { ran++ }}
	q.Submit(&elsewhere)
	if err := s.Wait(context.Background(), &elsewhere); err != nil || ran != 1 {
		t.Errorf("another pool's job: ran %d times, %v", ran, err)
	}
	if err := s.Wait(context.Background(), &elsewhere); err != nil || ran != 1 {
		t.Errorf("a job that has ended: ran %d times, %v", ran, err)
	}
	mustClose(t, q)

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	later := workers.Job{Func: func(*workers.Worker) { ran++ }}
	p.Submit(&later)
	if hasWorkers(p) { // who may give up leaves it to the worker, which is busy
		if err := s.Wait(ctx, &later); !errors.Is(err, context.DeadlineExceeded) || ran != 1 {
			t.Errorf("a wait with an end: ran %d times, %v", ran, err)
		}
	}
	release()
	if err := s.Wait(context.Background(), &later); err != nil || ran != 2 {
		t.Errorf("what the worker may have begun: ran %d times, %v", ran, err)
	}
	s.Close()
	mustClose(t, p)
	p.Submit(&later)
	if err := s.Wait(context.Background(), &later); !errors.Is(err, workers.ErrClosed) || ran != 2 {
		t.Errorf("on a closed pool: ran %d times, %v", ran, err)
	}
}

// What the coroutine costs that keeps a Goexit from who waits: made for each Wait, or kept by a seat.
func BenchmarkWaitRunsTheJob(b *testing.B) {
	p := workers.New(workers.Options{Workers: -1})
	defer func() { _ = p.Close(context.Background()) }()
	s := p.Seat()
	defer s.Close()
	job := workers.Job{Func: func(*workers.Worker) {}}
	for name, wait := range map[string]func(){
		"Job.Wait":  func() { _ = job.Wait(context.Background()) },
		"Seat.Wait": func() { _ = s.Wait(context.Background(), &job) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Submit(&job)
				wait()
			}
		})
	}
}
