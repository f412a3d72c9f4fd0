package osthread_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/internal/osthread"
)

// policyOf returns the policy and the priority of a thread, 0 for the calling one.
func policyOf(t *testing.T, id int) (policy, prio uint32) {
	t.Helper()
	attr, err := unix.SchedGetAttr(id, 0)
	if err != nil {
		t.Fatal(err)
	}
	return attr.Policy, attr.Priority
}

// A thread of the lowest priority is boosted by another one, and is what it was afterwards.
func TestBoostLendsAnotherThreadAPriority(t *testing.T) {
	ids, end := make(chan int), make(chan struct{})
	osthread.Go(func() {
		_, _ = osthread.Lower()
		ids <- osthread.ID()
		<-end
	})
	id := <-ids
	defer close(end)
	before, _ := policyOf(t, id)
	if before != unix.SCHED_IDLE {
		t.Skip("threads cannot be lowered that far")
	}
	for range 2 {
		if err := osthread.Boost(id, 3); err != nil {
			t.Skip(err)
		}
		if policy, prio := policyOf(t, id); policy != unix.SCHED_RR || prio != 3 {
			t.Errorf("a boosted thread has policy %d and priority %d, want %d and 3", policy, prio, unix.SCHED_RR)
		}
		if err := osthread.Unboost(id); err != nil {
			t.Error(err)
		}
		if policy, prio := policyOf(t, id); policy != before || prio != 0 {
			t.Errorf("it has the policy %d and the priority %d afterwards, want %d and 0", policy, prio, before)
		}
	}
	if err := osthread.Boost(id, 1000); err == nil {
		t.Error("a priority that there is not")
	}
	if policy, _ := policyOf(t, id); policy != before {
		t.Errorf("a boost that was refused has left the policy %d", policy)
	}
	if n := testing.AllocsPerRun(10, func() {
		_ = osthread.Boost(id, 3)
		_ = osthread.Unboost(id)
		_, _ = osthread.CPUTime(id)
	}); n != 0 {
		t.Errorf("a boost allocates %v times", n)
	}
}

// A thread that oversees others of a priority goes before them, also where it may not have a deadline, as on one
// processor of some.
func TestOverseeIsMoreThanThePriority(t *testing.T) {
	for _, bound := range []bool{false, true} {
		done := make(chan struct{})
		var refused error
		osthread.Go(func() {
			defer close(done)
			if cpus, err := osthread.CPUs(); bound && err == nil {
				_ = osthread.Pin(cpus[0])
			}
			if refused = osthread.Oversee(7); refused != nil {
				return
			}
			policy, prio := policyOf(t, 0)
			if policy != unix.SCHED_DEADLINE && (policy != unix.SCHED_RR || prio != 8) {
				t.Errorf("it has the policy %d and the priority %d", policy, prio)
			}
		})
		if <-done; refused != nil {
			t.Skip(refused)
		}
	}
}

func TestRealTimePriorityIsTheThreadsOwn(t *testing.T) {
	done := make(chan struct{})
	osthread.Go(func() {
		defer close(done)
		for _, want := range []int{1, 7} {
			if err := osthread.Boost(0, want); err != nil {
				return
			}
			if n := osthread.RealTimePriority(); n != want {
				t.Errorf("the priority %d, want %d", n, want)
			}
		}
		if err := osthread.Unboost(0); err != nil {
			t.Error(err)
		}
		if n := osthread.RealTimePriority(); n != 0 {
			t.Errorf("the priority %d afterwards", n)
		}
	})
	<-done
}

// The time of a thread that works goes on, and that of one that sleeps stands still.
func TestCPUTimeIsOneThreads(t *testing.T) {
	ids, end := make(chan int), make(chan struct{})
	osthread.Go(func() {
		ids <- osthread.ID()
		<-end // with it its thread sleeps
	})
	sleeper := <-ids
	defer close(end)
	of := func(id int) time.Duration {
		d, err := osthread.CPUTime(id)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for a := of(sleeper); ; a = of(sleeper) { // it may still be on its way
		time.Sleep(time.Millisecond)
		if of(sleeper) == a {
			break
		}
	}
	rested := of(sleeper)
	done := make(chan struct{})
	osthread.Go(func() {
		defer close(done)
		begun, id := of(0), osthread.ID()
		for of(0) < begun+5*time.Millisecond {
		}
		if d := of(id); d < begun+5*time.Millisecond {
			t.Errorf("a thread that has used %v has used %v", begun+5*time.Millisecond, d)
		}
	})
	<-done
	if d := of(sleeper) - rested; d > 2*time.Millisecond { // its M may have been called for a moment
		t.Errorf("a thread that slept has used %v", d)
	}
	if _, err := osthread.CPUTime(1 << 22); err == nil {
		t.Error("the time of a thread that there is not")
	}
}
