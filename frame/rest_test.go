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

// A sleep is in no interval and no jump, and timers continue in it. In the shadow the record of the frame before is
// kept until its slice has ended.
func TestRestIsNoFrameAndNoJump(t *testing.T) {
	everywhere(t, frame.Options{Recorder: record.Options{WarmUp: -1}}, func(t *testing.T, l *frame.Loop) {
		timer, begun := time.Duration(0), time.Now()
		l.After(deadline.Normal, 2*time.Second, func() { timer = time.Since(begun) })
		for range 4 {
			l.Post(deadline.Normal, func() { time.Sleep(ms) })
			frameOf(l)
			l.Rest()
			time.Sleep(time.Second - ms)
		}
		end(l)
		records := l.Recorder().Recent(make([]record.Record, 10))
		for i, r := range records {
			if r.Ran == 0 || (r.Interval != time.Second/60) != (i == 0) || r.Flags&record.Jump != 0 {
				t.Errorf("%+v", r)
			}
		}
		if x := l.Recorder().Snapshot().Totals; len(records) != 4 || x.N != 3 || x.First != 1 || x.Hitch != 0 ||
			timer < 2*time.Second || timer > 3*time.Second+ms {
			t.Errorf("%d records, a timer of 2 s ran after %v; %+v", len(records), timer, x)
		}
	})
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
	for name, work := range map[string]func(l *frame.Loop, done func()){
		"coroutines with long ones": func(l *frame.Loop, done func()) {
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				job := func(context.Context) (int, error) { time.Sleep(30 * ms); return 1, nil }
				for range 5 {
					_, _ = scheduler.Await(co, workers.Submit(l.Pool(), deadline.Normal, job))
				}
				done()
			})
		},
		"in turns": func(l *frame.Loop, done func()) {
			l.Pool().Submit(&workers.Job{Func: func(w *workers.Worker) {
				for range 40 {
					time.Sleep(4 * ms)
					w.Yield()
				}
				done()
			}})
		},
		"a task's": func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() {
				l.Post(deadline.Normal, func() { l.Pool().Go(deadline.Normal, done) })
			})
		},
		"another goroutine's": func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() { l.Pool().Go(deadline.Normal, done) })
		},
		"a future of another goroutine, and what follows it": func(l *frame.Loop, done func()) {
			time.AfterFunc(time.Second, func() {
				one := workers.Submit(l.Pool(), deadline.Idle, func(context.Context) (int, error) { return 1, nil })
				workers.Then(one, func(_ context.Context, n int) (int, error) { done(); return n, nil })
			})
		},
	} {
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
			work(l, func() { done = true })
			frames := sleeper(l, woken, func() bool { return done }, time.Minute)
			if !done {
				t.Errorf("%s: after a minute and %d frames the work is not done", name, frames)
			}
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
	wakes := 0
	bubble(t, frame.Options{Scheduler: scheduler.Options{Wake: func() { wakes++ }}}, func(t *testing.T, l *frame.Loop) {
		frameOf(l)
		l.Rest()
		wakes = 0
		if l.Stop(); wakes == 0 {
			t.Error("Stop did not call Wake")
		}
		if l.Begin(); !isDone(l) {
			t.Error("Begin did not close the loop")
		}
	})
}
