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
	old, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return nil, err
	}
	if old.Policy != unix.SCHED_NORMAL {
		return nil, ErrUnsupported
	}
	asked := unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Nice: old.Nice,
		Runtime: uint64(shortest.Nanoseconds()),
	}
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
