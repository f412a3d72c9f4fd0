package workers_test

import (
	"context"
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
		p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1})
		defer mustClose(t, p)
		start := time.Now()
		p.Go(deadline.Immediate, func() { time.Sleep(10 * time.Millisecond) })
		synctest.Wait()
		s := workers.NewStream[int](p, deadline.Normal, 4)
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
		p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1})
		defer mustClose(t, p)
		s := workers.NewStream[int](p, deadline.Normal, 2)
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

// A job that would wait, and a pool that is closed.
func TestStreamOnAPoolThatStaysFull(t *testing.T) {
	p := workers.New(workers.Options{Workers: -1, MaxWaiting: 1})
	nothing := func(*int) error { return nil }
	s := workers.NewStream[int](p, deadline.Normal, 0)
	j := workers.Submit(p, deadline.Normal, func(context.Context) (int, error) {
		if err := goContext(p, background, deadline.Normal, func() {}); err != nil {
			t.Error(err)
		}
		return 0, s.Submit(background, nothing)
	})
	if _, err := j.Wait(background); err != workers.ErrFull {
		t.Errorf("in a job: %v", err)
	}
	if err := s.TrySubmit(nothing); err != workers.ErrFull {
		t.Errorf("full: %v", err)
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
}

// The end of a stream ends also the wait for a place in its pool, which need not come to have one; and what comes after
// it is told so, and not that the pool is full.
func TestStreamEndsWhileThePoolIsFull(t *testing.T) {
	needsWorkers(t)
	nothing := func(*int) error { return nil }
	synctest.Test(t, func(t *testing.T) {
		p := workers.New(workers.Options{Workers: 1, MaxWaiting: 1})
		defer mustClose(t, p)
		free := occupy(p, deadline.Normal)
		p.Go(deadline.Normal, func() {}) // the one that may wait
		s := workers.NewStream[int](p, deadline.Normal, 0)
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
