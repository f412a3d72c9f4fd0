package frame_test

import (
	"context"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
)

// quiet returns a Recorder that leaves the collector's figures as they are given.
func quiet(o frame.RecorderOptions) *frame.Recorder {
	r := frame.NewRecorder(o)
	r.SkipGC(true)
	return r
}

// OnLate hears of each frame that counts and missed a refresh, once it is recorded.
func TestOnLateHearsOfMissedRefreshes(t *testing.T) {
	var late []uint64
	var rec *frame.Recorder
	rec = quiet(frame.RecorderOptions{Target: 10 * ms, WarmUp: 2, OnLate: func(r frame.Record) {
		if last := rec.Recent(make([]frame.Record, 1)); last[0].Number != r.Number || r.Target <= 0 {
			t.Errorf("frame %d is not recorded yet, or has no target: %v", r.Number, r.Target)
		}
		late = append(late, r.Number)
	}})
	for i, d := range []time.Duration{0, 90, 10, 14, 15, 10, 40, 500, 19} {
		r := frame.Record{Number: uint64(i + 1), Start: deadline.Instant(i + 1), Interval: d * ms}
		if d == 500 {
			r.Flags |= frame.Jump
		}
		if d == 19 {
			r.Target = 20 * ms
		}
		rec.Add(r)
	}
	if len(late) != 2 || late[0] != 5 || late[1] != 7 {
		t.Errorf("heard of %v, want 5 and 7", late)
	}
}

// Where the loop waits itself, each record says how late that ended.
func TestRecordsTellHowLateTheLoopWoke(t *testing.T) {
	l := frame.New(frame.Options{
		Interval: 4 * ms, Wait: frame.WaitTimer, Recorder: frame.RecorderOptions{WarmUp: -1}, JumpAfter: -1,
	})
	defer l.Close()
	frames := 0
	_ = l.Run(context.Background(), func() error {
		if frames++; frames > 40 {
			return frame.ErrStop
		}
		return nil
	})
	l.Begin() // the host's own frame, which the loop does not wait for
	l.Slice()
	l.End()
	s := l.Recorder().Snapshot()
	woke := uint64(0)
	for _, r := range s.Records {
		if r.Woke > 0 {
			woke++
		}
		if r.Woke < 0 || r.Interval > 0 && r.Woke > r.Interval {
			t.Errorf("frame %d woke %v late, %v after the one before", r.Number, r.Woke, r.Interval)
		}
	}
	last, first := s.Records[len(s.Records)-1], s.Records[0]
	if woke == 0 || s.Woke.Count() != woke || last.Woke != 0 || first.Woke != 0 {
		t.Errorf("%d of %d records woke late, %d in the histogram; the first %v, the host's %v", woke, len(s.Records),
			s.Woke.Count(), first.Woke, last.Woke)
	}
	rep := frame.NewReport("woke", s, frame.Environment{})
	if got := readBack(t, rep); got.Run.Woke.N != woke {
		t.Errorf("JSON has %+v", got.Run.Woke)
	}
}

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
	if len(a.Records) != 2*n || a.Records[n] != b.Records[0] || len(b.Records) != n {
		t.Errorf("%d records", len(a.Records))
	}
	rep := frame.NewReport("both", a, frame.Environment{})
	if !rep.Whole || rep.Window.N != int(t1.N) || rep.Run.Interval.N != t1.N || rep.Run.Used.N != t1.Sliced ||
		b.Interval.Count() != one.N || a.Lateness.Count() != t1.N || a.Earliness.Count() != 2 || a.Unused.Count() != 8 {
		t.Errorf("%+v", rep.Run)
	}
}
