package autopsy

import (
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/exp/trace"
)

// Of each cause the sentence names what it is, for how long, where, and whose.
func TestSentences(t *testing.T) {
	try(t, []sentence{
		{"own work", func(s *script) {
			s.begin(1, "frameslice.section physics")
			s.at += 30
			s.end(1, "frameslice.section physics")
			s.at += 2
		}, "frame 4, 22.0 ms late: 30.0 section physics; 2.0 the rest"},
		{"work is more than usual", func(s *script) { s.at += 32 },
			"frame 4, 22.0 ms late: 32.0 own work (usually 2.0)"},
		{"task without a label", func(s *script) {
			s.begin(1, "frameslice.slice")
			s.begin(1, "frameslice.task -")
			s.at += 30
			s.end(1, "frameslice.task -")
			s.at += 1
			s.end(1, "frameslice.slice")
			s.at += 1
		}, "frame 4, 22.0 ms late: 30.0 a task; 1.0 the slice; 1.0 the rest"},
		{"hogs", func(s *script) {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "example.com/game.hog", 1)
			s.begin(7, "frameslice.job decode.png")
			s.at += 2
			s.preempt(1)
			s.create(8, "example.com/game.hog", 0)
			s.at += 28
			s.preempt(8)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 28.0 waiting for a processor: game.hog and job decode.png had both; 2.0 the rest"},
		{"a free P", func(s *script) {
			s.preempt(1)
			s.at += 20
			s.run(1, 0)
			s.procs(trace.ProcRunning, trace.ProcIdle)
		}, "frame 4, 10.0 ms late: 20.0 the system woke a thread late"},
		{"stopped world", func(s *script) {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "main.copies", 1)
			s.create(9, "main.collects", 2)
			s.ranged(9, "stop-the-world (GC sweep termination)", true)
			s.preempt(1)
			s.at += 25
			s.ranged(9, "stop-the-world (GC sweep termination)", false)
			s.run(1, 0)
		}, "frame 4, 15.0 ms late: 25.0 the whole program was stopped: GC sweep termination, " +
			"which waited for main.copies"},
		{"a stop beside the runtime's own goroutines", func(s *script) { // which answer nothing
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(8, "runtime.bgsweep", 1)
			s.create(9, "main.collects", 2)
			s.ranged(9, "stop-the-world (GC sweep termination)", true)
			s.preempt(1)
			s.at += 25
			s.ranged(9, "stop-the-world (GC sweep termination)", false)
			s.run(1, 0)
		}, "frame 4, 15.0 ms late: 25.0 the whole program was stopped: GC sweep termination"},
		{"a stop in a short sleep", func(s *script) { // no timer runs meanwhile
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(9, "main.dump", 1)
			s.block(1, "sleep")
			s.at += 1
			s.ranged(9, "stop-the-world (all goroutines stack trace)", true)
			s.at += 40
			s.ranged(9, "stop-the-world (all goroutines stack trace)", false)
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
		}, "frame 4, 31.0 ms late: 40.0 the whole program was stopped: all goroutines stack trace; " +
			"1.0 blocked on a sleep of its own in the frame"},
		{"a stop in a long sleep", func(s *script) {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(9, "main.dump", 1)
			s.block(1, "sleep")
			s.procs(trace.ProcRunning, trace.ProcIdle, 0)
			s.at += 1
			s.ranged(9, "stop-the-world (all goroutines stack trace)", true)
			s.at += 20
			s.ranged(9, "stop-the-world (all goroutines stack trace)", false)
			s.at += 9
			s.procs(trace.ProcIdle, trace.ProcRunning, 0)
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a sleep of its own in the frame"},
		{"a stop while the frame waits for another goroutine", func(s *script) {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(9, "main.dump", 1)
			s.create(7, "main.load", 2)
			s.block(1, "chan receive")
			s.at += 2
			s.ranged(9, "stop-the-world (all goroutines stack trace)", true)
			s.preempt(7)
			s.at += 40
			s.ranged(9, "stop-the-world (all goroutines stack trace)", false)
			s.run(7, 2)
			s.at += 3
			s.wake(1, 7)
			s.run(1, 0)
		}, "frame 4, 35.0 ms late: 40.0 the whole program was stopped: all goroutines stack trace; " +
			"5.0 blocked on a channel of main.load in the frame"},
		{"assist", func(s *script) {
			s.begin(1, "frameslice.task spawn")
			s.ranged(1, "GC mark assist", true)
			s.at += 11
			s.block(1, "GC mark assist wait for work")
			s.at += 4
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
			s.to(1, 1, 0, trace.GoRunnable, "runtime.Gosched", stack("runtime.Gosched", "runtime.gcAssistAlloc"))
			s.at += 2
			s.run(1, 0)
			s.ranged(1, "GC mark assist", false)
			s.end(1, "frameslice.task spawn")
		}, "frame 4, 7.0 ms late: 17.0 helping the garbage collection in task spawn"},
		{"a lock", func(s *script) {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "main.worker", 1)
			s.begin(7, "frameslice.job save")
			s.begin(1, "frameslice.section ai")
			s.block(1, "sync")
			s.at += 30
			s.wake(1, 7)
			s.run(1, 0)
			s.end(1, "frameslice.section ai")
		}, "frame 4, 20.0 ms late: 30.0 blocked on a lock held by job save in section ai"},
		{"a channel of a goroutine that has ended", func(s *script) {
			s.create(7, "example.com/game.loader", 1)
			s.block(1, "chan receive")
			s.at += 30
			s.wake(1, 7)
			s.to(7, 7, 1, trace.GoNotExist, "", trace.NoStack)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 30.0 blocked on a channel of game.loader in the frame"},
		{"a system call", func(s *script) {
			s.begin(1, "frameslice.phase update")
			s.call(1, "syscall.read", "os.(*File).Read", "example.com/game.(*Level).load", "main.main")
			s.at += 30
			s.back(1)
			s.end(1, "frameslice.phase update")
		}, "frame 4, 20.0 ms late: 30.0 in a system call or cgo by game.(*Level).load in phase update, " +
			"in os.(*File).Read, called by game.(*Level).load x.go:1"},
		{"a channel of a goroutine in a system call", func(s *script) {
			s.create(7, "main.render", 1)
			s.call(7, "runtime.cgocall", "example.com/gl.swap", "main.render")
			s.end(1, "frameslice.frame")
			s.block(1, "chan receive")
			s.at += 30
			s.back(7)
			s.wake(1, 7)
			s.run(1, 0)
			s.begin(1, "frameslice.frame")
		}, "frame 4, 20.0 ms late: 30.0 in a system call or cgo by gl.swap, at gl.swap x.go:1 (usually 8.0)"},
		{"a coroutine", func(s *script) {
			s.create(7, "main.coroutine", 1)
			s.block(7, "")
			s.begin(1, "frameslice.slice")
			s.wake(7, 1)
			s.block(1, "")
			s.run(7, 0)
			s.begin(7, "frameslice.task level")
			s.at += 30
			s.end(7, "frameslice.task level")
			s.wake(1, 7)
			s.block(7, "")
			s.run(1, 0)
			s.end(1, "frameslice.slice")
		}, "frame 4, 20.0 ms late: 30.0 task level"},
		{"a slice in the shadow", func(s *script) {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "frame.shadow", 1)
			s.begin(7, "frameslice.slice")
			s.begin(7, "frameslice.task bake")
			s.block(1, "select")
			s.at += 30
			s.end(7, "frameslice.task bake")
			s.wake(1, 7)
			s.end(7, "frameslice.slice")
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 30.0 task bake"},
		{"runtime.Gosched", func(s *script) {
			for _, by := range []string{"main.spin", "main.spin", "runtime.GC"} {
				s.to(1, 1, 0, trace.GoRunnable, "runtime.Gosched", stack("runtime.Gosched", by))
				s.at += 10
				s.run(1, 0)
			}
		}, "frame 4, 20.0 ms late: 20.0 blocked on runtime.Gosched in the frame, at main.spin x.go:1; " +
			"10.0 blocked on a garbage collection that it asked for in the frame"},
		{"runtime.Gosched again and again", func(s *script) { // its P has no other goroutine
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "main.compute", 1)
			for range 30 {
				s.to(1, 1, 0, trace.GoRunnable, "runtime.Gosched", stack("runtime.Gosched", "main.spin"))
				s.at += 0.7
				s.run(1, 0)
				s.at += 0.3
			}
		}, "frame 4, 20.0 ms late: 21.0 blocked on runtime.Gosched in the frame, at main.spin x.go:1; " +
			"9.0 own work (usually 2.0)"},
		{"hogs and a sleep", func(s *script) { // the timer is late by as long as the hog ran on its P at most
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "main.hog", 1)
			s.preempt(7)
			s.create(8, "main.hog", 1)
			s.preempt(8)
			s.run(7, 1)
			s.block(1, "sleep")
			s.at += 3
			s.run(8, 0)
			s.at += 25
			s.preempt(8)
			s.wake(1, trace.NoGoroutine)
			s.run(8, 0)
			s.at += 5
			s.preempt(8)
			s.run(1, 0)
		}, "frame 4, 23.0 ms late: 30.0 waiting for a processor: main.hog had both; " +
			"3.0 blocked on a sleep of its own in the frame"},
		{"a hog with a thread of its own", func(s *script) { // the scheduler hands its P over when the hog stops
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "main.hog", 1)
			s.block(1, "sleep")
			s.create(8, "main.hog", 0)
			s.at += 30
			s.preempt(8)
			s.procs(trace.ProcRunning, trace.ProcIdle, 0)
			s.procs(trace.ProcIdle, trace.ProcRunning, 0)
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 30.0 waiting for a processor: main.hog had both"},
		{"a wait from before the trace", func(s *script) {
			s.rec, s.at = recording{}, 30
			s.create(7, "main.load", 1)
			s.begin(7, "frameslice.job level")
			s.at += 20
			s.is[1] = trace.GoUndetermined
			s.to(1, trace.NoGoroutine, 0, trace.GoWaiting, "", trace.NoStack)
			s.wake(1, 7)
			s.run(1, 0)
		}, "frame 4, 20.0 ms late: 20.0 blocked on job level in the frame; 10.0 unknown, before the trace began"},
		{"before the trace", func(s *script) { // the frame began earlier than the recording
			s.rec, s.at = recording{}, 40
			s.is[1] = trace.GoUndetermined
			s.to(1, trace.NoGoroutine, 0, trace.GoRunning, "", stack("main.main"))
			s.at += 10
		}, "frame 4, 20.0 ms late: 10.0 own work or the system; 20.0 unknown, before the trace began"},
	})
}

// A sentence is what is said of a frame that a script has played.
type sentence struct {
	name string
	play func(s *script)
	want string
}

func try(t *testing.T, all []sentence) {
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			s := frames(t)
			c.play(s)
			if got := s.finish().String(); got != c.want {
				t.Errorf("%q\n  want %q", got, c.want)
			}
		})
	}
}

// Numbers of Ps that no runtime gives are ignored.
func TestNumbersOfProcessors(t *testing.T) {
	for _, p := range []trace.ProcID{mostPs, 1 << 15, 40000, 1<<16 - 1, 1 << 16, 1 << 40} {
		s := frames(t)
		s.procs(trace.ProcIdle, trace.ProcRunning, p)
		s.create(2, "main.other", p)
		s.at += 30
		if got := s.finish(); len(got.Parts) == 0 || len(s.rec.ps) != 2 {
			t.Errorf("P %d: %d Ps, %v", p, len(s.rec.ps), got)
		}
	}
}

// Whatever happens, the parts add up and no reader falls.
func TestPartsAddUp(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := frames(t)
		s.create(2, "main.two", 1)
		s.create(3, "main.three", 1)
		for range 60 {
			s.at += r.Float64()
			g, by := trace.GoID(1+r.IntN(3)), trace.GoID(1+r.IntN(3))
			switch s.is[g] {
			case trace.GoRunning:
				switch r.IntN(8) {
				case 0:
					s.block(g, []string{"", "sync", "sleep", "select", "network", "preempted"}[r.IntN(6)])
				case 1:
					s.preempt(g)
				case 2:
					s.call(g, "os.f", "main.f")
				case 3:
					s.ranged(g, "GC mark assist", r.IntN(2) == 0)
				case 4:
					s.ranged(g, "stop-the-world (x)", r.IntN(2) == 0)
				case 5:
					s.begin(g, "frameslice.section x")
				default:
					s.end(g, "frameslice.section x")
				}
			case trace.GoWaiting:
				s.wake(g, by)
			case trace.GoRunnable:
				s.run(g, trace.ProcID(r.IntN(3)))
			default:
				s.back(g)
			}
		}
		s.frame(4)
		s.report(r.Float64() * 5) // checks the sum
	}
}

// Without a frame that Late reported, the longest is meant.
func TestTheLongestFrame(t *testing.T) {
	s := frames(t)
	s.at += 17
	s.frame(4)
	s.at += 3
	s.frame(5)
	r, err := s.rec.report()
	if err != nil || r.Frame != 4 || r.Interval != 17*time.Millisecond || r.Target != 0 ||
		r.String() != "frame 4, 17.0 ms: 17.0 own work (usually 2.0)" {
		t.Errorf("%v, %v", r, err)
	}
	empty := newScript(t)
	if r, err := empty.rec.report(); err == nil {
		t.Errorf("of an empty trace: %v", r)
	}
}

// A file is of the frame for which a Box wrote it, although a later frame was late before the Box had taken the trace.
func TestAFileHasItsFrame(t *testing.T) {
	s := frames(t)
	late := func(n int) {
		s.at += 20
		s.frame(n)
		s.log(1, logLate, n, 0, 20_000_000, 10_000_000, 0)
	}
	late(4)
	late(5)
	for _, c := range []struct{ file, want uint64 }{{0, 5}, {4, 4}} { // 0: asked for by Ask
		s.log(1, logFile, c.file)
		if r, err := s.rec.report(); err != nil || r.Frame != c.want {
			t.Errorf("the file of frame %d is of frame %d, %v; want %d", c.file, r.Frame, err, c.want)
		}
	}
}
