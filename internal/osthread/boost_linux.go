package osthread

import (
	"time"

	"golang.org/x/sys/unix"
)

// RealTimePriority returns the real-time priority of the calling thread, or 0 if it has none of the kinds that have
// one: SCHED_FIFO and SCHED_RR.
func RealTimePriority() int {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_FIFO && attr.Policy != unix.SCHED_RR {
		return 0
	}
	return int(attr.Priority)
}

// Boost gives a thread of this process, or the calling one if id is 0, the real-time priority prio, from 1 to 99, and
// returns what takes it back, which is for any thread to call. The system grants it as it grants RealTime.
func Boost(id, prio int) (undo func(), err error) {
	old, err := unix.SchedGetAttr(id, 0)
	if err != nil {
		return nil, err
	}
	back := &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: old.Policy, Nice: old.Nice, Priority: old.Priority,
		Flags: old.Flags & unix.SCHED_FLAG_RESET_ON_FORK,
	}
	boosted := &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: uint32(prio),
	}
	if err := unix.SchedSetAttr(id, boosted, 0); err != nil {
		return nil, err
	}
	return func() { putBack(id, back) }, nil
}

// CPUTime returns the processor time that a thread of this process has used, or the calling one if id is 0. It takes
// about half a microsecond.
func CPUTime(id int) (time.Duration, error) {
	// The clock of a thread is its number's complement, shifted, and which of its clocks: see clock_getcpuclockid(3),
	// and include/linux/posix-timers.h of the kernel.
	const ofThread, scheduled = 4, 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^id)<<3|ofThread|scheduled, &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
