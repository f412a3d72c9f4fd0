package frame_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// The slice in the shadow closes the loop and leaves a coroutine of the host's to whoever calls Close then. Two do; its
// deferred call takes its time, and neither returns before it has ended (E2). Calls of its own do not wait for it.
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
		for range 2 {
			l.Begin()
			l.Slice()
			l.End()
		}
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
