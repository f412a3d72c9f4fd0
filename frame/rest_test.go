package frame_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
)

// A host that sleeps until a timer is due gets there, however far off it is, and the frame before its sleep is in time.
func TestRestIsNoFrameAndNoJump(t *testing.T) {
	bubble(t, frame.Options{Placement: frame.PlaceAfterDraw, Recorder: record.Options{WarmUp: -1}},
		func(t *testing.T, l *frame.Loop) {
			start := deadline.Now()
			var ran time.Duration
			timer := func() { ran = deadline.Now().Sub(start) }
			l.Scheduler().Submit(&scheduler.Task{Delay: 10 * time.Second, Func: timer})
			frames := 0
			for ; ran == 0 && frames < 10; frames++ {
				l.Begin()
				l.Slice()
				l.End()
				if at, ok := l.Scheduler().Next(); ok {
					l.Rest()
					time.Sleep(at.Sub(deadline.Now()))
				}
			}
			if frames != 2 || ran != 10*time.Second {
				t.Errorf("%d frames, and the timer ran after %v; want 2, 10s", frames, ran)
			}
			x := l.Recorder().Snapshot().Totals
			if l.Stats().Jumps != 0 || x.N != 1 || x.First != 1 || x.Time != record.DefaultInterval || x.Hitch != 0 {
				t.Errorf("%d jumps; want 0, and one interval in time: %+v", l.Stats().Jumps, x)
			}
			l.Begin()
			wantPanic(t, "frame: Rest in a frame that the host has begun", l.Rest)
			l.End()
			l.Close()
			l.Rest()
		})
}

// In the shadow the record of the frame before the sleep is kept until its slice has ended.
func TestRestBesideTheShadow(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			for range 3 {
				l.Post(deadline.Normal, func() { time.Sleep(time.Millisecond) })
				l.Begin()
				l.Slice()
				l.End()
				l.Rest()
				time.Sleep(time.Second)
			}
			l.Close()
			<-l.Done()
			records := l.Recorder().Recent(make([]record.Record, 10))
			for i, r := range records {
				if r.Ran != 1 || (r.Interval != record.DefaultInterval) != (i == 0) || r.Flags.Has(record.Jump) {
					t.Errorf("%v: %+v", place, r)
				}
			}
			if len(records) != 3 {
				t.Errorf("%v: %d records", place, len(records))
			}
		})
	}
}

// A tool that draws when something has changed, and sleeps otherwise.
func ExampleLoop_Rest() {
	woken := make(chan struct{}, 1)
	wake := func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	}
	loop := frame.New(frame.Options{Scheduler: scheduler.Options{Wake: wake}})
	defer loop.Close()
	tasks := loop.Scheduler()
	changed := false
	time.AfterFunc(time.Millisecond, func() {
		loop.Post(deadline.Normal, func() { changed = true })
	})
	for drawn := false; !drawn; {
		loop.Begin()
		if tasks.DrawRequested() {
			loop.RunPhase(scheduler.BeforeDraw)
			fmt.Println("draw, changed:", changed)
			drawn = true
		}
		loop.Slice()
		loop.End()
		if changed && !drawn { // for all that the slice did: a task that calls it ends the slice
			tasks.RequestDraw()
		}
		wait := time.Hour
		if at, ok := tasks.Next(); ok {
			wait = at.Sub(deadline.Now())
		}
		if wait > 0 && !drawn {
			loop.Rest()
			select { // and for input
			case <-woken:
			case <-time.After(wait):
			}
		}
	}
	// Output: draw, changed: true
}
