package record

import (
	"io"
	"os"
	"path"
	"strconv"
	"strings"
)

// readSmall returns the first 64 KiB of a file, "" if it cannot be read: on most systems none of the files
// below exists.
func readSmall(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 64<<10)) // what was read up to an error is still of use
	return string(b)
}

// cpuModel returns the name of the first processor in /proc/cpuinfo. Linux only; on some architectures it
// has none.
func cpuModel(read func(string) string) string {
	for line := range strings.Lines(read("/proc/cpuinfo")) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		switch strings.TrimSpace(key) {
		case "model name", "cpu model", "Processor":
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}

// cpuQuota returns how many CPUs the control groups of this process allow, the least along the path to the
// root; 0 for no limit. It understands cpu.max of version 2 and cpu.cfs_quota_us of version 1.
func cpuQuota(read func(string) string) float64 {
	quota := 0.0
	least := func(q float64) {
		if q > 0 && (quota == 0 || q < quota) {
			quota = q
		}
	}
	for line := range strings.Lines(read("/proc/self/cgroup")) {
		// hierarchy:controllers:path, with hierarchy 0 and no controllers for version 2.
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		v2 := f[0] == "0" && f[1] == ""
		if !v2 && !hasController(f[1], "cpu") {
			continue
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			if v2 {
				least(parseCPUMax(read(path.Join("/sys/fs/cgroup", dir, "cpu.max"))))
			} else {
				base := path.Join("/sys/fs/cgroup/cpu", dir)
				least(ratio(read(base+"/cpu.cfs_quota_us"), read(base+"/cpu.cfs_period_us")))
			}
			if dir == "/" {
				break
			}
		}
	}
	return quota
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}

// parseCPUMax reads "quota period", or "max period" for no limit.
func parseCPUMax(s string) float64 {
	f := strings.Fields(s)
	if len(f) != 2 {
		return 0
	}
	return ratio(f[0], f[1])
}

// ratio returns a/b, and 0 unless both are positive numbers.
func ratio(a, b string) float64 {
	x, err1 := strconv.ParseFloat(strings.TrimSpace(a), 64)
	y, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
	if err1 != nil || err2 != nil || !(x > 0) || !(y > 0) {
		return 0
	}
	return x / y
}
