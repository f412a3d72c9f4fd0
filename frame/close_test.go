package frame_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

func TestUrgentJobsRunWhereThereAreOnlyBackgroundWorkers(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no workers")
	}
	for _, noJobs := range []bool{false, true} {
		l := frame.New(frame.Options{NoJobs: noJobs, Workers: workers.Options{Workers: -1, Background: 1}})
		ran := false
		l.Pool().Go(deadline.Immediate, func() { ran = true })
		for n := 0; n < 100 && !ran; n++ {
			frameOf(l)
		}
		if !ran {
			t.Errorf("NoJobs %v: an urgent job did not run in 100 frames", noJobs)
		}
		l.Close()
	}
}

// A flag that is set between two frames is the next frame's, and no other's.
func TestMarkBetweenFrames(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		l.Mark(record.Unfocused)
		framesOf(l, 2)
		end(l)
		if r := l.Recorder().Recent(make([]record.Record, 2)); !r[0].Flags.Has(record.Unfocused) ||
			r[1].Flags.Has(record.Unfocused) {
			t.Errorf("flags %v and %v, want that the first was unfocused", r[0].Flags, r[1].Flags)
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

// The slice in the shadow closes the loop and leaves a coroutine of the host's to whoever calls Close then. Two do; its
// deferred call takes its time, and neither returns before it has ended (F32). Calls of its own do not wait for it.
func TestTwoCloseWhatTheShadowHasLeft(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no slice in the shadow")
	}
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
		l := frame.New(frame.Options{Workers: workers.Options{Workers: n}, Grace: time.Minute})
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
// coroutine that panics when that unwinds it; and for one whose loop the host closes.
func TestCloseInOnPanic(t *testing.T) {
	fail := func() { panic("x") }
	ways := map[string]func(l *frame.Loop){
		"task":     func(l *frame.Loop) { l.Post(deadline.Normal, fail) },
		"callback": func(l *frame.Loop) { l.Host().Once(scheduler.BeforeUpdate, fail) },
		"the host": func(*frame.Loop) {},
	}
	for _, place := range placements() {
		for way, begin := range ways {
			var l *frame.Loop
			var calls atomic.Int32 // the slice may run beside this goroutine
			l = frame.New(frame.Options{
				Placement: place, Interval: time.Second / 100, Workers: workers.Options{Workers: -1},
				Scheduler: scheduler.Options{OnPanic: func(*scheduler.PanicError) {
					calls.Add(1)
					if err := l.Close(); err != nil {
						t.Errorf("%v, %s: %v", place, way, err)
					}
				}},
			})
			var begun atomic.Bool
			l.Go(deadline.Immediate, func(co *scheduler.Co) {
				defer fail()
				for begun.Store(true); ; {
					co.NextFrame()
				}
			})
			frames := func(over func() bool) {
				for range 1000 {
					if over() {
						return
					}
					l.Begin()
					l.Slice()
					time.Sleep(time.Millisecond)
					l.End()
				}
				t.Fatalf("%v, %s: nothing happens", place, way)
			}
			frames(begun.Load)
			want := int32(2)
			if begin(l); way == "the host" {
				want = 1
			} else {
				frames(func() bool { return calls.Load() > 0 })
			}
			if err := l.Close(); err != nil {
				t.Errorf("%v, %s: %v", place, way, err)
			}
			select {
			case <-l.Done():
			default:
				t.Errorf("%v, %s: the loop has not closed", place, way)
			}
			if n := calls.Load(); n != want {
				t.Errorf("%v, %s: OnPanic was called %d times, want %d", place, way, n, want)
			}
		}
	}
}

// Close at every point of a frame, from everywhere; what it restores and what it leaves.

func TestCloseAtEveryPointOfAFrame(t *testing.T) {
	points := []func(l *frame.Loop){
		(*frame.Loop).Begin, (*frame.Loop).Slice, (*frame.Loop).End,
		func(*frame.Loop) { time.Sleep(time.Millisecond) }, // in the shadow, if there is one
		(*frame.Loop).Begin, (*frame.Loop).Slice, (*frame.Loop).End,
	}
	for _, place := range placements() {
		for name, end := range enders {
			for k := range len(points) + 1 {
				bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
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
					<-l.Done()
					if k > 2 && unwound == 0 {
						t.Errorf("%v, %s at %d: no coroutine was unwound", place, name, k)
					}
					if err := l.Close(); err != nil {
						t.Errorf("%v, %s at %d: second Close: %v", place, name, k, err)
					}
					if h := l.Post(0, func() {}); h.State() != scheduler.Canceled {
						t.Errorf("%v, %s at %d: a task posted afterwards is %v", place, name, k, h.State())
					}
				})
			}
		}
	}
}

func TestCloseLeavesASharedPoolOpen(t *testing.T) {
	p := workers.New(workers.Options{Workers: 1})
	defer p.Close(context.Background())
	a, b := frame.New(frame.Options{Pool: p}), frame.New(frame.Options{Pool: p})
	a.Close()
	job := workers.Submit(b.Pool(), deadline.Normal, func() (int, error) { return 42, nil })
	if got, err := job.Wait(t.Context()); got != 42 || err != nil {
		t.Errorf("a job of the pool that was left open: %v, %v", got, err)
	}
	b.Close()
}
