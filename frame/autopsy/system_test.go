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
		{"no numbers", "30.0 section ai"},
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
			want = "frame 4, 30.0 ms late: 30.0 runnable while main.hog held both Ps; 10.0 the rest"
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
