package frame_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// suspended runs three frames of a loop with a coroutine that is suspended afterwards, and with a job in the
// slice, so that the scheduler and the seat both have a coroutine.
func suspended(l *frame.Loop, unwound *bool) {
	l.Go(deadline.Normal, func(co *scheduler.Co) {
		defer func() { *unwound = true }()
		for {
			co.NextFrame()
		}
	})
	for range 3 {
		l.Pool().Go(deadline.Normal, func() {})
		l.Begin()
		l.Slice()
		l.End()
		time.Sleep(time.Millisecond)
	}
}

// on runs f on a goroutine of its own, which ends with its thread if it is to be locked.
func on(locked bool, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if locked && runtime.GOARCH != "wasm" { // which has one thread, and so no lock
			runtime.LockOSThread()
		}
		f()
	}()
	<-done
}

// As in a program with Ebitengine: main is locked to its thread, the game's goroutine was not, and has ended.
func TestCloseOnALockedGoroutineUnwindsWhatAFreeOneBegan(t *testing.T) {
	for _, place := range placements() {
		for _, locked := range []bool{false, true} {
			l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: -1}})
			unwound := false
			on(false, func() { suspended(l, &unwound) })
			var err error
			on(locked, func() { err = l.Close() })
			select {
			case <-l.Done():
			default:
				t.Errorf("%v, locked %v: Close returned before the loop had closed", place, locked)
			}
			if err != nil || !unwound {
				t.Errorf("%v, locked %v: error %v, unwound %v", place, locked, err, unwound)
			}
		}
	}
}

func TestCloseElsewhereLeavesALockedGoroutineItsTasks(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("one thread, so none to be locked to")
	}
	for _, locked := range []bool{false, true} {
		on(true, func() {
			l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
			unwound := false
			suspended(l, &unwound)
			var err error
			on(locked, func() { err = l.Close() })
			if err == nil || unwound {
				t.Errorf("locked %v: error %v, unwound %v; want an error and nothing unwound", locked, err, unwound)
			}
			if err := l.Close(); err != nil || !unwound {
				t.Errorf("locked %v: at home: error %v, unwound %v", locked, err, unwound)
			}
		})
	}
}

func TestRunThatLocksItsThreadClosesTheLoop(t *testing.T) {
	l := frame.New(frame.Options{Interval: time.Millisecond, Thread: frame.ThreadLocked})
	unwound, n := false, 0
	l.Go(deadline.Normal, func(co *scheduler.Co) {
		defer func() { unwound = true }()
		for {
			co.NextFrame()
		}
	})
	on(false, func() {
		l.Run(context.Background(), func() error {
			if n++; n > 3 {
				return frame.ErrStop
			}
			return nil
		})
	})
	if err := l.Close(); err != nil || !unwound {
		t.Errorf("error %v, unwound %v", err, unwound)
	}
}

func TestStopIsHonouredByTheFrameGoroutine(t *testing.T) {
	for _, place := range placements() {
		for at := range 3 {
			l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: -1}})
			own, unwound := false, false // plain: the race detector finds a deferred call beside the frame's own work
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() { unwound = !own }()
				for {
					co.NextFrame()
				}
			})
			stop := func(here int) {
				if here == at {
					on(false, l.Stop)
				}
			}
			for n := range 4 {
				l.Begin()
				own = true
				if n == 2 {
					stop(0)
				}
				own = false
				l.Slice()
				if n == 2 {
					stop(1)
				}
				l.End()
				if n == 2 {
					stop(2)
				}
			}
			<-l.Done()
			if !unwound {
				t.Errorf("%v, stop at %d: not unwound, or beside the frame's own work", place, at)
			}
			recs := l.Recorder().Recent(make([]record.Record, 8))
			if len(recs) != 3 {
				t.Errorf("%v, stop at %d: %d records of three frames", place, at, len(recs))
			}
			l.Close()
		}
	}
}

func TestAWrappedGameGoesOnAfterStop(t *testing.T) {
	l := frame.New(frame.Options{})
	var g hostGame = frame.Wrap[fakeFinal, fakeGeoM](&plainGame{}, l)
	h := fakeHost{}
	for n := range 5 {
		if n == 2 {
			l.Stop()
		}
		if err := h.frame(g, 1); err != nil {
			t.Fatal(err)
		}
	}
	<-l.Done()
}

func TestUrgentJobsRunWhereThereAreOnlyBackgroundWorkers(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no workers")
	}
	for _, noJobs := range []bool{false, true} {
		l := frame.New(frame.Options{NoJobs: noJobs, Workers: workers.Options{Workers: -1, Background: 1}})
		ran := false
		l.Pool().Go(deadline.Immediate, func() { ran = true })
		for n := 0; n < 100 && !ran; n++ {
			l.Begin()
			l.Slice()
			l.End()
		}
		if !ran {
			t.Errorf("NoJobs %v: an urgent job did not run in 100 frames", noJobs)
		}
		l.Close()
	}
}

func TestMarkAndJumpAfter(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAuto, JumpAfter: 20 * time.Millisecond}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		for range 2 {
			l.Begin()
			l.Mark(record.Loading)
			l.End()
			time.Sleep(50 * time.Millisecond)
		}
		recs := l.Recorder().Recent(make([]record.Record, 2))
		if !recs[0].Flags.Has(record.Loading) || !recs[1].Flags.Has(record.Loading|record.Jump) {
			t.Errorf("flags %v and %v, want loading, and then a jump too", recs[0].Flags, recs[1].Flags)
		}
		if s := l.Stats(); s.Skipped != 0 || s.Jumps != 1 {
			t.Errorf("stats %+v, want one jump and no tick skipped", s)
		}
		l.Mark(record.Unfocused) // between two frames: of the next, and of no other
		for range 2 {
			l.Begin()
			l.End()
		}
		if recs := l.Recorder().Recent(make([]record.Record, 2)); !recs[0].Flags.Has(record.Unfocused) ||
			recs[0].Flags.Has(record.Loading) || recs[1].Flags.Has(record.Unfocused) {
			t.Errorf("flags %v and %v, want that the first was unfocused", recs[0].Flags, recs[1].Flags)
		}
	})
}

// The body of a ParallelFor on a goroutine of the program is no task and no job: Close there closes.
func TestCloseWithinALoopOfThePoolCloses(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	unwound := false
	on(false, func() { suspended(l, &unwound) })
	p := workers.New(workers.Options{Workers: -1})
	p.ParallelFor(1, 1, func(int, int) { _ = l.Close() })
	select {
	case <-l.Done():
	default:
		t.Error("Close returned before the loop had closed")
	}
	_ = l.Close()
	_ = p.Close(context.Background())
}
