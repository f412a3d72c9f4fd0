package frame_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/frame"
)

// What the runtime counts is in the report, as the difference of two readings.
func TestReportHasTheRuntimesFigures(t *testing.T) {
	rep := frame.NewReport("runtime", recorded(frame.Intervals{r, r, r}, 10), frame.Environment{})
	if rep.Runtime != nil || strings.Contains(rep.String(), "Go's runtime") {
		t.Fatal("there are figures that nobody added")
	}
	before := frame.ReadRuntime()
	const cycles = 3
	for range cycles {
		runtime.GC()
	}
	done := make(chan bool)
	for range 1000 { // the runtime looks at one change of state in eight
		go func() { done <- true }()
		<-done
	}
	once := frame.ReadRuntime().Since(before)
	rep.AddRuntime(once)
	g := rep.Runtime
	if g.GCCycles < cycles || g.GCPause.N < 2*cycles || g.AllocObjects == 0 || g.AllocBytes == 0 || g.Total <= 0 ||
		g.User > g.Total || g.Assist > g.GC {
		t.Errorf("%+v", g)
	}
	for name, d := range map[string]frame.Distribution{"latency": g.SchedLatency, "pause": g.GCPause} {
		if d.N == 0 || d.P50 > d.P90 || d.P90 > d.P99 || d.P99 > d.P999 || d.P999 > d.Max || d.Mean > d.Max ||
			d.Max <= 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	for _, row := range []string{"goroutines waited to run", "pauses by the coll", "processor time", "allocations"} {
		if !strings.Contains(rep.String(), row) {
			t.Errorf("no %q in\n%s", row, rep)
		}
	}
	if all := fmt.Sprintf(" %.1f a frame,", float64(g.AllocObjects)/3); !strings.Contains(rep.String(), all) {
		t.Errorf("no %q in\n%s", all, rep) // two of the three frames are warm-up
	}
	if got := readBack(t, rep); *got.Runtime != *g {
		t.Errorf("read back %+v, want %+v", got.Runtime, g)
	}
	var sum frame.RuntimeStats // of two turns
	sum = sum.Plus(once).Plus(once)
	two := frame.NewReport("two", recorded(nil, 10), frame.Environment{})
	two.AddRuntime(sum)
	if s := two.Runtime; s.GCCycles != 2*g.GCCycles || s.GCPause.N != 2*g.GCPause.N || s.GCPause.Max != g.GCPause.Max ||
		s.AllocBytes != 2*g.AllocBytes || s.User != 2*g.User || s.SchedLatency.N != 2*g.SchedLatency.N {
		t.Errorf("twice %+v is %+v", g, s)
	}
	again := once.Since(once)
	two.AddRuntime(again)
	if *two.Runtime != (frame.RuntimeReport{}) {
		t.Errorf("a reading less itself is %+v", two.Runtime)
	}
}

func TestTheZeroRuntimeStatsAreNothing(t *testing.T) {
	rep := frame.NewReport("none", recorded(nil, 10), frame.Environment{})
	rep.AddRuntime(frame.RuntimeStats{})
	if *rep.Runtime != (frame.RuntimeReport{}) {
		t.Errorf("%+v", rep.Runtime)
	}
	_ = rep.String()
}
