package osthread_test

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/internal/osthread"
)

func TestShortSliceIsSetAndUndone(t *testing.T) {
	var refused error
	onOwnThread(t, func() {
		before, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			t.Error(err)
			return
		}
		undo, err := osthread.ShortSlice()
		if err != nil {
			refused = err
			return
		}
		if during, _ := unix.SchedGetAttr(0, 0); during.Runtime != 100_000 || during.Nice != before.Nice {
			t.Errorf("a slice of %d ns at nice %d", during.Runtime, during.Nice)
		}
		if again, err := osthread.ShortSlice(); err != nil {
			t.Errorf("of a thread that has it: %v", err)
		} else {
			again() // nothing
		}
		if now, _ := unix.SchedGetAttr(0, 0); now.Runtime != 100_000 {
			t.Errorf("what was not given was taken back: %+v", now)
		}
		undo()
		if after, _ := unix.SchedGetAttr(0, 0); after.Policy != before.Policy || after.Nice != before.Nice ||
			after.Runtime == 100_000 {
			t.Errorf("not undone: %+v, was %+v", after, before)
		}
	})
	if refused != nil {
		t.Skipf("no such thing before Linux 6.12, nor in some sandboxes: %v", refused)
	}
}

// Who has lost the privilege meanwhile, or had the limit only, gets back to where he was, but for the flag.
func TestRealTimeIsSetAndUndone(t *testing.T) {
	for _, loses := range []bool{false, true} {
		var refused error
		onOwnThread(t, func() {
			before, err := unix.SchedGetAttr(0, 0)
			if err != nil {
				refused = err
				return
			}
			undo, err := realTime(t)
			if err != nil {
				refused = err
				return
			}
			during, _ := unix.SchedGetAttr(0, 0)
			if during.Policy == unix.SCHED_DEADLINE {
				yields(t)
			} else if during.Policy != unix.SCHED_RR || during.Priority != 1 {
				t.Errorf("set to %+v", during)
			}
			if during.Flags&unix.SCHED_FLAG_RESET_ON_FORK == 0 {
				t.Errorf("clones inherit %+v", during)
			}
			if again, err := osthread.RealTime(); err != nil {
				t.Errorf("of a thread that has it: %v", err)
			} else {
				again() // nothing
			}
			if now, _ := unix.SchedGetAttr(0, 0); *now != *during {
				t.Errorf("what was not given was taken back: %+v, was %+v", now, during)
			}
			if loses {
				if err := unix.Setpriority(unix.PRIO_PROCESS, 0, 5); err != nil { // as somebody else might
					t.Error(err)
				}
				drop(t, unix.CAP_SYS_NICE)
			}
			undo()
			after, _ := unix.SchedGetAttr(0, 0)
			nice := before.Nice
			if loses {
				nice = 5
			}
			if after.Policy != before.Policy || after.Nice != nice || after.Priority != 0 ||
				!loses && after.Flags != before.Flags {
				t.Errorf("privilege lost %v: not undone: %+v, was %+v", loses, after, before)
			}
			if class, err := osthread.Lower(); err != nil || class != osthread.Batch {
				t.Errorf("privilege lost %v: lowered after it: %v, %v", loses, class, err)
			}
		})
		if refused != nil {
			t.Skipf("it wants CAP_SYS_NICE: %v", refused)
		}
	}
}

// realTime is osthread.RealTime, and tests that what it gives has a deadline where the system grants that.
func realTime(t *testing.T) (undo func(), err error) {
	for range 20 {
		if undo, err = osthread.RealTime(); err != nil {
			return nil, err
		}
		if now, _ := unix.SchedGetAttr(0, 0); now.Policy == unix.SCHED_DEADLINE {
			return undo, nil
		}
		if unix.SchedSetAttr(0, &unix.SchedAttr{
			Size: unix.SizeofSchedAttr, Policy: unix.SCHED_DEADLINE, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
			Runtime: 990_000, Deadline: 1_000_000, Period: 1_000_000,
		}, 0) != nil {
			return undo, nil // refused to everybody
		}
		undo()
		time.Sleep(2 * time.Millisecond) // another thread's share is given back when its period is over
	}
	t.Error("no deadline, where it is granted")
	return osthread.RealTime()
}

// yields tests that the calling thread leaves its processor when it yields, though nobody of its kind waits there.
func yields(t *testing.T) {
	switches := func() int64 {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
			t.Error(err)
		}
		return int64(u.Nvcsw) + int64(u.Nivcsw)
	}
	before := switches()
	for range 40 {
		_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	if n := switches() - before; n < 20 {
		t.Errorf("it left its processor %d times in 40 yields", n)
	}
}

// A thread that may not use all processors is mostly refused a deadline, and gets the other policy.
func TestRealTimeOnOneProcessor(t *testing.T) {
	var refused error
	onOwnThread(t, func() {
		var all, one unix.CPUSet
		if err := unix.SchedGetaffinity(0, &all); err != nil {
			refused = err
			return
		}
		for cpu := 0; one.Count() == 0; cpu++ {
			if all.IsSet(cpu) {
				one.Set(cpu)
			}
		}
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			refused = err
			return
		}
		before, err := unix.SchedGetAttr(0, 0)
		if err != nil {
			refused = err
			return
		}
		undo, err := osthread.RealTime()
		if err != nil {
			refused = err
			return
		}
		during, _ := unix.SchedGetAttr(0, 0)
		kept, _ := os.ReadFile("/proc/sys/kernel/sched_rt_runtime_us")
		switch {
		case before.Policy != unix.SCHED_NORMAL: // as the process was started
		case during.Policy == unix.SCHED_RR:
		case during.Policy == unix.SCHED_DEADLINE && string(kept) == "-1\n": // a system that keeps nothing back
		default:
			t.Errorf("set to %+v", during)
		}
		undo()
		if after, _ := unix.SchedGetAttr(0, 0); after.Policy != before.Policy || after.Priority != before.Priority {
			t.Errorf("not undone: %+v, was %+v", after, before)
		}
	})
	if refused != nil {
		t.Skipf("it wants CAP_SYS_NICE: %v", refused)
	}
}

// drop takes a capability from the calling thread.
func drop(t *testing.T, capability int) {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	if err := unix.Capget(&head, &caps[0]); err != nil {
		t.Error(err)
	}
	caps[capability/32].Effective &^= 1 << (capability % 32)
	if err := unix.Capset(&head, &caps[0]); err != nil {
		t.Error(err)
	}
}
