package frame_test

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/workers"
)

// Jobs that the slice ran, hand-backs and delayed tasks are in the frame's record, and all in the totals.
func TestRecordsCountJobsAndHandBacks(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw, Recorder: record.Options{WarmUp: -1}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		job := func() (int, error) { return 1, nil }
		l.Go(deadline.Normal, func(co *scheduler.Co) {
			for range 2 {
				_, _ = scheduler.Await(co, workers.Submit(l.Pool(), deadline.Normal, job))
				co.NextFrame()
			}
		})
		l.After(deadline.Normal, time.Hour, func() {})
		for range 4 {
			l.Begin()
			l.Slice()
			l.End()
		}
		var jobs, handed, delayed []int
		s := l.Recorder().Snapshot()
		for _, r := range s.Records {
			jobs, handed = append(jobs, int(r.Jobs)), append(handed, int(r.HandedBack))
			delayed = append(delayed, int(r.Delayed))
		}
		for i, want := range []int{1, 1, 0, 0} {
			if jobs[i] != want || handed[i] != want || delayed[i] != 1 {
				t.Fatalf("jobs %v, handed back %v, delayed %v", jobs, handed, delayed)
			}
		}
		if s.Totals.Jobs != 2 || s.Totals.HandedBack != 2 {
			t.Errorf("in all %d jobs, %d handed back", s.Totals.Jobs, s.Totals.HandedBack)
		}
	})
}

// What a task overran is a debt of an interval at most, which the next slices pay back.
func TestStatsTellTheDebt(t *testing.T) {
	o := frame.Options{Placement: frame.PlaceAfterDraw, Budget: deadline.Budget{Interval: r}}
	bubble(t, o, func(t *testing.T, l *frame.Loop) {
		var debts []time.Duration
		for i := range 8 {
			if i == 1 {
				l.Post(deadline.Immediate, func() { time.Sleep(10 * r) })
			}
			l.Begin()
			l.Slice()
			l.End()
			debts = append(debts, l.Stats().Debt)
			time.Sleep(r)
		}
		if debts[0] != 0 || debts[1] != r || debts[2] >= r || debts[7] != 0 {
			t.Errorf("debts %v, want one of %v, and none in the end", debts, r)
		}
	})
}
