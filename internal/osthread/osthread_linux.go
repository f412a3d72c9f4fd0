package osthread

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// errRealTime is returned by Lower in a process of real-time priority. There a thread of Go's runtime that waits for a
// lowered thread calls sched_yield in a loop, and that call lets no thread of lower priority run.
var errRealTime = fmt.Errorf("%w for a process of real-time priority", ErrUnsupported)

// isRealTime reports whether a thread's policy goes before all ordinary ones.
func isRealTime(attr *unix.SchedAttr) bool {
	switch attr.Policy {
	case unix.SCHED_RR, unix.SCHED_FIFO, unix.SCHED_DEADLINE:
		return true
	}
	return false
}

// Lower gives the calling thread the lowest priority that the system grants, and says which. Lowering needs
// no privilege, but a sandbox may refuse SCHED_IDLE, or everything: then the error is not nil and nothing has
// changed.
func Lower() (Class, error) {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}
	if old, err := unix.SchedGetAttr(0, 0); err == nil {
		if isRealTime(old) {
			return Ordinary, errRealTime
		}
		attr.Flags = old.Flags & unix.SCHED_FLAG_RESET_ON_FORK // without privilege the flag can't be taken off
	}
	if err := unix.SchedSetAttr(0, &attr, 0); err == nil {
		return Lowest, nil
	}
	// On Linux, and against POSIX, a "process" of setpriority is a thread; 0 is the calling one.
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, 19); err != nil {
		return Ordinary, err
	}
	return Nice, nil
}

// Lowered reads back the calling thread's Class.
func Lowered() (Class, error) {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return Ordinary, err
	}
	switch {
	case attr.Policy == unix.SCHED_IDLE:
		return Lowest, nil
	case attr.Nice > 0:
		return Nice, nil
	}
	return Ordinary, nil
}

// CPUs returns the numbers of the processors that the calling thread may use, in ascending order.
func CPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	cpus := make([]int, 0, set.Count())
	for i := 0; len(cpus) < cap(cpus); i++ {
		if set.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	return cpus, nil
}

// Pin restricts the calling thread to the processors, one at least.
func Pin(cpus ...int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return unix.SchedSetaffinity(0, &set)
}

// Name names the calling thread in debuggers and in top. The system keeps the first 15 bytes.
func Name(name string) error {
	// Not prctl(PR_SET_NAME), which wants a pointer in a uintptr: this package uses no unsafe code.
	if len(name) > 15 {
		name = name[:15]
	}
	return os.WriteFile("/proc/thread-self/comm", []byte(name), 0)
}

// ID returns the calling thread's id, the name of its folder in /proc/self/task.
func ID() int { return unix.Gettid() }

// ReadUsage returns what the calling thread has used up since it began. It takes about half a microsecond.
func ReadUsage() (Usage, error) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &ru); err != nil {
		return Usage{}, err
	}
	return Usage{CPU: time.Duration(ru.Utime.Nano() + ru.Stime.Nano()), Waits: int64(ru.Nvcsw)}, nil
}

// first reports whether the calling thread is the process's first.
func first() bool { return unix.Gettid() == os.Getpid() }
