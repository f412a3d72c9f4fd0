package osthread

import (
	"time"

	"golang.org/x/sys/unix"
)

// ShortSlice asks the system to run the calling thread soon after it wakes up, at the price of shorter turns. It needs
// no privilege and takes nothing from other threads but their place.
//
// Since Linux 6.12 a thread may ask for a time slice of its own (sched_attr.sched_runtime). A thread that wakes up with
// a shorter slice than the running thread's need not wait for the end of that slice. That wait is up to 4 ms at 250
// ticks a second.
//
// Older kernels take the call and do nothing. Then, and where the call is refused, the error is not nil.
func ShortSlice() error {
	old, err := ordinary(0)
	if err != nil {
		return err
	}
	asked := *old
	asked.Runtime = uint64(shortest.Nanoseconds())
	if err := unix.SchedSetAttr(0, &asked, 0); err != nil {
		return err
	}
	if now, err := unix.SchedGetAttr(0, 0); err != nil || now.Runtime != asked.Runtime {
		return ErrUnsupported
	}
	return nil
}

// shortest is the least slice that the kernel grants.
const shortest = 100 * time.Microsecond

// ordinary returns attributes that set a thread (0 is the calling one) to its present state, except for its time slice.
// It returns an error if the policy is not the ordinary one: then somebody has chosen the policy, and it stays.
func ordinary(tid int) (*unix.SchedAttr, error) {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return nil, err
	}
	if attr.Policy != unix.SCHED_NORMAL {
		return nil, ErrUnsupported
	}
	// Other values that the system tells (utilization clamps) are not for setting.
	return &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: attr.Policy, Nice: attr.Nice,
		Flags: attr.Flags & unix.SCHED_FLAG_RESET_ON_FORK,
	}, nil
}
