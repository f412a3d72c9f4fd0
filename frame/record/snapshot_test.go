package record

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Two turns of one loop, with something else between them, make one report.
func TestSnapshotsOfTwoTurnsMerge(t *testing.T) {
	a, b := tenFrames(), tenFrames()
	one, n := a.Totals, len(a.Records)
	a.Merge(b)
	t1, t2 := a.Totals, b.Totals
	if t1.N != 2*one.N || t1.Time != 2*one.Time || t1.Missed != 2*one.Missed || t1.Jumps != 2 || t1.Frames != 20 ||
		t1.Updates[3] != 2*one.Updates[3] || t1.WorstCost != one.WorstCost || t2 != one {
		t.Errorf("%+v", t1)
	}
	if len(a.Records) != 2*n || !reflect.DeepEqual(a.Records[n], b.Records[0]) || len(b.Records) != n {
		t.Errorf("%d records", len(a.Records))
	}
	rep := NewReport("both", a, Environment{})
	if !rep.Whole || rep.Window.N != int(t1.N) || rep.Run.Interval.N != t1.N || rep.Run.Used.N != t1.Sliced ||
		b.Interval.Count() != one.N || a.Lateness.Count() != t1.N || a.Earliness.Count() != 2 || a.Unused.Count() != 8 {
		t.Errorf("%+v", rep.Run)
	}
}

// A Recorder of one's own judges each record by its own target.
func TestRecorderJudgesARecordByItsTarget(t *testing.T) {
	const ms = time.Millisecond
	r := quiet(Options{Target: 10 * ms, WarmUp: -1})
	for i, target := range []time.Duration{10 * ms, 20 * ms, 20 * ms, 5 * ms} {
		r.Add(Record{Number: uint64(i + 1), Interval: 20 * ms, Target: target})
	}
	s := r.Snapshot()
	if s.Totals.Missed != 1+0+0+3 || s.Target != 5*ms || len(s.Intervals()) != 1 {
		t.Errorf("missed %d, target %v, %d intervals; want 4, 5ms, 1", s.Totals.Missed, s.Target, len(s.Intervals()))
	}
}

// A trace has no late frame where the statistics have none: on a display that was slower, after a sleep of the host or
// a jump of the clock, and at the border of two turns.
func TestFramesThatAreNotLate(t *testing.T) {
	rec := quiet(Options{WarmUp: -1})
	at := deadline.Instant(time.Hour)
	for i, f := range []struct {
		gap, interval, target time.Duration
		flags                 Flags
	}{
		{20 * ms, 20 * ms, 20 * ms, 0}, {20 * ms, 20 * ms, 20 * ms, 0}, {5 * ms, 5 * ms, 5 * ms, 0},
		{time.Hour, 5 * ms, 5 * ms, 0}, {time.Hour, time.Hour, 5 * ms, Jump}, {5 * ms, 5 * ms, 5 * ms, 0},
	} {
		at = at.Add(f.gap)
		rec.Add(Record{Number: uint64(i + 1), Start: at, Interval: f.interval, Target: f.target, Flags: f.flags})
	}
	s := rec.Snapshot()
	s.Merge(rec.Snapshot())
	if rep := NewReport("x", s, Environment{}); rep.Late != 0 {
		t.Errorf("the report counts %d late frames", rep.Late)
	}
	var trace strings.Builder
	if err := (&Report{Snapshot: s}).writeTrace(&trace); err != nil || strings.Contains(trace.String(), "late_us") {
		t.Errorf("in the trace: %v\n%s", err, &trace)
	}
}

// The log of a run says when the run was. The bench module compares all of a log with what HdrHistogram writes.
func TestHLogHasTheRunsTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		rec := New(Options{Target: 10 * time.Millisecond, WarmUp: -1})
		for i := range 600 {
			time.Sleep(10 * time.Millisecond)
			rec.Add(Record{Number: uint64(i + 2), Interval: 10 * ms, Target: 10 * ms})
		}
		s := rec.Snapshot()
		time.Sleep(time.Hour)        // until somebody saves it
		s.Interval.Record(time.Hour) // which counts as a minute
		var b strings.Builder
		if err := s.Interval.WriteHLog(&b, "two words, one comma"); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("\nTag=two-words--one-comma,%d.000000,3606.000000,", start.Unix()-3600)
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	})
}
