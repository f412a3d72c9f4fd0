package load

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// MachineTime is the processor time that everyone on this machine has used, ourselves included, and what a
// hypervisor has taken away; 0 if that cannot be read. Its grain is 10 ms.
func MachineTime() time.Duration {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return parseStat(b)
}

// parseStat reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq and steal, in
// ticks of 10 ms (the kernel converts to that unit whatever its own clock is).
func parseStat(b []byte) time.Duration {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	f := bytes.Fields(line)
	if len(f) < 9 || string(f[0]) != "cpu" {
		return 0
	}
	var sum uint64
	for i, v := range f[1:9] {
		n, err := strconv.ParseUint(string(v), 10, 64)
		if err != nil {
			return 0
		}
		if i != 3 && i != 4 { // idle, and idle while a disk is busy
			sum += n
		}
	}
	return time.Duration(sum) * 10 * time.Millisecond
}
