package workers_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// A Stream keeps to its pool's limit: TrySubmit does not wait, Submit does, for as long as it may.
func TestStreamOnAFullPool(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1,
			Overflow: workers.OverflowWait})
		defer mustClose(t, p)
		start := time.Now()
		p.Go(deadline.Immediate, func() { time.Sleep(10 * time.Millisecond) })
		synctest.Wait()
		s := workers.NewStream[int](p, workers.StreamOptions{Window: 4})
		put := func(i int) func(*int) error { return func(v *int) error { *v = i; return nil } }
		if err := s.TrySubmit(put(1)); err != nil {
			t.Fatal(err)
		}
		if err := s.TrySubmit(put(2)); err != workers.ErrFull || time.Since(start) != 0 {
			t.Errorf("TrySubmit on a full pool: %v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := s.Submit(ctx, put(2)); err != context.DeadlineExceeded {
			t.Errorf("Submit whose time is up: %v", err)
		}
		if err := s.Submit(background, put(2)); err != nil || time.Since(start) != 10*time.Millisecond {
			t.Errorf("Submit: %v after %v", err, time.Since(start))
		}
		for want := 1; want <= 2; want++ {
			if v, err := s.Next(background); v == nil || *v != want || err != nil {
				t.Errorf("result %d: %v, %v", want, v, err)
			}
		}
		var st workers.Stats
		if p.Stats(&st); st.Refused != 2 {
			t.Errorf("%d refused", st.Refused)
		}
	})
}

// Who waits for the window does not keep a place of the pool from others, and is there when both have room.
func TestStreamWaitsWithoutAPlace(t *testing.T) {
	needsWorkers(t)
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1,
			Overflow: workers.OverflowWait})
		defer mustClose(t, p)
		s := workers.NewStream[int](p, workers.StreamOptions{Window: 2})
		nothing := func(*int) error { return nil }
		for range 2 {
			if err := s.Submit(background, nothing); err != nil {
				t.Fatal(err)
			}
		}
		var submitted atomic.Int32
		for range 3 {
			go func() {
				if err := s.Submit(background, nothing); err != nil {
					t.Error(err)
				}
				submitted.Add(1)
			}()
		}
		synctest.Wait()
		ran := false
		if err := goContext(p, background, deadline.Normal, func() { ran = true }); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if !ran || submitted.Load() != 0 {
			t.Errorf("ran: %v, %d submitted into a full window", ran, submitted.Load())
		}
		for i := range 5 {
			if v, err := s.Next(background); v == nil || err != nil {
				t.Errorf("result %d: %v", i, err)
			}
		}
		synctest.Wait()
		if submitted.Load() != 3 {
			t.Errorf("%d submitted, want 3", submitted.Load())
		}
	})
}

// The other policies, a job that would wait, and a pool that is closed.
func TestStreamOverflows(t *testing.T) {
	fill := func(t *testing.T, o workers.Overflow) *workers.Pool {
		p := workers.New(workers.Options{Workers: -1, MaxWaiting: 1, Overflow: o})
		if err := goContext(p, background, deadline.Normal, func() {}); err != nil {
			t.Fatal(err)
		}
		return p
	}
	nothing := func(*int) error { return nil }
	p := fill(t, workers.OverflowReject)
	s := workers.NewStream[int](p, workers.StreamOptions{})
	if a, b := s.TrySubmit(nothing), s.Submit(background, nothing); a != workers.ErrFull || b != workers.ErrFull {
		t.Errorf("rejecting: %v, %v", a, b)
	}
	mustClose(t, p)
	if a, b := s.TrySubmit(nothing), s.Submit(background, nothing); a != nil || b != nil {
		t.Errorf("closed: %v, %v", a, b)
	}
	for range 2 {
		if v, err := s.Next(background); v == nil || err != workers.ErrClosed {
			t.Errorf("closed: %v, %v", v, err)
		}
	}

	p = fill(t, workers.OverflowRun)
	s = workers.NewStream[int](p, workers.StreamOptions{})
	ran := 0
	count := func(*int) error { ran++; return nil }
	if a, b := s.TrySubmit(count), s.Submit(background, count); a != nil || b != nil || ran != 2 {
		t.Errorf("running: %v, %v, %d ran", a, b, ran)
	}
	exit := func(*int) error { runtime.Goexit(); return nil }
	if err := s.TrySubmit(exit); err != nil {
		t.Error(err)
	}
	for i, want := range []error{nil, nil, workers.ErrGoexit} {
		if v, err := s.TryNext(); v == nil || err != want {
			t.Errorf("result %d: %v, %v", i, v, err)
		}
	}
	mustClose(t, p)

	p = fill(t, workers.OverflowWait)
	s = workers.NewStream[int](p, workers.StreamOptions{})
	p.RunUntil(deadline.Deadline{})
	j := workers.Submit(p, deadline.Normal, func() (int, error) {
		if err := goContext(p, background, deadline.Normal, func() {}); err != nil {
			t.Error(err)
		}
		return 0, s.Submit(background, nothing)
	})
	if _, err := j.Wait(background); err != workers.ErrWouldWait {
		t.Errorf("in a job: %v", err)
	}
	mustClose(t, p)
}

// Several who submit take places of the window from one another: who finds none waits for the next, and does not say
// that the pool is full, which with OverflowRun is no matter.
func TestStreamSubmittersWaitForTheWindow(t *testing.T) {
	needsThreads(t)
	rounds := 10_000
	if testing.Short() {
		rounds = 3_000
	}
	p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1, Overflow: workers.OverflowRun})
	defer mustClose(t, p)
	defer occupy(p, deadline.Immediate)()
	p.Go(deadline.Immediate, func() {}) // from here on the pool is full
	s := workers.NewStream[int](p, workers.StreamOptions{Window: 2})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range rounds {
				if err := s.Submit(background, func(*int) error { return nil }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	go func() { wg.Wait(); s.Close() }()
	for _, err := range s.All(background) {
		if err != nil {
			t.Error(err)
		}
	}
}

// The end of a stream ends also the wait for a place in its pool, which need not come to have one; and what comes after
// it is told so, and not that the pool is full.
func TestStreamEndsWhileThePoolIsFull(t *testing.T) {
	needsWorkers(t)
	nothing := func(*int) error { return nil }
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1,
			Overflow: workers.OverflowWait})
		defer mustClose(t, p)
		free := occupy(p, deadline.Normal)
		p.Go(deadline.Normal, func() {}) // the one that may wait
		s := workers.NewStream[int](p, workers.StreamOptions{})
		got := make(chan error, 3)
		for range cap(got) {
			go func() { got <- s.Submit(background, nothing) }()
		}
		synctest.Wait()
		s.Close()
		synctest.Wait()
		if len(got) != cap(got) {
			t.Errorf("%d of %d still wait", cap(got)-len(got), cap(got))
		}
		a, b := s.TrySubmit(nothing), s.Submit(background, nothing)
		if a != workers.ErrClosed || b != workers.ErrClosed {
			t.Errorf("after the end: %v, %v", a, b)
		}
		free()
		for range cap(got) {
			if err := <-got; err != workers.ErrClosed {
				t.Error(err)
			}
		}
		// The waits have given up what they may have been woken for.
		if err := goContext(p, background, deadline.Normal, func() {}); err != nil {
			t.Error(err)
		}
	})
}
