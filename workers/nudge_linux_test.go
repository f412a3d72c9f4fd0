package workers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/deadline"
)

// nudgers returns the folders of the nudgers' threads in /proc.
func nudgers(t *testing.T) (found []string) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*")
	if err != nil || len(tasks) == 0 {
		t.Fatal(err)
	}
	for _, task := range tasks {
		name, _ := os.ReadFile(task + "/comm")
		if strings.HasPrefix(string(name), "fs-nudge-") {
			found = append(found, task)
		}
	}
	return found
}

// sleeps returns how often a thread has gone to sleep.
func sleeps(t *testing.T, task string) string {
	t.Helper()
	status, err := os.ReadFile(task + "/status")
	if err != nil {
		return "" // it has ended: it was another test's
	}
	_, after, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:")
	n, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(n)
}

func TestNudgersNudgeWhileAFrameIsLate(t *testing.T) {
	p := lowPool(t, Options{RaiseProcs: true})
	want := len(p.nudged())
	until(t, func() bool { return len(nudgers(t)) == want })
	var s Stats
	if p.Stats(&s); s.Procs != 1+want+spareProcs {
		t.Errorf("GOMAXPROCS is raised by %d, for one background worker and %d nudgers", s.Procs, want)
	}
	all := nudgers(t)
	quiet := func() bool {
		var before []string
		for _, task := range all {
			before = append(before, sleeps(t, task))
		}
		time.Sleep(5 * time.Millisecond)
		for i, task := range all {
			if sleeps(t, task) != before[i] {
				return false
			}
		}
		return true
	}
	for range 3 {
		until(t, quiet)
		p.ExpectFrame(deadline.Now(), time.Hour)
		for range 10 {
			for _, task := range all {
				n := sleeps(t, task)
				until(t, func() bool { return sleeps(t, task) != n })
			}
		}
		p.BeginFrame()
		until(t, quiet)
		p.EndFrame()
		p.ExpectFrame(deadline.Now().Add(time.Millisecond), time.Millisecond) // and it never comes
	}
}

// Each is bound to a processor of its own, and none is left when the pool has closed.
func TestNudgersAreOneForEachProcessor(t *testing.T) {
	p := New(Options{Background: 1, RaiseProcs: true})
	var s Stats
	if p.Stats(&s); s.Background == 0 {
		t.Skip("no background workers on this system:", s.Notes)
	}
	until(t, func() bool { return len(nudgers(t)) == len(p.nudged()) })
	var all unix.CPUSet
	for _, task := range nudgers(t) {
		var tid int
		for _, digit := range filepath.Base(task) {
			tid = tid*10 + int(digit-'0')
		}
		var one unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &one); err != nil || one.Count() != 1 {
			t.Errorf("a nudger may use %d processors, %v", one.Count(), err)
		}
		for _, cpu := range p.nudged() {
			if one.IsSet(cpu) {
				all.Set(cpu)
			}
		}
	}
	if all.Count() != len(p.nudged()) {
		t.Errorf("%d of %d processors are nudged", all.Count(), len(p.nudged()))
	}
	p.ExpectFrame(deadline.Now().Add(time.Hour), time.Hour) // as far as Close is concerned
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Close(ended); err != nil {
		t.Error(err)
	}
	until(t, func() bool { return len(nudgers(t)) == 0 }) // a goroutine has ended some time before its thread
	for _, o := range []Options{{Background: 1}, {RaiseProcs: true}} {
		p := New(o)
		if n := len(p.nudge.all); n != 0 {
			t.Errorf("%+v has %d nudgers", o, n)
		}
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// In virtual time nobody naps for something that cannot come meanwhile, and no thread is there to be nudged.
func TestNobodyNudgesInVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{Background: 1, RaiseProcs: true})
		if n := len(p.nudge.all); n != 0 {
			t.Errorf("%d nudgers", n)
		}
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestANudgerPausesUntilAFrameIsLate(t *testing.T) {
	for _, c := range []struct {
		due, now deadline.Instant
		trail    time.Duration
		want     time.Duration
	}{
		{0, 5, 100, 0}, {50, 5, 100, 45}, {50, 50, 100, nap}, {50, 149, 100, nap}, {50, 150, 100, 0}, {50, 60, 0, 0},
		{-7, -9, 100, 2}, {-7, -7, 100, nap},
	} {
		var n nudge
		n.expect(c.due, c.trail)
		if got := n.pause(c.now); got != c.want {
			t.Errorf("due at %d, it is %d: a pause of %v, want %v", c.due, c.now, got, c.want)
		}
	}
}
