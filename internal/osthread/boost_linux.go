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

// Boost gives a thread of this process, or the calling one if id is 0, the real-time priority prio, from 1 to 99. The
// system grants it to who has CAP_SYS_NICE; with an rtprio limit only, it does not for a thread of SCHED_IDLE. It
// allocates nothing.
func Boost(id, prio int) error {
	return unix.SchedSetAttr(id, &unix.SchedAttr{
		Policy: unix.SCHED_RR, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: uint32(prio),
	}, 0)
}

// Unboost gives a thread of this process, or the calling one if id is 0, the lowest priority: SCHED_IDLE. Threads that
// it has the system clone are ordinary ones from now on. It allocates nothing.
func Unboost(id int) error {
	return unix.SchedSetAttr(id, &unix.SchedAttr{
		Policy: unix.SCHED_IDLE, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
	}, 0)
}

// Oversee puts the calling thread before those of the real-time priority prio, for good. The policy is SCHED_DEADLINE,
// a tenth of a processor in turns of 1 ms, for what it makes of sched_yield (see RealTime); where that is refused, the
// next higher priority.
func Oversee(prio int) error {
	const period = time.Millisecond
	deadline := unix.SchedAttr{
		Policy: unix.SCHED_DEADLINE, Flags: unix.SCHED_FLAG_RESET_ON_FORK,
		Runtime: uint64(period / 10), Deadline: uint64(period), Period: uint64(period),
	}
	if unix.SchedSetAttr(0, &deadline, 0) == nil {
		return nil
	}
	return Boost(0, prio+1)
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
