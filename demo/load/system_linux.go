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
func newWaiter(w Wait) func(deadline.Instant) {
	var ts unix.Timespec
	if w == WaitTimer || unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return timerWait
	}
	shift := ts.Nano() - int64(deadline.Now()) // both count the same clock
	return func(t deadline.Instant) {
		at := unix.NsecToTimespec(int64(t) + shift)
		for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &at, nil) == unix.EINTR {
		}
	}
}

// waitName is how w really waits here.
func waitName(w Wait) string { return string(w) }

// readMachine reads the processor time of the machine; 0 if it cannot be read.
func readMachine() MachineTime {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return MachineTime{}
	}
	return parseStat(b)
}

// parseStat reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq and steal. They are in
// ticks of 10 ms, because the kernel converts to that unit whatever its own clock is.
func parseStat(b []byte) (t MachineTime) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	f := bytes.Fields(line)
	if len(f) < 9 || string(f[0]) != "cpu" {
		return t
	}
	for i, v := range f[1:9] {
		n, err := strconv.ParseUint(string(v), 10, 64)
		if err != nil {
			return MachineTime{}
		}
		ticks := time.Duration(n) * 10 * time.Millisecond
		if i != 3 && i != 4 { // idle, and idle while a disk is busy
			t.Used += ticks
		}
		if i == 7 {
			t.Stolen = ticks
		}
	}
	return t
}
