package osthread

import (
	"time"

	"golang.org/x/sys/unix"
)

// ShortSlice asks the system to run the calling thread soon after it wakes up, at the price of shorter turns, and
// returns what undoes that. It needs no privilege and takes nothing from other threads but their place: since
// Linux 6.12 a thread may ask for a time slice of its own (sched_attr.sched_runtime), and one that wakes up with
// a shorter slice than the running thread's need not wait for the end of that thread's slice, up to 4 ms at 250
// ticks a second. Unlike the other functions here it can be undone, so the caller need not stay locked for ever.
//
// Older kernels take the call and do nothing; then, as where it is refused, the error is not nil.
func ShortSlice() (undo func(), err error) {
	old, err := ordinary(0)
	if err != nil {
		return nil, err
	}
	if now, err := unix.SchedGetAttr(0, 0); err == nil && now.Runtime == uint64(shortest.Nanoseconds()) {
		return func() {}, nil // whoever asked for it gives it back
	}
	asked := *old
	asked.Runtime = uint64(shortest.Nanoseconds())
	if err := unix.SchedSetAttr(0, &asked, 0); err != nil {
		return nil, err
	}
	if now, err := unix.SchedGetAttr(0, 0); err != nil || now.Runtime != asked.Runtime {
		return nil, ErrUnsupported
	}
	asked.Runtime = 0 // the system's own choice
	return func() { _ = unix.SchedSetAttr(0, &asked, 0) }, nil
}

// shortest is the least slice that the kernel grants.
const shortest = 100 * time.Microsecond

// RealTime gives the calling thread a real-time policy, and returns what takes it back: it then runs at once when it
// wakes up, before every thread of ordinary priority, until it sleeps. The system grants that to a process with
// CAP_SYS_NICE (in the initial user namespace), or an rtprio limit (RLIMIT_RTPRIO). Threads that are cloned from this
// one are born ordinary: that flag may stay behind, as taking it off needs the privilege, and not only the limit.
//
// With the privilege the policy is SCHED_DEADLINE with nearly a whole processor, for what it makes of sched_yield: the
// thread sleeps until its next period begins, 0.25 ms at most. The Go runtime yields where it waits for another thread
// in a loop, for example for one that scans this goroutine's stack, and that may be one that this thread has displaced.
// Under SCHED_RR and SCHED_FIFO nobody of ordinary priority runs for a yield, so it spins until the kernel has moved
// the other elsewhere, for 100 ms and more. The price: the runtime yields once, too, where it finds one of its own
// locks taken; the thread goes before those of SCHED_FIFO and SCHED_RR; and what is left of the processor, a hundredth,
// is taken from who runs on and on, in pauses of a millisecond.
//
// Else it is the least priority of SCHED_RR: with a limit only, where the process may not use all processors (taskset),
// and where the share that the system gives out, mostly 95 % of all processors, does not suffice: on one processor, and
// for a second thread on two.
func RealTime() (undo func(), err error) {
	if attr, err := unix.SchedGetAttr(0, 0); err == nil && isRealTime(attr) {
		return func() {}, nil // the whole process was started so, for example by chrt
	}
	old, err := ordinary(0)
	if err != nil {
		return nil, err
	}
	deadline := unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_DEADLINE, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
		Runtime: uint64(turn - turn/100), Deadline: uint64(turn), Period: uint64(turn),
	}
	if unix.SchedSetAttr(0, &deadline, 0) != nil {
		roundRobin := unix.SchedAttr{
			Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: 1,
		}
		if err := unix.SchedSetAttr(0, &roundRobin, 0); err != nil {
			return nil, err
		}
	}
	return func() { putBack(0, old) }, nil
}

// IsRealTime reports whether the calling thread has a real-time policy.
func IsRealTime() bool {
	attr, err := unix.SchedGetAttr(0, 0)
	return err == nil && isRealTime(attr)
}

// putBack gives a thread the ordinary policy that it had.
func putBack(tid int, old *unix.SchedAttr) {
	if nice, err := unix.Getpriority(unix.PRIO_PROCESS, tid); err == nil {
		old.Nice = int32(20 - nice) // somebody may have raised it meanwhile, and only the privileged lower it
	}
	if unix.SchedSetAttr(tid, old, 0) != nil {
		old.Flags |= unix.SCHED_FLAG_RESET_ON_FORK
		_ = unix.SchedSetAttr(tid, old, 0)
	}
}

// turn is the period of a real-time thread, and so for how long a yield takes it off its processor at most. Beside jobs
// that allocate, the 99.9th percentile of lateness was 0.31 to 0.42 ms in four runs of 20 s, 0.34 to 2.1 with 0.1 ms
// and 0.53 to 16 with 0.5 ms in turns with them, and 0.94 to 2.4 under SCHED_RR.
const turn = 250 * time.Microsecond

func isRealTime(attr *unix.SchedAttr) bool {
	switch attr.Policy {
	case unix.SCHED_RR, unix.SCHED_FIFO, unix.SCHED_DEADLINE:
		return true
	}
	return false
}

// ordinary returns what sets a thread (0 is the calling one) to what it is now, but for its time slice, or an error if
// its policy is not the ordinary one: then somebody has chosen that, and it stays.
func ordinary(tid int) (*unix.SchedAttr, error) {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return nil, err
	}
	if attr.Policy != unix.SCHED_NORMAL {
		return nil, ErrUnsupported
	}
	// What else the system tells (utilization clamps) is not for setting.
	return &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: attr.Policy, Nice: attr.Nice,
		Flags: attr.Flags & unix.SCHED_FLAG_RESET_ON_FORK,
	}, nil
}
