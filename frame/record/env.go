package record

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/heaplook"
	"github.com/frameslice/frameslice/internal/quota"
	"github.com/frameslice/frameslice/internal/refresh"
)

// Environment is the machine and the settings of a run. It names no machine, user or path.
type Environment struct {
	GoVersion string `json:"go_version"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPU       string `json:"cpu,omitempty"`
	// With the race detector, figures mean little.
	Race bool `json:"race,omitempty"`

	NumCPU     int `json:"num_cpu"`
	GOMAXPROCS int `json:"gomaxprocs"`
	// CPUQuota is the control group's limit in CPUs; 0 is none or unknown.
	CPUQuota float64 `json:"cpu_quota"`
	// GOGC is -1 if off.
	GOGC int `json:"gogc"`
	// GOMEMLIMIT; 0 is none.
	MemoryLimit int64 `json:"gomemlimit_bytes"`

	// How frames were paced: "vsync", "timer", "syscall".
	WaitMode string `json:"wait_mode,omitempty"`
	// The smallest step of deadline.Now, and a call's cost.
	ClockResolution time.Duration `json:"clock_resolution_ns"`
	ClockCost       time.Duration `json:"clock_cost_ns"`
	// To record a frame.
	RecorderCost time.Duration `json:"recorder_cost_ns"`
}

// ReadEnvironment describes this process, in about 2 ms: call it before or after a run. waitMode goes into WaitMode.
// Any goroutine.
func ReadEnvironment(waitMode string) Environment {
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	e := Environment{
		GoVersion: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuModel(string(cpuinfo)),
		NumCPU: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		WaitMode: waitMode,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			e.Race = e.Race || s.Key == "-race" && s.Value == "true"
		}
	}
	e.CPUQuota, _ = quota.Read(os.DirFS("/"))
	e.GOGC, e.MemoryLimit = collectorSettings()
	e.ClockResolution, e.ClockCost = measureClock()
	e.RecorderCost = measureRecorder()
	return e
}

// collectorSettings reads GOGC and GOMEMLIMIT without setting them, as package debug would.
func collectorSettings() (gogc int, limit int64) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(s)
	gogc = -1
	if v := heaplook.Count(&s[0]); v <= math.MaxInt32 {
		gogc = int(v)
	}
	if v := heaplook.Count(&s[1]); v < math.MaxInt64 {
		limit = int64(v)
	}
	return gogc, limit
}

// measureClock reads the clock some thousand times. If a step is shorter than a call, the resolution is the time of a
// call. A clock that stands still, as in a testing/synctest bubble, has resolution 0.
func measureClock() (resolution, cost time.Duration) {
	const calls = 2000
	begin := deadline.Now()
	last, least := begin, time.Duration(math.MaxInt64)
	for range calls {
		now := deadline.Now()
		if step := now.Sub(last); step > 0 {
			least, last = min(least, step), now
		}
	}
	cost = last.Sub(begin) / calls
	if least == math.MaxInt64 {
		// A coarse clock: wait for one step, with a bound.
		for range 1_000_000 {
			if step := deadline.Now().Sub(last); step > 0 {
				return step, step / calls
			}
		}
		return 0, 0
	}
	return least, cost
}

// measureRecorder times Add on a recorder of its own. It takes the best of five batches, because a batch may lose its
// CPU.
func measureRecorder() time.Duration {
	const batch = 200
	r := New(Options{Records: 1024, WarmUp: -1})
	rec := Record{Flags: Sliced, Interval: refresh.Default, Updates: 1}
	best := time.Duration(math.MaxInt64)
	for range 5 {
		begin := deadline.Now()
		for i := range batch {
			rec.Number++
			rec.Start = rec.Start.Add(rec.Interval)
			rec.SliceBegin, rec.SliceDeadline = rec.Start, rec.Start.Add(4*time.Millisecond)
			rec.SliceEnd = rec.SliceDeadline.Add(time.Duration(i) * time.Microsecond)
			r.Add(rec)
		}
		best = min(best, deadline.Now().Sub(begin)/batch)
	}
	return best
}

// cpuModel returns the name of the first processor in the text of /proc/cpuinfo, "" if there is none.
func cpuModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
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

// String returns three lines.
func (e Environment) String() string {
	machine := []string{e.GoVersion + " " + e.OS + "/" + e.Arch}
	if e.Race {
		machine[0] += " (race detector on)"
	}
	if e.CPU != "" {
		machine = append(machine, e.CPU)
	}
	quota, gogc, limit := "none", "off", "none"
	if e.CPUQuota != 0 {
		quota = fmt.Sprintf("%.3g CPUs", e.CPUQuota)
	}
	if e.GOGC >= 0 {
		gogc = fmt.Sprint(e.GOGC)
	}
	if e.MemoryLimit != 0 {
		limit = fmt.Sprintf("%.4g MiB", float64(e.MemoryLimit)/(1<<20))
	}
	procs := fmt.Sprintf("GOMAXPROCS %d of %d CPUs, quota %s, GOGC %s, GOMEMLIMIT %s",
		e.GOMAXPROCS, e.NumCPU, quota, gogc, limit)
	if e.WaitMode != "" {
		procs += ", wait " + e.WaitMode
	}
	return fmt.Sprintf("%s\n%s\nclock resolution %v, %v a call; recorder %v a frame\n",
		strings.Join(machine, ", "), procs, e.ClockResolution, e.ClockCost, e.RecorderCost)
}
