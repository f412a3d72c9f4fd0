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
	old, err := ordinary()
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

// RealTime gives the calling thread the least of the system's real-time priorities, and returns what takes it back: it
// then runs at once when it wakes up, before every thread of ordinary priority, until it sleeps. The system grants that
// to a process with CAP_SYS_NICE, or within its limit RLIMIT_RTPRIO. Threads that are cloned from this one are born
// ordinary: that flag may stay behind, as taking it off needs the privilege, and not only the limit.
func RealTime() (undo func(), err error) {
	if attr, err := unix.SchedGetAttr(0, 0); err == nil && isRealTime(attr) {
		return func() {}, nil // the whole process was started so, for example by chrt
	}
	old, err := ordinary()
	if err != nil {
		return nil, err
	}
	asked := unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
	}
	if err := unix.SchedSetAttr(0, &asked, 0); err != nil {
		return nil, err
	}
	return func() {
		if nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
			old.Nice = int32(20 - nice) // somebody may have raised it meanwhile, and only the privileged lower it
		}
		if unix.SchedSetAttr(0, old, 0) != nil {
			old.Flags |= unix.SCHED_FLAG_RESET_ON_FORK
			_ = unix.SchedSetAttr(0, old, 0)
		}
	}, nil
}

func isRealTime(attr *unix.SchedAttr) bool {
	return attr.Policy == unix.SCHED_RR || attr.Policy == unix.SCHED_FIFO
}

// ordinary returns what sets the calling thread to what it is now, but for its time slice, or an error if its policy is
// not the ordinary one: then somebody has chosen that, and it stays.
func ordinary() (*unix.SchedAttr, error) {
	attr, err := unix.SchedGetAttr(0, 0)
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
