package load_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/load"
	"github.com/frameslice/frameslice/workers"
)

// inBounded runs f with a loop whose pool lets two jobs wait, in virtual time.
func inBounded(t *testing.T, n int, full workers.Overflow, f func(l *frame.Loop, frames func(int))) {
	t.Helper()
	o := frame.Options{Placement: frame.PlaceAfterDraw}
	o.Workers = workers.Options{Workers: n, MaxWaiting: 2, Overflow: full}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		f(l, func(n int) {
			for range n {
				l.Begin()
				l.Slice()
				l.End()
				synctest.Wait()
				time.Sleep(10 * time.Millisecond)
			}
		})
	})
}

// slowDecode takes a millisecond.
func slowDecode(_ context.Context, key int, _ *load.Meter) (int, error) {
	time.Sleep(time.Millisecond)
	return key, nil
}

// A pool that is full makes requests wait, and fails none.
func TestLoadsWaitForABoundedPool(t *testing.T) {
	for _, n := range []int{1, 3, -1} {
		for _, full := range []workers.Overflow{workers.OverflowReject, workers.OverflowWait, workers.OverflowRun} {
			if n < 0 && full == workers.OverflowRun {
				continue // the same
			}
			inBounded(t, n, full, func(l *frame.Loop, frames func(int)) {
				ld := load.New(l, load.Options{}, slowDecode)
				var got []int
				for i := range 20 {
					ld.Load(bg, i, func(v int, err error) {
						if err != nil || v != i {
							t.Errorf("%d workers, %v: %d, %v of %d", n, full, v, err, i)
						}
						got = append(got, v)
					})
				}
				frames(30)
				if len(got) != 20 {
					t.Errorf("%d workers, %v: %v", n, full, got)
				}
				if f := load.Flights(ld); f != 0 {
					t.Errorf("%d flights left", f)
				}
			})
		}
	}
}

// Others fill the pool for some frames: what is held back meanwhile can be canceled, and a Close ends it.
func TestLoadsThatAreHeldBack(t *testing.T) {
	needsWorkers(t)
	inBounded(t, 1, workers.OverflowReject, func(l *frame.Loop, frames func(int)) {
		let := make(chan struct{})
		for range 3 {
			l.Pool().Go(deadline.Normal, func() { <-let })
			synctest.Wait()
		}
		ld := load.New(l, load.Options{}, slowDecode)
		var got []int
		var requests []*load.Request
		for i := range 6 {
			requests = append(requests, ld.Load(bg, i, func(v int, _ error) { got = append(got, v) }))
		}
		frames(3)
		if len(got) != 0 || load.Flights(ld) != 6 {
			t.Errorf("%v, %d flights; want none, 6", got, load.Flights(ld))
		}
		requests[0].Cancel()
		requests[3].Cancel()
		frames(1)
		if load.Flights(ld) != 4 {
			t.Errorf("%d flights, want 4", load.Flights(ld))
		}
		close(let)
		frames(8)
		slices.Sort(got) // the pool has an order of its own
		if fmt.Sprint(got) != "[1 2 4 5]" || ld.Progress().Canceled != 2 {
			t.Errorf("%v, %+v", got, ld.Progress())
		}
	})
	inBounded(t, 1, workers.OverflowReject, func(l *frame.Loop, frames func(int)) {
		ld := load.New(l, load.Options{}, slowDecode)
		last := new(load.Request)
		for i := range 9 {
			last = ld.Load(bg, i, func(int, error) {})
		}
		frames(1)
		l.Close()
		if last.State() != load.Canceled {
			t.Errorf("after Close: %v", last.State())
		}
	})
}
