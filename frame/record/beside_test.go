package record

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// What the runtime counts is in the report, from New or a Reset on.
func TestReportHasTheRuntimesFigures(t *testing.T) {
	rec := New(Options{WarmUp: 2})
	for range 3 {
		rec.Add(Record{})
	}
	const cycles = 3
	for range cycles {
		runtime.GC()
	}
	done := make(chan bool)
	for range 1000 { // the runtime looks at one change of state in eight
		go func() { done <- true }()
		<-done
	}
	s := rec.Snapshot()
	rep := NewReport("runtime", s, Environment{})
	g := rep.Runtime
	if g.GCPause.N < 2*cycles || g.AllocObjects == 0 || g.AllocBytes == 0 || g.Total <= 0 || g.GC > g.Total {
		t.Errorf("%+v", g)
	}
	for name, d := range map[string]Distribution{"latency": g.SchedLatency, "pause": g.GCPause} {
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
	if got := readBack(t, rep).Runtime; *got != *g {
		t.Errorf("read back %+v, want %+v", got, g)
	}
	s.beside.plus(&s.beside)
	if s := s.beside.Runtime.report(); s.GCPause.N != 2*g.GCPause.N ||
		s.GCPause.Max != g.GCPause.Max || s.AllocBytes != 2*g.AllocBytes ||
		s.SchedLatency.N != 2*g.SchedLatency.N {
		t.Errorf("twice %+v is %+v", g, s)
	}
	s.beside.minus(&s.beside)
	if r := s.beside.Runtime.report(); *r != (RuntimeReport{}) {
		t.Errorf("a reading less itself is %+v", r)
	}
	if r := new(runtimeStats).report(); *r != (RuntimeReport{}) {
		t.Errorf("the zero value is %+v", r)
	}
	rec.Reset()
	if r := NewReport("", rec.Snapshot(), Environment{}).Runtime; r.GCPause.N >= 2*cycles {
		t.Errorf("%d pauses after Reset", r.GCPause.N)
	}
}
