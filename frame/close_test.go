package frame_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// suspended runs three frames of a loop with a coroutine that is suspended afterwards, and with a job in the
// slice, so that the scheduler and the caller of the pool both have a coroutine.
func suspended(l *frame.Loop, unwound *bool) {
	l.Go(deadline.Normal, func(co *scheduler.Co) {
		defer func() { *unwound = true }()
		for {
			co.NextFrame()
		}
	})
	for range 3 {
		l.Pool().Go(deadline.Normal, func() {})
		frameOf(l)
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

// Close unwinds what frames on another goroutine have begun, as in a program with Ebitengine: main is locked to its
// thread, and the game's goroutine was not. Only where that goroutine is locked, Close elsewhere returns an error.
func TestCloseElsewhere(t *testing.T) {
	for _, place := range placements() {
		for i := range 4 {
			framesLocked, closeLocked := i&1 > 0 && runtime.GOARCH != "wasm", i&2 > 0
			refuses := framesLocked
			if refuses && place == frame.PlaceShadow {
				continue // where the task is unwound, and a task of Loop.Host would not be
			}
			l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: -1}})
			on(framesLocked, func() {
				unwound := false
				suspended(l, &unwound)
				var err error
				on(closeLocked, func() { err = l.Close() })
				if !isDone(l) || (err != nil) != refuses || unwound == refuses {
					t.Errorf("%v, locked %v, %v: closed %v, error %v, unwound %v", place, framesLocked, closeLocked,
						isDone(l), err, unwound)
				}
				if err := l.Close(); err != nil || !unwound {
					t.Errorf("%v: Close at home: error %v, unwound %v", place, err, unwound)
				}
			})
		}
	}
}

// The body of a ParallelFor on a goroutine of the program is no task and no job: Close there closes.
func TestCloseWithinALoopOfThePoolCloses(t *testing.T) {
	l := frame.New(frame.Options{Workers: workers.Options{Workers: -1}})
	unwound := false
	on(false, func() { suspended(l, &unwound) })
	p := workers.New(workers.Options{Workers: -1})
	p.ParallelFor(1, 1, func(int, int) { _ = l.Close() })
	if !isDone(l) {
		t.Error("Close returned before the loop had closed")
	}
	_ = l.Close()
	_ = p.Close(bg)
}

// The slice in the shadow closes the loop and leaves a coroutine of the host's to whoever calls Close then. Two do; its
// deferred call takes its time, and neither returns before it has ended (F32). Calls of its own do not wait for it.
func TestTwoCloseWhatTheShadowHasLeft(t *testing.T) {
	needsThreads(t)
	synctest.Test(t, func(t *testing.T) {
		l := frame.New(frame.Options{Placement: frame.PlaceShadow, Workers: workers.Options{Workers: -1}})
		unwound, goOn := false, make(chan struct{})
		l.Host().Go(deadline.Normal, func(co *scheduler.Co) {
			defer func() {
				<-goOn
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				l.Begin()
				unwound = true
			}()
			for {
				co.NextFrame()
			}
		})
		framesOf(l, 2)
		ended := make(chan bool, 2)
		for range 2 {
			go func() {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				ended <- true
			}()
		}
		if synctest.Wait(); len(ended) > 0 {
			t.Errorf("%d of two have returned before the deferred call", len(ended))
		}
		close(goOn)
		<-ended
		<-ended
		if !unwound {
			t.Error("not unwound")
		}
	})
}

// A job that calls Close while the loop, which has had no frame, closes and waits for it: it returns at once, as Stop.
func TestCloseInAJobOfALoopWithoutFrames(t *testing.T) {
	for _, n := range []int{-1, 1} {
		l := frame.New(frame.Options{Workers: workers.Options{Workers: n}, CloseTimeout: time.Minute})
		var early error
		ended := make(chan struct{})
		l.Pool().Go(deadline.Normal, func() {
			defer close(ended)
			for !l.Closing() {
				runtime.Gosched()
			}
			early = l.Close()
		})
		err := l.Close()
		if <-ended; err != nil || early != nil {
			t.Errorf("Close: %v, in the job %v", err, early)
		}
	}
}

// A program that ends with its first panic: the handler closes the loop, for a task, for a callback, and again for a
// coroutine that panics when that unwinds it. Where the host closes, it is called for the coroutine alone.
func TestCloseInOnPanic(t *testing.T) {
	fail := func() { panic("x") }
	for way, begin := range map[string]func(l *frame.Loop){
		"task":     func(l *frame.Loop) { l.Post(deadline.Normal, fail) },
		"callback": func(l *frame.Loop) { l.Host().Once(scheduler.BeforeUpdate, fail) },
		"the host": func(l *frame.Loop) { _ = l.Close() },
	} {
		var loop *frame.Loop
		var calls atomic.Int32 // the slice may run beside this goroutine
		o := frame.Options{Scheduler: scheduler.Options{OnPanic: func(*scheduler.PanicError) {
			calls.Add(1)
			if err := loop.Close(); err != nil {
				t.Error(way, err)
			}
		}}}
		everywhere(t, o, func(t *testing.T, l *frame.Loop) {
			loop = l
			calls.Store(0)
			l.Go(deadline.Immediate, func(co *scheduler.Co) {
				defer fail()
				for {
					co.NextFrame()
				}
			})
			frames := func() {
				for range 3 {
					frameOf(l)
					time.Sleep(ms)
				}
			}
			frames()
			begin(l)
			frames()
			want := int32(2)
			if way == "the host" {
				want = 1
			}
			if err := l.Close(); err != nil || !isDone(l) || calls.Load() != want {
				t.Errorf("%s: error %v, closed %v, OnPanic was called %d times", way, err, isDone(l), calls.Load())
			}
		})
	}
}

// enders end a loop from another goroutine.
var enders = map[string]func(l *frame.Loop){
	"Stop":  (*frame.Loop).Stop,
	"Close": func(l *frame.Loop) { _ = l.Close() },
}

func TestCloseAtEveryPointOfAFrame(t *testing.T) {
	points := []func(l *frame.Loop){
		(*frame.Loop).Begin, (*frame.Loop).Slice, (*frame.Loop).End,
		func(*frame.Loop) { time.Sleep(ms) }, // in the shadow, if there is one
		(*frame.Loop).Begin, (*frame.Loop).Slice, (*frame.Loop).End,
	}
	for name, end := range enders {
		for k := range len(points) + 1 {
			everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
				unwound := 0
				for range 5 {
					l.Go(deadline.Normal, func(co *scheduler.Co) {
						defer func() { unwound++ }()
						for {
							time.Sleep(300 * time.Microsecond)
							co.Yield()
						}
					})
				}
				for _, f := range points[:k] {
					f(l)
				}
				end(l)
				for _, f := range points[k:] {
					f(l)
				}
				frameOf(l)
				err, after := l.Close(), l.Post(0, func() {})
				if !isDone(l) || k > 2 && unwound == 0 || err != nil || after.State() != scheduler.Canceled {
					t.Errorf("%s at %d: closed %v, %d unwound, second Close: %v, a task afterwards is %v", name, k,
						isDone(l), unwound, err, after.State())
				}
			})
		}
	}
}

func TestCloseLeavesASharedPoolOpen(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(bg)
	a, b := frame.New(frame.Options{Pool: p}), frame.New(frame.Options{Pool: p})
	a.Close()
	job := workers.Submit(b.Pool(), deadline.Normal, func(context.Context) (int, error) { return 42, nil })
	if got, err := job.Wait(t.Context()); got != 42 || err != nil {
		t.Errorf("a job of the pool that was left open: %v, %v", got, err)
	}
	b.Close()
}

// Stop and Close end the wait of Run, and the wait of Options.Pace in End, at once.
func TestStopEndsTheWaitForATick(t *testing.T) {
	for name, end := range enders {
		bubble(t, frame.Options{Interval: time.Hour}, func(t *testing.T, l *frame.Loop) {
			begin := time.Now()
			time.AfterFunc(time.Second, func() { end(l) })
			if err := l.Run(t.Context(), func() error { return nil }); err != nil || time.Since(begin) != time.Second {
				t.Errorf("%s after a second: Run returned %v after %v", name, err, time.Since(begin))
			}
		})
	}
	bubble(t, frame.Options{Interval: time.Second, Pace: true}, func(t *testing.T, l *frame.Loop) {
		begin, at, frames := time.Now(), 100*time.Second+100*ms, 0
		time.AfterFunc(at, l.Stop)
		for ; !l.Closing(); frames++ {
			l.Begin()
			time.Sleep(ms)
			l.Slice()
			l.End()
		}
		if d := time.Since(begin); d > at+ms || frames > 1000 {
			t.Errorf("End waited until %v after Stop; %d frames", d-at, frames)
		}
	})
}

// Outside a bubble a long wait is one for a timer. Stop, Close and the end of the context end it at once.
func TestStopEndsALongWaitInRealTime(t *testing.T) {
	for _, name := range []string{"Stop", "Close", "the context"} {
		l := frame.New(frame.Options{Interval: time.Hour, Workers: workers.Options{Workers: -1}})
		ctx, cancel := context.WithCancel(bg)
		stop := enders[name]
		if stop == nil {
			stop = func(*frame.Loop) { cancel() }
		}
		ended := make(chan error, 1)
		go func() {
			ended <- l.Run(ctx, func() error {
				time.AfterFunc(20*ms, func() { stop(l) }) // most likely the wait has begun
				return nil
			})
		}()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(2 * time.Minute): // which no machine needs
			t.Fatalf("Run waits on after %s", name)
		}
		cancel()
		end(l)
	}
}

// A slice of Run ends with the task in progress, however long the slice might be.
func TestStopEndsRunsSlice(t *testing.T) {
	everywhere(t, frame.Options{Interval: time.Hour}, func(t *testing.T, l *frame.Loop) {
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for {
				time.Sleep(ms)
				co.Yield()
			}
		})
		begin := time.Now()
		time.AfterFunc(time.Second, l.Stop)
		err := l.Run(t.Context(), func() error { return nil })
		if err != nil || time.Since(begin) > time.Second+ms {
			t.Errorf("Stop after a second: Run returned %v after %v", err, time.Since(begin))
		}
	})
}

func TestAReportTellsWhatTheLoopsEndDropped(t *testing.T) {
	everywhere(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		l.Post(deadline.Normal, func() {})
		frameOf(l)
		l.Begin() // the first function has run
		if r := l.Report("before"); r.Dropped != 0 || strings.Contains(r.Text(), "dropped") {
			t.Errorf("%d dropped before the end", r.Dropped)
		}
		for range 3 {
			l.Post(deadline.Normal, func() {})
		}
		l.Host().Post(deadline.Normal, func() {})
		l.Stop()
		l.Post(deadline.Normal, func() {})
		_ = l.Close()
		l.Post(deadline.Normal, func() {})
		if r := l.Report("after"); r.Dropped != 6 || !strings.Contains(r.Text(), "dropped when the loop closed") {
			t.Errorf("%d dropped, want 6:\n%s", r.Dropped, r)
		}
	})
}
