package autopsy

import (
	"strings"
	"testing"

	"golang.org/x/exp/trace"
)

// The thread's use is taken out of the code that seemed to run.
func TestSystem(t *testing.T) {
	for _, c := range []struct {
		sample string // cpu, delay, minor, major, quota, from 20 ms of CPU on
		want   string
	}{
		{"25000000 24000000 0 0 0", "25.0 the system ran other threads or processes; 5.0 section ai"},
		{"50000000 0 5000 0 0", "22.0 5000 page faults in section ai; 8.0 section ai"},
		{"25000000 0 0 12 0", "25.0 12 pages from disk in section ai; 5.0 section ai"},
		{"25000000 24000000 0 0 20000000",
			"25.0 the system kept the process to its CPU quota and ran other threads or processes; 5.0 section ai"},
		{"22000000 0 0 0 0", "28.0 the system paused the thread, or the hypervisor did; 2.0 section ai"},
		{"22000000 9000000000 0 0 0", "28.0 the system ran other threads or processes; 2.0 section ai"},
		{"10 0 0 0 0", "30.0 the system paused the thread, or the hypervisor did"},
		{"no numbers", "30.0 section ai or the system"},
		{"25000000 -1 0 0 0", "25.0 the system ran other threads or processes; 5.0 section ai"}, // an unknown delay
	} {
		s := frames(t)
		s.begin(1, "frameslice.section ai")
		s.at += 30
		s.end(1, "frameslice.section ai")
		s.log(1, logThread, c.sample)
		s.log(1, logFrame, 4)
		r := s.report(0)
		if got := strings.TrimPrefix(r.String(), "frame 4, 20.0 ms late: "); got != c.want {
			t.Errorf("%s: %q, want %q", c.sample, got, c.want)
		}
	}
}

// Of a goroutine that went to another thread only the use of the process tells how much the system took.
func TestSystemOnTwoThreads(t *testing.T) {
	for _, c := range []struct {
		process int // ms, within the 30 of the section
		want    string
	}{
		{31, "30.0 section ai"},
		{3, "27.0 the system ran other threads or processes; 3.0 section ai"},
		{0, "30.0 section ai or the system"}, // not known
	} {
		s := frames(t)
		s.begin(1, "frameslice.section ai")
		s.at += 15
		s.preempt(1)
		s.run(1, 1)
		s.at += 15
		s.end(1, "frameslice.section ai")
		if c.process > 0 {
			s.log(1, logThread, 1, 0, 0, 0, 0, 40_000_001+c.process*1e6)
		} else {
			s.log(1, logThread, 1, 0, 0, 0, 0)
		}
		s.log(1, logFrame, 4)
		if got := strings.TrimPrefix(s.report(0).String(), "frame 4, 20.0 ms late: "); got != c.want {
			t.Errorf("%d ms: %q, want %q", c.process, got, c.want)
		}
	}
}

// A goroutine beside another one on two threads: what the process used may have been the other's.
func TestEitherBesideOthers(t *testing.T) {
	s := frames(t)
	s.procs(trace.ProcIdle, trace.ProcRunning, 1)
	s.create(7, "main.walk", 1)
	s.at += 15
	s.preempt(7)
	s.preempt(1)
	s.run(1, 1)
	s.run(7, 0)
	s.at += 15
	s.log(1, logThread, 1, 0, 0, 0, 0, 70_000_001) // 30 of the 60 ms
	s.log(1, logFrame, 4)
	r := s.report(0)
	if got := r.String(); !strings.HasPrefix(got, "frame 4, 20.0 ms late: 30.0 own work or the system") {
		t.Error(got)
	}
}

// Goroutines that held both Ps hardly ran, if the process hardly had processors.
func TestHoldersThatTheSystemKeptOff(t *testing.T) {
	s := frames(t)
	s.procs(trace.ProcIdle, trace.ProcRunning, 1)
	s.create(7, "main.walk", 1)
	s.preempt(1)
	s.create(8, "main.walk", 0)
	s.at += 30
	s.preempt(8)
	s.run(1, 0)
	s.log(1, logThread, 20_000_000, 0, 0, 0, 0, 40_000_001+6*1_000_000)
	s.log(1, logFrame, 4)
	want := "27.0 the system ran other threads or processes; 3.0 waiting for a processor: main.walk had both"
	if got := s.report(0).String(); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A sleep outside of the frames that is there in each is the program's own wait for the next frame. What is longer than
// that is the system's, or that of the goroutines that had the Ps.
func TestThePacingSleepEndedLate(t *testing.T) {
	for _, c := range []struct {
		why  string
		hogs bool
		want string
	}{
		{"sleep", false, "33.0 the system woke a thread late; 10.0 the rest"},
		{"chan receive", false, "33.0 the system woke a thread late; 10.0 the rest"},
		{"select", false, "33.0 the system woke a thread late; 10.0 the rest"},
		{"sleep", true, "33.0 waiting for a processor: main.hog had both; 10.0 the rest"},
	} {
		s := newScript(t)
		s.procs(trace.ProcUndetermined, trace.ProcIdle, 0, 1)
		s.procs(trace.ProcIdle, trace.ProcRunning, 0)
		s.create(1, "main.main", 0)
		frame := func(n int, sleep float64) {
			s.frame(n)
			s.begin(1, "frameslice.frame")
			s.at += 2
			s.end(1, "frameslice.frame")
			s.block(1, c.why)
			s.procs(trace.ProcRunning, trace.ProcIdle, 0)
			if c.hogs && sleep > 8 {
				s.procs(trace.ProcIdle, trace.ProcRunning, 0, 1)
				s.create(7, "main.hog", 0)
				s.create(8, "main.hog", 1)
			}
			s.at += sleep
			if c.hogs && sleep > 8 {
				s.preempt(7)
			} else {
				s.procs(trace.ProcIdle, trace.ProcRunning, 0)
			}
			s.wake(1, trace.NoGoroutine)
			s.run(1, 0)
		}
		for n := range 5 {
			s.at = float64(10 * n)
			frame(n+1, 8)
		}
		s.at = 50
		for n := range 20 { // late frames have nothing to wait for
			s.frame(6 + n)
			s.begin(1, "frameslice.frame")
			s.at += 12
			s.end(1, "frameslice.frame")
		}
		frame(26, 41)
		s.frame(27)
		s.log(1, logLate, 27, 0, 43_000_000, 10_000_000, 4400)
		r, err := s.rec.report()
		if want := "frame 27, 33.0 ms late: " + c.want; err != nil || r.String() != want {
			t.Errorf("%s: %q, %v, want %q", c.why, r, err, want)
		}
	}
}

// The goroutine of a slice may tell of its thread between the two logs of Begin.
func TestSystemBesideASlice(t *testing.T) {
	s := frames(t)
	s.create(7, "main.slice", 1)
	s.at += 30
	s.log(1, logThread, "25000000 24000000 0 0 0")
	s.log(7, logThread, "1 2 3 4 5")
	s.log(1, logFrame, 4)
	if got := s.report(0).String(); !strings.Contains(got, ": 25.0 the system ran other threads or processes; ") {
		t.Error(got)
	}
}

// A SIGSTOP is known by SIGCONT and the silence before.
func TestSuspended(t *testing.T) {
	s := frames(t)
	s.create(7, "os/signal.loop", 1)
	s.at += 2
	s.begin(1, "frameslice.section ai")
	s.at += 31
	s.end(1, "frameslice.section ai")
	s.log(7, logContinued)
	s.at++
	want := "31.0 the process was stopped; 3.0 own work (usually 2.0)"
	if got := s.finish().String(); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The loop's own wait is no cause, but what keeps the loop from waking up is.
func TestTheLoopWokeLate(t *testing.T) {
	for _, hog := range []bool{false, true} {
		s := frames(t)
		s.end(1, "frameslice.frame")
		s.block(1, "sleep")
		want := "frame 4, 30.0 ms late: 30.0 the system woke a thread late; 10.0 the rest"
		if hog {
			s.procs(trace.ProcIdle, trace.ProcRunning, 1)
			s.create(7, "main.hog", 0)
			s.create(8, "main.hog", 1)
			want = "frame 4, 30.0 ms late: 30.0 waiting for a processor: main.hog had both; 10.0 the rest"
		}
		s.at += 40
		if hog {
			s.preempt(7)
		}
		s.wake(1, trace.NoGoroutine)
		s.run(1, 0)
		s.frame(4)
		if got := s.report(30).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A frame that woke up late stands for two ticks of the loop's own grid, and the next frame is late for that reason.
func TestAFrameAfterALateWake(t *testing.T) {
	s := frames(t)
	sleep := func(ms float64) {
		s.end(1, "frameslice.frame")
		s.block(1, "sleep")
		s.at += ms
		s.wake(1, trace.NoGoroutine)
		s.run(1, 0)
	}
	sleep(17)
	s.log(1, logThread, 1, 0, 0, 0, 0, 1)
	s.log(1, logFrame, 4)
	s.log(1, logWait, 17_000_000, 7_000_000)
	s.begin(1, "frameslice.frame")
	from := s.at
	sleep(14)
	s.log(1, logThread, 1, 0, 0, 0, 0, 1)
	s.log(1, logFrame, 5)
	s.log(1, logWait, 14_000_000, 1_000_000)
	s.log(1, logLate, 5, 0, int((s.at-from)*1e6), 10_000_000, 4400)
	r, err := s.rec.report()
	want := "frame 5, 4.0 ms late: 4.0 the system had woken the frame before late and woke a thread late; " +
		"10.0 the rest"
	if err != nil || r.String() != want {
		t.Errorf("%q and %v, want %q", r, err, want)
	}
}
