package load

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// ReadMachine reads it; 0 if that cannot be read.
func ReadMachine() MachineTime {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return MachineTime{}
	}
	return parseStat(b)
}

// parseStat reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq and steal, in
// ticks of 10 ms (the kernel converts to that unit whatever its own clock is).
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
