package record

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/workers"
)

// The pool's figures are in the report, divided by all frames: the jobs of the warm-up are counted, too.
func TestReportHasThePoolsFigures(t *testing.T) {
	rec := New(Options{WarmUp: 2})
	for range 4 {
		rec.Add(Record{Interval: 10 * time.Millisecond})
	}
	s := rec.Snapshot()
	if rep := NewReport("none", s, Environment{}); rep.Pool != nil || strings.Contains(rep.String(), "pool:") {
		t.Fatal("there are figures of no pool")
	}
	before := PoolReport{Run: 10, Stolen: 1, RanByCaller: 2, Parked: 3, Woken: 4}
	after := PoolReport{Workers: 3, Background: 2, Run: 2010, Stolen: 5, RanByCaller: 4, Parked: 13, Woken: 12}
	s.beside = beside{Pool: after}
	s.beside.minus(&beside{Pool: before})
	rep := NewReport("pool", s, Environment{})
	const want = `
  pool: 3 workers, 2 background               total  per frame
  jobs run by workers                         2,000    500.000
  of them stolen                                  4      1.000
  jobs run by callers                             2      0.500
  parks                                          10      2.500
  wakes                                           8      2.000
`
	if got := rep.String(); !strings.Contains(got, want) {
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
