package record

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/workers"
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
		if !strings.Contains(rep.Text(), row) {
			t.Errorf("no %q in\n%s", row, rep)
		}
	}
	if all := fmt.Sprintf(" %.1f a frame,", float64(g.AllocObjects)/3); !strings.Contains(rep.Text(), all) {
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

// The pool's figures are in the report, divided by all frames: the jobs of the warm-up are counted, too.
func TestReportHasThePoolsFigures(t *testing.T) {
	rec := New(Options{WarmUp: 2})
	for range 4 {
		rec.Add(Record{Interval: 10 * time.Millisecond})
	}
	s := rec.Snapshot()
	if rep := NewReport("none", s, Environment{}); rep.Pool != nil || strings.Contains(rep.Text(), "pool:") {
		t.Fatal("there are figures of no pool")
	}
	before := PoolReport{Run: 10, Stolen: 1, RanByCaller: 2, IOEnded: 5, Parked: 3, Woken: 4}
	after := PoolReport{Workers: 3, Background: 2, Run: 2010, Stolen: 5, RanByCaller: 4, IOEnded: 9,
		Parked: 13, Woken: 12}
	s.beside = beside{Pool: after}
	s.beside.minus(&beside{Pool: before})
	rep := NewReport("pool", s, Environment{})
	const want = `
  pool (workers: 3, background: 2)            total  per frame
  jobs run by workers                         2,000    500.000
  of them stolen                                  4      1.000
  jobs run by callers                             2      0.500
  IO functions ended                              4      1.000
  parks                                          10      2.500
  wakes                                           8      2.000
`
	if got := rep.Text(); !strings.Contains(got, want) {
		t.Errorf("text:%swant:%s", got, want)
	}
	if got := readBack(t, rep).Pool; *got != *rep.Pool {
		t.Errorf("read back %+v, want %+v", got, rep.Pool)
	}
	last := beside{Pool: PoolReport{Run: 4000}} // a pool that has closed has no workers
	last.minus(&beside{Pool: after})
	if p := last.Pool; p.Run != 1990 || p.Workers != 3 || p.Background != 2 {
		t.Errorf("a pool that has closed: %+v", p)
	}
}

// A Recorder counts the jobs of the pool that it watches, from then or from a Reset on; Merge adds them.
func TestRecorderWatchesAPool(t *testing.T) {
	pool := workers.New(workers.Options{Workers: -1}) // Close runs the jobs
	run := func() {
		j := &workers.Job{Func: func(*workers.Worker) {}}
		pool.Submit(j)
		_ = j.Wait(context.Background())
	}
	rec := New(Options{})
	run()
	rec.Watch(pool)
	run()
	run()
	two := rec.Snapshot()
	rec.Reset()
	run()
	one := rec.Snapshot()
	two.Merge(one)
	for want, s := range map[uint64]*Snapshot{1: one, 3: two} {
		if p := NewReport("", s, Environment{}).Pool; p == nil || p.RanByCaller != want {
			t.Errorf("%+v, want %d jobs", p, want)
		}
	}
}
