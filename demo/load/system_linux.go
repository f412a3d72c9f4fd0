package load

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/frameslice/frameslice/deadline"
)

// newWaiter returns a function that does not return before an instant.
//
// The system call is entered like any other. While it blocks, the Go scheduler may take this thread's P, and on its
// return the goroutine needs one. A program that waits in a driver's buffer swap is in the same situation.
func newWaiter() func(deadline.Instant) {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return timerWait
	}
	shift := ts.Nano() - int64(deadline.Now()) // both count the same clock
	return func(t deadline.Instant) {
		at := unix.NsecToTimespec(int64(t) + shift)
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &at, nil) == unix.EINTR {
		}
	}
}

// waitName is how newWaiter's function waits, in a report.
const waitName = "syscall"

// readMachine reads the processor time of the machine; 0 if it cannot be read.
func readMachine() time.Duration {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return parseStat(b)
}

// parseStat reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq and steal. They are in
// ticks of 10 ms, because the kernel converts to that unit whatever its own clock is.
func parseStat(b []byte) (used time.Duration) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	f := bytes.Fields(line)
	if len(f) < 9 || string(f[0]) != "cpu" {
		return 0
	}
	for i, v := range f[1:9] {
		n, err := strconv.ParseUint(string(v), 10, 64)
		if err != nil {
			return 0
		}
		if i != 3 && i != 4 { // idle, and idle while a disk is busy
			used += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return used
}
