package autopsy

import (
	"testing"

	"github.com/frameslice/frameslice/internal/words"
	"golang.org/x/exp/trace"
)

// Of a wait the sentence has the outermost call below the program's own code, and its line. Of work it has the function
// in which most looks found the frame.
func TestLines(t *testing.T) {
	wait := func(why string, functions ...string) func(s *script) {
		return func(s *script) {
			s.blockAt(1, why, functions...)
			s.at += 30
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
		}
	}
	try(t, []sentence{
		{"a request", wait("network", "internal/poll.runtime_pollWait", "net.(*conn).Read", "net/http.(*Client).Do",
			"net/http.Get", "example.com/game.(*Game).Update", "main.main"),
			"frame 4, 20.0 ms late: 30.0 blocked on the network in the frame, in http.Get, " +
				"called by game.(*Game).Update x.go:1"},
		{"a sleep in a function in a function", wait("sleep", "time.Sleep", "main.load.func1.2", "main.main"),
			"frame 4, 20.0 ms late: 30.0 blocked on a sleep of its own in the frame, in time.Sleep, " +
				"called by main.load x.go:1"},
		{"a channel, for which nothing is called", wait("chan receive", "runtime.chanrecv1", "main.load"),
			"frame 4, 20.0 ms late: 30.0 blocked on a channel of a timer in the frame, at main.load x.go:1"},
		{"a call of frameslice's", wait("sync", "sync.(*Cond).Wait", library+"workers.(*Job).Wait", "main.load"),
			"frame 4, 20.0 ms late: 30.0 blocked on a lock in the frame, in workers.(*Job).Wait, " +
				"called by main.load x.go:1"},
		{"no function of the program", wait("sleep", "time.Sleep", "net/http.(*conn).serve"),
			"frame 4, 20.0 ms late: 30.0 blocked on a sleep of its own in the frame"},
		{"two places, one of them for longer", func(s *script) {
			wait("sleep", "time.Sleep", "main.long")(s)
			s.blockAt(1, "sleep", "time.Sleep", "main.short")
			s.at += 9
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
		}, "frame 4, 29.0 ms late: 39.0 blocked on a sleep of its own in the frame, in time.Sleep, " +
			"called by main.long x.go:1"},
		{"a system call without a stack, and one of a driver's", func(s *script) {
			s.to(1, 1, 0, trace.GoSyscall, "", trace.NoStack)
			s.at += 30
			s.back(1)
		}, "frame 4, 20.0 ms late: 30.0 in a system call or cgo in the frame"},
		{"looks in one function", func(s *script) {
			s.looks(1, 4, 10, "runtime.mapassign", "main.grow", "main.main")
		}, "frame 4, 30.0 ms late: 40.0 own work, in main.grow (4 of 4 looks) (usually 2.0)"},
		{"one look", func(s *script) {
			s.looks(1, 1, 30, "main.grow", "main.main")
		}, "frame 4, 20.0 ms late: 30.0 own work, in main.grow (1 look) (usually 2.0)"},
		{"looks in many functions of one", func(s *script) {
			for _, f := range []string{"main.a", "main.b", "main.c", "main.d"} {
				s.looks(1, 1, 10, f, "main.update", "main.main")
			}
			s.looks(1, 1, 10, "main.draw", "main.main")
		}, "frame 4, 40.0 ms late: 50.0 own work, in main.update (4 of 5 looks)"},
		{"looks in a section, and in another goroutine", func(s *script) {
			s.create(7, "main.walk", 1)
			s.begin(1, "frameslice.section ai")
			s.looks(1, 3, 10, "main.think")
			s.end(1, "frameslice.section ai")
			s.looks(7, 3, 0, "main.walk")
		}, "frame 4, 20.0 ms late: 30.0 section ai, in main.think (3 of 3 looks)"},
		{"a look of a CPU profile", func(s *script) {
			s.at += 15
			feed(s, trace.EventStackSample, 1, 0, trace.StackSample{})
			s.at += 15
		}, "frame 4, 20.0 ms late: 30.0 own work (usually 2.0)"},
	})
}

// A module that the program has downloaded is not the program's own code.
func TestIsProgram(t *testing.T) {
	for _, c := range []struct {
		function, file string
		want           bool
	}{
		{"main.main", "/home/u/game/main.go", true},
		{"example.com/game/ai.Think", "C:/game/ai/ai.go", true},
		{"net/http.Get", "/usr/local/go/src/net/http/client.go", false},
		{library + "frame.(*Loop).Begin", "/x/loop.go", false},
		{"github.com/hajimehoshi/ebiten/v2.RunGame", "/mod/github.com/hajimehoshi/ebiten/v2@v2.9.0/run.go", false},
		{"github.com/ebitengine/purego.SyscallN", "github.com/ebitengine/purego@v0.9.0/syscall.go", false},
		{"example.com/engine.Run", "/home/u/game/vendor/example.com/engine/run.go", false},
	} {
		if got := isProgram(trace.StackFrame{Func: c.function, File: c.file}); got != c.want {
			t.Errorf("%s in %s: %v", c.function, c.file, got)
		}
	}
}

// Of a goroutine that has waited since before the trace only its stack tells why. Without one nothing is said.
func TestWaitsFromBeforeTheTrace(t *testing.T) {
	for _, c := range []struct {
		stack []string
		want  string
	}{
		{
			[]string{"internal/poll.runtime_pollWait", "net.(*conn).Read", "main.netLoop"},
			" (which waited for the network)",
		},
		{[]string{"runtime.selectgo", "main.netLoop"}, " (which waited for a channel of a timer)"},
		{[]string{"sync.(*Mutex).Lock", "main.netLoop"}, " (which waited for a lock)"},
		{[]string{"time.Sleep", "main.netLoop"}, " (which slept)"},
		{[]string{"example.com/x.unknown", "main.netLoop"}, ""},
	} {
		s := frames(t)
		s.rec = recording{}
		s.procs(trace.ProcUndetermined, trace.ProcIdle, 0, 1)
		s.is[1], s.is[7] = trace.GoUndetermined, trace.GoUndetermined
		s.to(7, trace.NoGoroutine, -1, trace.GoWaiting, "", stack(c.stack...))
		s.rec.gs[0].name = "main.netLoop"
		s.to(1, trace.NoGoroutine, 0, trace.GoRunning, "", stack("main.main"))
		s.frame(3)
		s.begin(1, "frameslice.frame")
		s.blockAt(1, "chan receive", "runtime.chanrecv1")
		s.at += 30
		s.wake(7, trace.NoGoroutine)
		s.run(7, 1)
		s.wake(1, 7)
		s.run(1, 0)
		want := "frame 4, 20.0 ms late: 30.0 blocked on a channel of main.netLoop" + c.want + " in the frame"
		if got := s.finish().String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A P that is gone, since GOMAXPROCS was lowered, is not free.
func TestFewerProcessors(t *testing.T) {
	s := frames(t)
	m := trace.Metric{Name: "/sched/gomaxprocs:threads", Value: trace.Uint64Value(1)}
	feed(s, trace.EventMetric, trace.NoGoroutine, 0, m)
	s.preempt(1)
	s.create(7, "main.walk", 0)
	s.at += 30
	s.preempt(7)
	s.run(1, 0)
	want := "frame 4, 20.0 ms late: 30.0 waiting for a processor: main.walk had the only one"
	if got := s.finish().String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where the usual parts make each frame late, they are named.
func TestAsUsual(t *testing.T) {
	for _, c := range []struct {
		work, system float64
		want         string
	}{
		{49, 13, "as usual: 49.0 own work, 13.0 the system ran other threads or processes"},
		{49, 1, "as usual: 49.0 own work; 1.0 the rest"},
		{11, 0, "as usual: 11.0 own work"},
		{9, 0, "9.0 the rest"}, // it is not late
	} {
		s := newScript(t)
		s.procs(trace.ProcUndetermined, trace.ProcIdle, 0, 1)
		s.procs(trace.ProcIdle, trace.ProcRunning, 0)
		s.create(1, "main.main", 0)
		cpu := 0.0
		log := func(n int) {
			s.log(1, logThread, int(cpu*1e6), int((s.at-cpu)*1e6), 0, 0, 0, int(cpu*1e6)+1)
			s.log(1, logFrame, n)
		}
		for n := range 6 {
			log(n + 1)
			s.begin(1, "frameslice.frame")
			s.at, cpu = s.at+c.work+c.system, cpu+c.work
			s.end(1, "frameslice.frame")
		}
		log(7)
		interval := c.work + c.system
		s.log(1, logLate, 7, 0, int(interval*1e6), 10_000_000, 4400)
		r, err := s.rec.report()
		want := words.MS(r.Interval-r.Target, 1) + " ms late: " + c.want
		if got := r.String()[len("frame 7, "):]; err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
