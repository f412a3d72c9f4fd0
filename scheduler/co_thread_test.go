package scheduler_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
)

// threads skips a test where a lock leaves no trace that could be seen.
func threads(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("no threads")
	}
}

// exercise uses everything that switches between goroutines.
func exercise(t *testing.T, s *scheduler.Scheduler) {
	n := 0
	f := &future{}
	for _, lock := range []bool{false, true} { // others submit under any lock: the frame goroutine makes coroutines
		onThread(lock, func() {
			s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame(); n++ })
		})
	}
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		co.Yield()
		co.NextFrame()
		scheduler.Await[int](co, f)
		n++
	})
	canceled := s.Go(deadline.Normal, func(co *scheduler.Co) { defer func() { n++ }(); co.NextFrame() })
	s.Post(deadline.Normal, func() { panic("boom") })
	s.Post(deadline.Normal, runtime.Goexit)
	s.Go(deadline.Normal, func(co *scheduler.Co) { co.Yield(); runtime.Goexit() })
	s.RunUntil(deadline.In(time.Hour))
	canceled.Cancel()
	done := make(chan struct{})
	go func() { f.finish(1, nil); close(done) }()
	<-done
	for range 3 {
		s.BeginFrame(deadline.Now())
		s.RunUntil(deadline.In(time.Hour))
	}
	if n != 4 {
		t.Errorf("%d of 4 ended as they should", n)
	}
}

func TestEverythingWorksOnALockedThread(t *testing.T) {
	for _, lock := range []bool{false, true} {
		onThread(lock, func() {
			s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
			for range 3 {
				exercise(t, s)
			}
			s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame() })
			s.RunUntil(deadline.In(ms))
			s.Close()
			if st := s.Stats(); st.Coroutines != 0 {
				t.Errorf("locked %v: %+v", lock, st)
			}
		})
	}
}

func TestTheFrameGoroutineMayMoveIfItIsNotLocked(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	n := 0
	s.Go(deadline.Normal, func(co *scheduler.Co) {
		for range 10 {
			n++
			co.NextFrame()
		}
	})
	for range 12 {
		onThread(false, func() {
			s.BeginFrame(deadline.Now())
			s.RunUntil(deadline.In(ms))
		})
	}
	if n != 10 {
		t.Errorf("%d of 10 frames", n)
	}
	s.Close()
}

func TestALockThatComesLateIsNoticed(t *testing.T) {
	threads(t)
	// Without suspended coroutines the pool is exchanged ...
	s := scheduler.New(scheduler.Options{OnPanic: func(*scheduler.PanicError) {}})
	exercise(t, s)
	onThread(true, func() {
		exercise(t, s)
		s.Close()
	})

	// ... otherwise RunUntil panics, and the scheduler stays as it was.
	s = scheduler.New(scheduler.Options{})
	var l log
	co := s.Go(deadline.Normal, func(co *scheduler.Co) { co.NextFrame(); l.add("resumed")() })
	s.RunUntil(deadline.In(ms))
	onThread(true, func() {
		testkit.Panics(t, "scheduler: the frame goroutine has another thread lock than when its suspended coroutines "+
			"were created: call LockOSThread before the first RunUntil, and RunUntil always on that goroutine",
			func() { s.RunUntil(deadline.In(ms)) })
	})
	s.RunUntil(deadline.In(ms))
	l.want(t, "resumed")
	if co.State() != scheduler.Done {
		t.Errorf("the coroutine is %v", co.State())
	}
	s.Close()
}

// The pool of a thread that is gone cannot be ended: it stays behind, as the package comment says. In a
// process of its own, for that reason.
func TestAPoolThatIsLostIsCounted(t *testing.T) {
	threads(t)
	if inProcess(t, "TestAPoolThatIsLostIsCounted") {
		return
	}
	s := scheduler.New(scheduler.Options{})
	onThread(true, func() {
		s.Post(deadline.Normal, func() {})
		s.RunUntil(deadline.In(ms))
	})
	s.Post(deadline.Normal, func() {})
	if r := s.RunUntil(deadline.In(time.Hour)); r.Ran != 1 {
		t.Errorf("%+v", r)
	}
	if st := s.Stats(); st.Abandoned != 1 || st.Coroutines != 1 {
		t.Errorf("%+v, want one coroutine abandoned, one alive", st)
	}
	s.Close()
	if os.Getenv("SCHEDULER_TEST_PROCESS") == "" {
		t.Log("not in a process of its own")
	}
}
