package frame_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

// On a pool without workers the slice runs the jobs: a host that draws on demand must not sleep while some wait, also
// those that have a turn behind them.
func TestNextOfJobsThatOnlyTheSliceRuns(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw, Workers: workers.Options{Workers: -1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		if _, ok := l.Next(); ok {
			t.Error("something to do before there was anything")
		}
		ran := 0
		l.Pool().Go(deadline.Normal, func() { time.Sleep(20 * time.Millisecond); ran++ })
		l.Pool().Go(deadline.Low, func() { time.Sleep(30 * time.Millisecond); ran++ })
		turns := &workers.Job{Func: func(w *workers.Worker) {
			for range 3 {
				time.Sleep(20 * time.Millisecond)
				w.Yield()
			}
			ran++
		}}
		l.Pool().Submit(turns)
		frames := 0
		for ; frames < 100; frames++ {
			at, ok := l.Next()
			if !ok {
				break
			}
			if wait := at.Sub(deadline.Now()); wait > 0 {
				t.Fatalf("sleeps for %v with %d of 3 jobs run", wait, ran)
			}
			l.Begin()
			l.Slice()
			l.End()
		}
		if ran != 3 || frames == 100 {
			t.Errorf("%d of 3 jobs run after %d frames", ran, frames)
		}
		l.Close()
		if _, ok := l.Next(); ok {
			t.Error("something to do after Close")
		}
	})
}

// Where workers are there, they run the jobs, and the host may sleep; beside a slice in the shadow it may not.
func TestNextBesideWorkersAndTheShadow(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there are no workers")
	}
	for _, place := range placements() {
		o := frame.Options{Placement: place, Workers: workers.Options{Workers: 1, Park: workers.ParkChan}}
		bubble(t, o, func(t *testing.T, l *frame.Loop) {
			l.Pool().Go(deadline.Normal, func() { time.Sleep(time.Second) })
			l.Pool().Go(deadline.Normal, func() { time.Sleep(time.Second) })
			l.Begin()
			l.Slice()
			l.End()
			if at, ok := l.Next(); ok != (place == frame.PlaceShadow) || ok && at != deadline.Now() {
				t.Errorf("%v: %v, %v", place, at, ok)
			}
			time.Sleep(3 * time.Second) // the jobs end before the bubble does
		})
	}
}
