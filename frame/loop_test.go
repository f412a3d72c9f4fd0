package frame_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Where work runs: jobs without workers, tasks on the host's goroutine, coroutines on a locked thread,
// everything at once.

func TestOnOneProcessorJobsRunInTheSlice(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	l := frame.New(frame.Options{NoJobs: true}) // which says nothing where there is no worker
	defer l.Close()
	ran := 0
	for range 5 {
		l.Pool().Go(deadline.Normal, func() { ran++ })
	}
	for range 50 {
		l.Begin()
		l.Slice()
		l.End()
	}
	if ran != 5 {
		t.Errorf("%d of 5 jobs ran", ran)
	}
}

func TestWithoutWorkersAJobLongerThanAnySliceStillRuns(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		ran := 0
		long := func() { time.Sleep(40 * time.Millisecond); ran++ }
		w := &window{l: l, own: time.Millisecond, period: time.Second / 60}
		for range 3 {
			l.Pool().Go(deadline.Normal, long) // one kind: after the first its length is known
		}
		for range 60 {
			w.frame()
		}
		if ran != 3 {
			t.Errorf("%d of 3 long jobs ran in a second", ran)
		}
	})
}

func TestNoJobsLeavesThemToTheWorkers(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no workers")
	}
	o := frame.Options{NoJobs: true, Workers: workers.Options{Workers: 1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		for range 20 {
			l.Pool().Go(deadline.Normal, func() { time.Sleep(time.Millisecond) })
		}
		w := &window{l: l, period: time.Second / 60}
		for range 5 {
			w.frame()
		}
		var s workers.Stats
		l.Pool().Stats(&s)
		if s.RanByCaller != 0 || s.Run < 20 {
			t.Errorf("%d jobs ran in the slice, %d on the worker", s.RanByCaller, s.Run)
		}
	})
}

func TestHostTasksRunOnTheHostsGoroutine(t *testing.T) {
	for _, place := range placements() {
		bubble(t, frame.Options{Placement: place}, func(t *testing.T, l *frame.Loop) {
			inSlice := false // plain: the race detector objects if the task is elsewhere
			ran := 0
			for range 3 {
				l.Host().Post(deadline.Normal, func() {
					if !inSlice {
						t.Errorf("%v: a host task outside of Slice", place)
					}
					ran++
				})
				l.Begin()
				inSlice = true
				l.Slice()
				inSlice = false
				l.End()
				synctest.Wait()
			}
			if ran != 3 {
				t.Errorf("%v: %d host tasks ran, want 3", place, ran)
			}
		})
	}
}

func TestAClockThatStandsStillDoesNoHarm(t *testing.T) {
	bubble(t, frame.Options{}, func(t *testing.T, l *frame.Loop) {
		ran := 0
		for range 1000 {
			l.Post(deadline.Normal, func() { ran++ })
			l.Begin()
			l.Slice()
			l.End()
		}
		if ran != 1000 {
			t.Errorf("%d of 1000 tasks ran", ran)
		}
		for _, r := range l.Recorder().Recent(make([]record.Record, 1000)) {
			if r.Interval < 0 || r.Used() < 0 || r.Overrun() < 0 {
				t.Fatalf("negative times in %+v", r)
			}
		}
	})
}

// The whole machine under the race detector: tasks from many goroutines, and a Stop from another one at
// any moment.
func TestStressStopFromAnotherGoroutine(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("one thread: no other goroutine runs while the frames spin")
	}
	for _, place := range placements() {
		for round := range 60 {
			l := frame.New(frame.Options{Placement: place, Workers: workers.Options{Workers: 2}, Grace: -1})
			var inTask bool // plain, so that the detector sees two tasks, or a task and the frame's own work, at once
			stop := make(chan struct{})
			for range 2 {
				go func() {
					for i := 0; ; i++ {
						select {
						case <-stop:
							return
						default:
						}
						l.Post(deadline.Priority(i%5-2), func() { inTask = !inTask })
						if i%8 == 0 {
							l.Pool().Go(deadline.Normal, func() {})
							time.Sleep(10 * time.Microsecond)
						}
					}
				}()
			}
			go func() {
				time.Sleep(time.Duration(round) * 50 * time.Microsecond)
				l.Stop()
			}()
			for n := 0; n < 1_000_000; n++ {
				l.Begin()
				l.Slice()
				l.End()
				select {
				case <-l.Done():
					n = 1_000_000
				default:
				}
			}
			close(stop)
			select {
			case <-l.Done():
			default:
				t.Fatalf("%v, round %d: not closed after a million frames", place, round)
			}
		}
	}
}

func TestThreadRunsCoroutinesUnderTheLock(t *testing.T) {
	for _, place := range placements() {
		ended := make(chan error, 1)
		steps, unwound := 0, false
		go func() { // a goroutine of its own: it stays locked, and takes its thread with it
			l := frame.New(frame.Options{Interval: 2 * time.Millisecond, Thread: frame.ThreadPrompt, Placement: place})
			l.Go(deadline.Normal, func(co *scheduler.Co) {
				defer func() { unwound = true }()
				for {
					steps++
					co.NextFrame()
				}
			})
			n := 0
			err := l.Run(context.Background(), func() error {
				if n++; n > 10 {
					return frame.ErrStop
				}
				return nil
			})
			l.Close()
			<-l.Done()
			ended <- err
		}()
		if err := <-ended; err != nil || steps < 5 || !unwound {
			t.Errorf("%v: error %v, %d steps in 10 frames, unwound %v", place, err, steps, unwound)
		}
	}
}

func TestATaskThatWaitsForTheNextFrameInTheShadowIsReported(t *testing.T) {
	stuck(t, 30*time.Second, func(_ *frame.Loop, w *window) {
		if got := panicOf(w.frame); !strings.Contains(got, "waits for the host's next frame") {
			t.Errorf("panic %q, want one that names the deadlock", got)
		}
	})
}

// As when the window is closed meanwhile: Ebitengine's ReadPixels then waits for ever.
func TestATaskThatWaitsForAFrameThatDoesNotComeIsReportedByClose(t *testing.T) {
	stuck(t, 15*time.Second, func(l *frame.Loop, _ *window) {
		if err := l.Close(); err == nil || !strings.Contains(err.Error(), "belongs to Loop.Host") {
			t.Errorf("Close: error %v, want one that says where such a task belongs", err)
		}
	})
}

// stuck calls f, which is to find out within some d, in virtual time, that a task waits in the shadow.
func stuck(t *testing.T, d time.Duration, f func(*frame.Loop, *window)) {
	if runtime.GOOS == "js" {
		t.Skip("no shadow")
	}
	bubble(t, frame.Options{Placement: frame.PlaceShadow, Watchdog: -1}, func(t *testing.T, l *frame.Loop) {
		next := make(chan struct{})
		l.Post(deadline.Normal, func() { <-next })
		w := &window{l: l, period: time.Second / 60}
		w.frame()
		from := deadline.Now()
		f(l, w)
		if took := deadline.Now().Sub(from); took < d*2/3 || took > time.Minute {
			t.Errorf("reported after %v, want %v", took, d)
		}
		close(next)
		synctest.Wait()
	})
}
