package scheduler_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
)

// A bucket is as deep as it says, however large the numbers: Burst tokens of a century each overflowed, and there was
// none.
func TestRateLimitOfHugeNumbers(t *testing.T) {
	const most = 1000
	for _, c := range []struct {
		every time.Duration
		burst int
		want  int
	}{
		{math.MaxInt64, 0, 1},
		{math.MaxInt64, 3, 3},
		{100 * 365 * 24 * time.Hour, 5, 5},
		{time.Hour, math.MaxInt, most},
		{math.MaxInt64, math.MaxInt, most},
		{time.Hour, most / 2, most / 2},
	} {
		r := scheduler.RateLimit{Every: c.every, Burst: c.burst}
		got := 0
		for range most {
			if r.Allow() {
				got++
			}
		}
		if got != c.want {
			t.Errorf("a token every %v, %d at most: %d of %d allowed, want %d", c.every, c.burst, got, most, c.want)
		}
	}
}

func TestRateLimitAfterClose(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	s.Close()
	r := scheduler.RateLimit{Every: time.Hour}
	if task, err := r.Post(s, deadline.Normal, func() {}); task != nil || err != scheduler.ErrClosed || !r.Allow() {
		t.Errorf("%v, %v, or the token is gone", task, err)
	}
}

// No context is one that never ends, here as everywhere else.
func TestNilContexts(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	var got, failed error
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		var none context.Context
		_, got = scheduler.AwaitContext(none, co, ended{})
		ctx, cancel := s.WithTimeout(none, time.Hour)
		failed = ctx.Err()
		cancel()
	})
	s.RunUntil(deadline.Deadline{})
	if got != errEnded || failed != nil {
		t.Errorf("%v, %v", got, failed)
	}
}

var errEnded = context.Canceled

// ended is an Awaitable that has ended.
type ended struct{}

func (ended) Notify(f func())      { f() }
func (ended) Result() (int, error) { return 0, errEnded }

// What cannot be meant panics in the caller, and not later in a slice.
func TestMisuseThatWasFoundLate(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	for want, f := range map[string]func(){
		"scheduler: Group.Notify with a nil function": func() { s.NewGroup("g").Notify(nil) },
		"scheduler: New with an invalid Policy":       func() { scheduler.New(scheduler.Options{Policy: 9}) },
	} {
		func() {
			defer func() {
				if r := recover(); r != want {
					t.Errorf("got %v, want %v", r, want)
				}
			}()
			f()
		}()
	}
	s.RunUntil(deadline.Deadline{})
}
