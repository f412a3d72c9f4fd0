package record

import (
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

func TestEnvironmentIsThisProcess(t *testing.T) {
	e := ReadEnvironment("timer")
	if e.GoVersion != runtime.Version() || e.OS != runtime.GOOS || e.Arch != runtime.GOARCH ||
		e.WaitMode != "timer" || e.GOMAXPROCS != runtime.GOMAXPROCS(0) || e.NumCPU != runtime.NumCPU() {
		t.Errorf("got %+v", e)
	}
	if e.ClockResolution <= 0 || e.ClockResolution > time.Second || e.RecorderCost < 0 || e.CPUQuota < 0 {
		t.Errorf("got clock %v, recorder %v, quota %v", e.ClockResolution, e.RecorderCost, e.CPUQuota)
	}
	text := e.String()
	for _, part := range []string{runtime.Version(), "GOMAXPROCS", "quota", "GOGC", "GOMEMLIMIT", "wait timer"} {
		if !strings.Contains(text, part) {
			t.Errorf("got %q, want it to tell %s", text, part)
		}
	}
	if strings.Count(text, "\n") != 3 {
		t.Errorf("got %q, want three lines", text)
	}
}

func TestEnvironmentReadsTheCollectorsSettings(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(173))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(3 << 30))
	if e := ReadEnvironment(""); e.GOGC != 173 || e.MemoryLimit != 3<<30 {
		t.Errorf("got GOGC %d, limit %d; want 173, 3 GiB", e.GOGC, e.MemoryLimit)
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(math.MaxInt64)
	e := ReadEnvironment("")
	if e.GOGC != -1 || e.MemoryLimit != 0 || !strings.Contains(e.String(), "GOGC off, GOMEMLIMIT none") {
		t.Errorf("got %v, want both off", e)
	}
}

func TestCPUQuota(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"nothing to read": {nil, 0},
		"version 2": {map[string]string{
			"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "150000 100000\n",
		}, 1.5},
		"version 2, the parent is tighter": {map[string]string{
			"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
			"/sys/fs/cgroup/a/cpu.max": "50000 100000\n", "/sys/fs/cgroup/cpu.max": "200000 100000",
		}, 0.5},
		"version 2, its own root": {map[string]string{
			"/proc/self/cgroup": "0::/../../x\n", "/sys/fs/cgroup/cpu.max": "400000 100000\n",
		}, 4},
		"version 1": {map[string]string{
			"/proc/self/cgroup":                            "3:memory:/m\n2:cpu,cpuacct:/d\n1:cpuset:/s\n",
			"/sys/fs/cgroup/cpu/d/cpu.cfs_quota_us":        "250000\n",
			"/sys/fs/cgroup/cpu/d/cpu.cfs_period_us":       "100000\n",
			"/sys/fs/cgroup/cpu/cpu.cfs_quota_us":          "-1\n",
			"/sys/fs/cgroup/cpu/cpu.cfs_period_us":         "100000\n",
			"/sys/fs/cgroup/cpu/s/cpu.cfs_quota_us":        "1\n",
			"/sys/fs/cgroup/cpu/unrelated/cpu.cfs_quota_u": "1\n",
		}, 2.5},
		"nonsense": {map[string]string{
			"/proc/self/cgroup": "0::/\nx\n::\n", "/sys/fs/cgroup/cpu.max": "NaN 0\n",
		}, 0},
	} {
		read := func(f string) string { return c.files[f] }
		if got := cpuQuota(read); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestCPUModel(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"processor\t: 0\nmodel name\t: Some   CPU @ 3 GHz\nmodel name : second\n": "Some CPU @ 3 GHz",
		"processor : 0\nBogoMIPS : 50\n":                                          "",
	} {
		if got := cpuModel(func(string) string { return text }); got != want {
			t.Errorf("from %q: got %q, want %q", text, got, want)
		}
	}
}

func TestEnvironmentRoundTrip(t *testing.T) {
	e := ReadEnvironment("vsync")
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Environment
	if err := json.Unmarshal(b, &back); err != nil || back != e {
		t.Errorf("got %+v, %v; want %+v", back, err, e)
	}
}

// That there is no quota and no limit is a fact about a run, too, and not to be guessed from what is missing.
func TestEnvironmentSaysThatThereIsNoLimit(t *testing.T) {
	b, err := json.Marshal(Environment{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"cpu_quota":0`, `"gomemlimit_bytes":0`, `"gomaxprocs":`, `"recorder_cost_ns":`} {
		if !strings.Contains(string(b), key) {
			t.Errorf("%s lacks %s", b, key)
		}
	}
}
