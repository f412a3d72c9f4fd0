package frame_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
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
				frameOf(l)
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
				frameOf(l)
				l.Rest()
				time.Sleep(time.Second)
			}
			end(l)
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

// sleeper is a host that draws on demand: it sleeps until Next or Wake. It gives up at the end.
func sleeper(l *frame.Loop, woken chan struct{}, done func() bool, end time.Duration) (frames int) {
	begin := time.Now()
	for ; !done() && time.Since(begin) < end; frames++ {
		frameOf(l)
		wait := end
		if at, ok := l.Scheduler().Next(); ok {
			wait = at.Sub(deadline.Now())
		}
		if wait > 0 && !done() {
			l.Rest()
			select {
			case <-woken:
			case <-time.After(wait):
			}
		}
	}
	return frames
}

func TestASleepingHostRunsTheJobsOfAPoolWithoutWorkers(t *testing.T) {
	for _, c := range []struct {
		name string
		work func(l *frame.Loop, done func())
	}{
		{"a coroutine's", func(l *frame.Loop, done func()) {
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				frame.Background(co, l.Pool(), func() (int, error) { time.Sleep(time.Millisecond); return 1, nil })
				done()
			})
		}},
		{"long ones", func(l *frame.Loop, done func()) {
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				for range 5 {
					frame.Background(co, l.Pool(), func() (int, error) {
						time.Sleep(30 * time.Millisecond)
						return 1, nil
					})
				}
				done()
			})
		}},
		{"in turns", func(l *frame.Loop, done func()) {
			l.Pool().Submit(&workers.Job{Func: func(w *workers.Worker) {
				for range 40 {
					time.Sleep(4 * time.Millisecond)
					w.Yield()
				}
				done()
			}})
		}},
		{"another goroutine's", func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() {
				l.Post(deadline.Normal, func() { l.Pool().Go(deadline.Normal, done) })
			})
		}},
		{"from another goroutine", func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() { l.Pool().Go(deadline.Normal, done) })
		}},
		{"a future of another goroutine, and what follows it", func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() {
				one := workers.Submit(l.Pool(), deadline.Idle, func() (int, error) { return 1, nil })
				workers.Then(one, func(n int) (int, error) { done(); return n, nil })
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var woken chan struct{}
			o := frame.Options{Placement: frame.PlaceAfterDraw}
			o.Scheduler.Wake = func() {
				select {
				case woken <- struct{}{}:
				default:
				}
			}
			bubble(t, o, func(t *testing.T, l *frame.Loop) {
				woken = make(chan struct{}, 1)
				done := false
				c.work(l, func() { done = true })
				frames := sleeper(l, woken, func() bool { return done }, time.Minute)
				if !done {
					t.Errorf("after a minute and %d frames the work is not done", frames)
				}
			})
		})
	}
}

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

// Stop wakes a host that sleeps until Wake, so that it comes to its next Begin, which closes the loop.
func TestStopWakesAHostThatRests(t *testing.T) {
	wakes := make(chan struct{}, 1)
	l := frame.New(frame.Options{Scheduler: scheduler.Options{Wake: func() {
		select {
		case wakes <- struct{}{}:
		default:
		}
	}}})
	defer l.Close()
	frameOf(l)
	l.Rest()
	select {
	case <-wakes:
	default:
	}
	l.Stop()
	select {
	case <-wakes:
	default:
		t.Fatal("Stop did not call Wake")
	}
	l.Begin()
	<-l.Done()
}
