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

func TestCPUModel(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "processor : 0\nBogoMIPS : 50\n": "",
		"processor\t: 0\nmodel name\t: Some   CPU @ 3 GHz\nmodel name : second\n": "Some CPU @ 3 GHz",
	} {
		if got := cpuModel(text); got != want {
			t.Errorf("from %q: got %q, want %q", text, got, want)
		}
	}
}

// That there is no quota and no limit is a fact about a run, too, and not to be guessed from what is missing.
func TestEnvironmentSaysThatThereIsNoLimit(t *testing.T) {
	b, err := json.Marshal(Environment{})
	for _, key := range []string{`"cpu_quota":0`, `"gomemlimit_bytes":0`, `"gomaxprocs":`, `"recorder_cost_ns":`} {
		if err != nil || !strings.Contains(string(b), key) {
			t.Errorf("%s lacks %s: %v", b, key, err)
		}
	}
}
