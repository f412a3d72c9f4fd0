package autopsy

import (
	"testing"

	"golang.org/x/exp/trace"
)

// Of a wait the sentence names the goroutine that ended the wait, and what the goroutine did meanwhile.
func TestWaits(t *testing.T) {
	try(t, []sentence{
		{"two waits", func(s *script) {
			s.create(7, "main.load", 1)
			s.block(1, "sleep")
			s.procs(trace.ProcRunning, trace.ProcIdle, 0)
			s.at += 14
			s.procs(trace.ProcIdle, trace.ProcRunning, 0)
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
			s.waits(18, 7)
		}, "frame 4, 22.0 ms late: 18.0 blocked on a channel of main.load in the frame; " +
			"14.0 blocked on a sleep of its own in the frame"},
		{"a row of goroutines", func(s *script) {
			s.create(7, "main.first", 1)
			s.create(8, "main.second", 1)
			s.block(7, "sync")
			s.block(1, "sync")
			s.at += 30
			s.wake(7, 8)
			s.run(7, 1)
			s.wake(1, 7)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: " +
			"30.0 blocked on a lock held by main.first (which waited for a lock held by main.second) in the frame"},
		{"a goroutine that slept, and one that read", func(s *script) {
			s.create(7, "main.slept", 1)
			s.block(7, "sleep")
			s.create(8, "main.read", 1)
			s.call(8, "syscall.read", "os.(*File).Read", "main.(*level).load", "main.read")
			s.begin(1, "frameslice.section ai")
			s.block(1, "sync")
			s.at += 16
			s.wake(7, trace.NoGoroutine)
			s.run(7, 1)
			s.wake(1, 7)
			s.run(1, 0)
			s.block(1, "sync")
			s.at += 18
			s.back(8)
			s.wake(1, 8)
			s.run(1, 0)
			s.end(1, "frameslice.section ai")
		}, "frame 4, 24.0 ms late: 18.0 blocked on a lock held by main.read " +
			"(which was in a system call or cgo by main.(*level).load) in section ai; " +
			"16.0 blocked on a lock held by main.slept (which slept) in section ai"},
		{"a goroutine that a package has begun", func(s *script) {
			s.create(7, "sync.(*WaitGroup).Go.func1", 1,
				"sync.(*WaitGroup).Go", "example.com/game.spawn.func2", "main.main")
			s.waits(30, 7)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a channel of game.spawn in the frame"},
		{"errgroup in a variable", func(s *script) {
			s.create(7, "golang.org/x/sync/errgroup.(*Group).Go.func1", 1,
				"golang.org/x/sync/errgroup.(*Group).Go", "example.com/game.init.func2")
			s.waits(30, 7)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a channel of game.init.func2 in the frame"},
		{"a finalizer", func(s *script) {
			s.create(7, "runtime.runFinalizers", 1)
			s.block(1, "chan receive")
			s.at += 30
			s.by = []string{"runtime.closechan", "main.load.func1", "runtime.runFinalizers"}
			s.wake(1, 7)
			s.by = nil
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a channel of the finalizer main.load in the frame"},
		{"a goroutine of the runtime that told of another one's stack", func(s *script) {
			s.create(7, "runtime.gcBgMarkWorker", 1)
			s.is[8] = trace.GoUndetermined
			s.to(8, 7, 1, trace.GoWaiting, "", stack("main.walk"))
			s.waits(30, 7)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a channel of the Go runtime in the frame"},
		{"two finalizers", func(s *script) {
			s.create(7, "runtime.runFinalizers", 1)
			for i, f := range []string{"main.load", "main.save", ""} {
				s.block(1, "chan receive")
				s.at += float64(20 - i)
				if s.by = []string{"runtime.closechan", f, "runtime.runFinalizers"}; f == "" {
					s.by = []string{"runtime.runFinalizers"}
				}
				s.wake(1, 7)
				s.by = nil
				s.run(1, 0)
			}
		}, "frame 4, 47.0 ms late: 20.0 blocked on a channel of the finalizer main.load in the frame; " +
			"19.0 blocked on a channel of the finalizer main.save in the frame; " +
			"18.0 blocked on a channel of finalizers and cleanups in the frame"},
		{"a lock whose holder computed, slept and read", func(s *script) {
			s.create(7, "main.save", 1)
			s.create(8, "main.load", 2)
			s.block(1, "sync")
			s.at += 10
			s.block(7, "sleep")
			s.at += 13
			s.wake(7, trace.NoGoroutine)
			s.run(7, 1)
			s.call(7, "syscall.read", "main.save")
			s.at += 7
			s.back(7)
			s.wake(1, 7)
			s.run(1, 0)
			s.waits(25, 8)
		}, "frame 4, 45.0 ms late: 30.0 blocked on a lock held by main.save (which slept) in the frame; " +
			"25.0 blocked on a channel of main.load in the frame"},
		{"a goroutine that waited for a processor", func(s *script) {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "main.load", 1)
			s.preempt(7)
			s.create(8, "main.hog", 1)
			s.block(1, "chan receive")
			s.create(9, "main.hog", 0)
			s.at += 25
			s.preempt(9)
			s.run(7, 0)
			s.at += 5
			s.wake(1, 7)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a channel of main.load " +
			"(which waited for a processor: main.hog had both) in the frame"},
		{"another goroutine of the same function", func(s *script) {
			s.create(7, "main.main.func1", 1)
			s.waits(30, 7)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a channel of a goroutine of main.main in the frame"},
		{"the end of a job", func(s *script) {
			s.create(7, "example.com/game.worker", 1)
			s.begin(7, "frameslice.job bake")
			s.block(1, "sync")
			s.at += 30
			s.end(7, "frameslice.job bake")
			s.wake(1, 7)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a lock held by job bake in the frame"},
	})
}

// What is usual of a wait does not depend on what the other goroutine did meanwhile.
func TestUsualWait(t *testing.T) {
	s := newScript(t)
	s.procs(trace.ProcUndetermined, trace.ProcRunning, 0, 1)
	s.create(1, "main.main", 0)
	s.create(7, "main.save", 1)
	s.create(8, "main.load", 2)
	for n, slept := range []float64{0, 1, 28} {
		s.frame(n + 1)
		s.begin(1, "frameslice.frame")
		s.waits(6, 8)
		s.block(1, "sync")
		s.at += 2
		s.block(7, "sleep")
		s.at += slept
		s.wake(7, trace.NoGoroutine)
		s.run(7, 1)
		s.wake(1, 7)
		s.run(1, 0)
		s.at = max(s.at, float64(10*n+10))
		s.end(1, "frameslice.frame")
	}
	s.frame(4)
	want := "frame 4, 26.0 ms late: " +
		"30.0 blocked on a lock held by main.save (which slept) in the frame (usually 2.0); 6.0 the rest"
	if got := s.report(0).String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only the time before the first event is called so.
func TestUnknown(t *testing.T) {
	s := frames(t)
	s.rec, s.at = recording{}, 30
	s.create(7, "main.load", 1)
	s.at += 15
	s.is[1] = trace.GoNotExist
	s.to(1, 7, 0, trace.GoRunnable, "", stack("main.main"))
	s.run(1, 0)
	s.at += 5
	s.frame(4)
	want := "frame 4, 20.0 ms late: 5.0 work outside of the frame or the system; 15.0 unknown; " +
		"10.0 unknown, before the trace began"
	if got := s.report(0).String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
