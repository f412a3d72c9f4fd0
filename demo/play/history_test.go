package play

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame/record"
)

const tick = time.Second / 60

// overlay is a History beside the recorder that it looks at.
type overlay struct {
	History
	rec *record.Recorder
	n   uint64 // frames fed
}

// counting returns one that counts from the first frame on.
func counting() *overlay {
	o := &overlay{rec: record.New(record.Options{Target: tick, WarmUp: -1})}
	o.Reset(tick, 0)
	o.Counting = true
	return o
}

// feed records frames of these intervals and looks after each, as the overlay does.
func (o *overlay) feed(intervals ...time.Duration) {
	for _, d := range intervals {
		o.n++
		o.rec.Add(record.Record{Number: o.n, Start: deadline.Instant(o.n) * 1e9, Interval: d, Updates: 1})
		o.Ingest(o.rec, FrameWork{Jobs: int(o.n)})
	}
}

// agrees checks that the percentiles are the recorder's, within a bin.
func (o *overlay) agrees(t *testing.T, percentiles ...float64) {
	t.Helper()
	s := o.rec.Snapshot()
	for _, p := range percentiles {
		got, want := o.Percentile(p), float64(s.Interval.Percentile(p))/1e6
		if got < want/BinsRatio || got > want*BinsRatio {
			t.Errorf("p%v: got %v ms, want %v within a bin", p, got, want)
		}
	}
}

func repeat(n int, d time.Duration) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = d
	}
	return out
}

func TestHistoryAgreesWithTheReport(t *testing.T) {
	h := counting()
	h.feed(repeat(90, tick)...)
	h.feed(3*tick, tick, 2*tick, 100*time.Millisecond)
	s := h.rec.Snapshot()
	if uint64(h.Count) != s.Totals.N || uint64(h.Missed) != s.Totals.Missed {
		t.Errorf("got %d frames, %d missed; the recorder has %d, %d",
			h.Count, h.Missed, s.Totals.N, s.Totals.Missed)
	}
	if got, want := h.MissedShare(), s.Totals.MissedPercent(); got != want {
		t.Errorf("missed: got %v %%, want %v", got, want)
	}
	h.agrees(t, 50, 90, 99, 100)
	if h.Worst != 100*time.Millisecond {
		t.Errorf("worst: got %v", h.Worst)
	}
}

// The naive modes have frames of seconds, which the overlay must not make shorter than they were.
func TestHistoryTellsLongFramesAsTheyAre(t *testing.T) {
	h := counting()
	h.feed(600*time.Millisecond, 2*time.Second, 4*time.Second, 9*time.Second)
	h.agrees(t, 25, 50, 75, 99)
}

func TestHistoryShowsWarmUpAndDoesNotCountIt(t *testing.T) {
	h := counting()
	h.Counting = false
	h.feed(repeat(5, 4*tick)...)
	if h.Count != 0 || h.N != 5 || h.FPS() == 0 {
		t.Errorf("in warm-up: %d counted, %d shown, %v FPS", h.Count, h.N, h.FPS())
	}
	h.Counting = true
	h.feed(tick)
	if h.Count != 1 || h.Missed != 0 {
		t.Errorf("after it: %d counted, %d missed", h.Count, h.Missed)
	}
}

func TestHistoryLeavesOutJumps(t *testing.T) {
	h := counting()
	h.rec.Add(record.Record{Number: 1, Interval: time.Minute, Flags: record.Jump})
	h.Ingest(h.rec, FrameWork{})
	if h.N != 0 || h.Count != 0 {
		t.Errorf("shown %d, counted %d", h.N, h.Count)
	}
}

// The work that makes an interval long stands in the record before, and so does what the probe saw.
func TestHitchIsBlamedOnTheFrameBefore(t *testing.T) {
	h := counting()
	var late, cause uint64
	var work FrameWork
	h.OnHitch = func(l, c *record.Record, w FrameWork) { late, cause, work = l.Number, c.Number, w }
	h.feed(tick, tick)
	if late != 0 {
		t.Fatalf("frame %d is called late", late)
	}
	h.feed(3 * tick)
	if late != 3 || cause != 2 || work.Jobs != 2 {
		t.Errorf("late %d, cause %d with the work of %d", late, cause, work.Jobs)
	}
}

func TestSampleSplitsTheFrame(t *testing.T) {
	h := counting()
	at := func(ms int) deadline.Instant { return deadline.Instant(1e9 + ms*1e6) }
	h.rec.Add(record.Record{
		Number: 1, Start: at(0), Interval: tick, Flags: record.Sliced,
		SliceBegin: at(5), SliceEnd: at(9), SliceDeadline: at(12),
	})
	h.Ingest(h.rec, FrameWork{Sum: 2 * time.Millisecond})
	h.rec.Add(record.Record{Number: 2, Start: at(17), Interval: tick})
	h.Ingest(h.rec, FrameWork{})
	s := h.At(0)
	if s.Game != 3 || s.Slice != 6 { // 5 ms until the slice, 2 of them jobs, which count with the slice's 4
		t.Errorf("game %v ms, slice %v ms", s.Game, s.Slice)
	}
}

func TestHistoryKeepsTheNewest(t *testing.T) {
	h := counting()
	for i := range HistoryFrames + 7 {
		h.feed(time.Duration(i+1) * time.Millisecond)
	}
	if got := h.At(0).Interval; got != HistoryFrames+7 {
		t.Errorf("newest: got %v", got)
	}
	if got := h.At(HistoryFrames - 1).Interval; got != 8 {
		t.Errorf("oldest: got %v", got)
	}
}

func TestIngestAllocatesNothing(t *testing.T) {
	h := counting()
	one := []time.Duration{tick}
	if got := testing.AllocsPerRun(200, func() { h.feed(one...) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
