package frame_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/workers"
)

// A host that the loop itself paces, and that sleeps in between, or is suspended: that is no row of skipped ticks, and
// the frame after it has a slice like others.
func TestWhatLiesBetweenFramesIsNoSkippedTick(t *testing.T) {
	bubble(t, frame.Options{Placement: frame.PlaceAfterDraw, Pace: true}, func(t *testing.T, l *frame.Loop) {
		n := endless(l, 100*time.Microsecond)
		frameOf := func() {
			l.Begin()
			time.Sleep(200 * time.Microsecond)
			l.Slice()
			l.End()
		}
		for range 300 {
			frameOf()
		}
		before := l.Stats()
		if before.Paced {
			t.Fatalf("%+v: want a host that nothing paces", before)
		}
		for i := range 6 {
			if i%2 == 0 {
				l.Rest() // otherwise it is a jump
			}
			time.Sleep(time.Hour + 3*time.Millisecond)
			*n = 0
			frameOf()
			if *n < 100 {
				t.Errorf("%d tasks of 0.1 ms in the frame after a sleep, want most of 16 ms", *n)
			}
		}
		if after := l.Stats(); after.Skipped != before.Skipped {
			t.Errorf("%d ticks skipped", after.Skipped-before.Skipped)
		}
	})
}

// A sleep at the end of a modal loop is as calm as any other, and over with it.
func TestRestEndsWithTheNestThatItIsIn(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw, JumpAfter: -1, Watchdog: -1}
	o.Pressure.Rise = time.Millisecond
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		for range 10 { // late ones
			l.Begin()
			time.Sleep(100 * time.Millisecond)
			l.End()
		}
		if l.Pressure() != 4 {
			t.Fatalf("pressure %d", l.Pressure())
		}
		l.Begin()
		l.Nest(func() {
			l.Begin()
			l.End()
			l.Rest()
			time.Sleep(5 * time.Second) // until the dialog is clicked away
		})
		time.Sleep(20 * time.Second) // own work
		l.End()
		l.Begin()
		l.End()
		if l.Pressure() != 2 {
			t.Errorf("pressure %d after a sleep of 5 s and a frame of 20 s, want 2", l.Pressure())
		}
	})
}

// A Rest that closes the loop, because of a Stop, leaves nothing in a pool that others use.
func TestRestThatClosesTheLoopRingsNoBell(t *testing.T) {
	pool := workers.New(workers.Options{Workers: -1})
	defer pool.Close(context.Background())
	wakes := 0
	o := frame.Options{Pool: pool}
	o.Scheduler.Wake = func() { wakes++ }
	l := frame.New(o)
	l.Begin()
	l.End()
	l.Stop()
	l.Rest()
	<-l.Done()
	wakes = 0
	pool.Go(deadline.Normal, func() {})
	if wakes != 0 {
		t.Error("a job of another's wakes the host of a loop that is closed")
	}
}
