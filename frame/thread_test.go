package frame_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// onThread runs f on a goroutine whose thread dies with it.
func onThread(f func()) {
	if runtime.GOOS == "js" {
		f()
		return
	}
	done := make(chan struct{})
	osthread.Go(func() {
		defer close(done)
		f()
	})
	<-done
}

var threads = []frame.Thread{frame.ThreadShared, frame.ThreadLocked, frame.ThreadPrompt}

func TestTakeThreadGetsNoMoreThanWasAskedFor(t *testing.T) {
	for i, most := range threads {
		onThread(func() {
			got, giveBack := frame.TakeThread(most)
			giveBack()
			switch {
			case runtime.GOOS == "js" && got != frame.ThreadShared:
				t.Errorf("asked for a %v thread, got a %v one, where there is one only", most, got)
			case got > most, runtime.GOOS != "js" && got < min(most, frame.ThreadLocked):
				t.Errorf("asked for a %v thread, got a %v one", most, got)
			}
		})
		if want := []string{"shared", "locked", "prompt"}[i]; most.String() != want {
			t.Errorf("%d is called %q, want %q", i, most, want)
		}
	}
}

// Whatever Run is granted, a frame has it, Stats tells, and the goroutine that Run leaves locked has it no more.
func TestRunTakesItsThreadAndGivesItBack(t *testing.T) {
	for _, most := range threads {
		onThread(func() {
			before := thread(t)
			l := frame.New(frame.Options{Thread: most, Workers: workers.Options{Workers: -1}})
			got := l.Stats().Thread
			if got != frame.ThreadShared {
				t.Errorf("%v before Run", got)
			}
			err := l.Run(context.Background(), func() error {
				got = l.Stats().Thread
				if during := thread(t); during != policyOf(before, got) {
					t.Errorf("%v: in a frame the thread is %+v", got, during)
				}
				return frame.ErrStop
			})
			if after := thread(t); after != before || err != nil {
				t.Errorf("%v: after Run the thread is %+v, was %+v; error %v", got, after, before, err)
			}
			if got > most || most > frame.ThreadShared && runtime.GOOS != "js" && got == frame.ThreadShared {
				t.Errorf("asked for a %v thread, got a %v one", most, got)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A host whose goroutine is locked plays frames of its own before Run, which leave coroutines: they go on in it, and
// under a lock more the runtime would end the program.
func TestRunTakesALockedThreadAsItIs(t *testing.T) {
	onThread(func() {
		runtime.LockOSThread() // as the main goroutine of a program with a window; the thread ends with it
		l := frame.New(frame.Options{Thread: frame.ThreadLocked, Workers: workers.Options{Workers: -1}})
		stop, frames := false, 0
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for frames = 1; frames < 5; frames++ {
				co.NextFrame()
			}
			stop = true
		})
		framesOf(l, 2)
		got, giveBack := frame.TakeThread(frame.ThreadLocked)
		frameOf(l)
		giveBack()
		err := l.Run(context.Background(), func() error {
			if stop {
				return frame.ErrStop
			}
			return nil
		})
		if err != nil || frames != 5 || runtime.GOOS != "js" && got != frame.ThreadLocked {
			t.Errorf("%d frames, on a %v thread; Run: %v", frames, got, err)
		}
	})
}
