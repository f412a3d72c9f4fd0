package play

import (
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/frame"
)

const tick = time.Second / 60

// feed records frames of these intervals and has h look after each, as the overlay does.
func feed(h *History, rec *frame.Recorder, n *uint64, intervals ...time.Duration) {
	for _, d := range intervals {
		*n++
		rec.Add(frame.Record{Number: *n, Start: deadline.Instant(*n) * 1e9, Interval: d, Updates: 1})
		h.Ingest(rec, FrameWork{Jobs: int(*n)})
	}
}

func recorder() *frame.Recorder {
	return frame.NewRecorder(frame.RecorderOptions{Target: tick, WarmUp: -1, NoGC: true})
}

func repeat(n int, d time.Duration) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = d
	}
	return out
}

func TestHistoryAgreesWithTheReport(t *testing.T) {
	rec := recorder()
	var h History
	var n uint64
	h.Reset(tick, 0)
	h.Counting = true
	feed(&h, rec, &n, repeat(90, tick)...)
	feed(&h, rec, &n, 3*tick, tick, 2*tick, 100*time.Millisecond)
	s := rec.Snapshot()
	if uint64(h.Count) != s.Totals.N || uint64(h.Missed) != s.Totals.Missed {
		t.Errorf("got %d frames, %d missed; the recorder has %d, %d",
			h.Count, h.Missed, s.Totals.N, s.Totals.Missed)
	}
	if got, want := h.MissedShare(), s.Totals.MissedPercent(); got != want {
		t.Errorf("missed: got %v %%, want %v", got, want)
	}
	for _, p := range []float64{50, 90, 99, 100} {
		got, want := h.Percentile(p), float64(s.Interval.Percentile(p))/1e6
		if got < want/BinsRatio || got > want*BinsRatio {
			t.Errorf("p%v: got %v, want %v within a bin", p, got, want)
		}
	}
	if h.Worst != 100*time.Millisecond {
		t.Errorf("worst: got %v", h.Worst)
	}
}

// The naive modes have frames of seconds, which the overlay must not make shorter than they were.
func TestHistoryTellsLongFramesAsTheyAre(t *testing.T) {
	rec := recorder()
	var h History
	var n uint64
	h.Reset(tick, 0)
	h.Counting = true
	feed(&h, rec, &n, 600*time.Millisecond, 2*time.Second, 4*time.Second, 9*time.Second)
	s := rec.Snapshot()
	for _, p := range []float64{25, 50, 75, 99} {
		got, want := h.Percentile(p), float64(s.Interval.Percentile(p))/1e6
		if got < want/BinsRatio || got > want*BinsRatio {
			t.Errorf("p%v: got %v ms, want %v within a bin", p, got, want)
		}
	}
}

func TestHistoryShowsWarmUpAndDoesNotCountIt(t *testing.T) {
	rec := recorder()
	var h History
	var n uint64
	h.Reset(tick, 0)
	feed(&h, rec, &n, repeat(5, 4*tick)...)
	if h.Count != 0 || h.N != 5 || h.FPS() == 0 {
		t.Errorf("in warm-up: %d counted, %d shown, %v FPS", h.Count, h.N, h.FPS())
	}
	h.Counting = true
	feed(&h, rec, &n, tick)
	if h.Count != 1 || h.Missed != 0 {
		t.Errorf("after it: %d counted, %d missed", h.Count, h.Missed)
	}
}

func TestHistoryLeavesOutJumps(t *testing.T) {
	rec := recorder()
	var h History
	h.Reset(tick, 0)
	h.Counting = true
	rec.Add(frame.Record{Number: 1, Interval: time.Minute, Flags: frame.Jump})
	h.Ingest(rec, FrameWork{})
	if h.N != 0 || h.Count != 0 {
		t.Errorf("shown %d, counted %d", h.N, h.Count)
	}
}

// The work that makes an interval long stands in the record before, and so does what the probe saw.
func TestHitchIsBlamedOnTheFrameBefore(t *testing.T) {
	rec := recorder()
	var h History
	var n uint64
	h.Reset(tick, 0)
	h.Counting = true
	var late, cause uint64
	var work FrameWork
	h.OnHitch = func(l, c *frame.Record, w FrameWork) { late, cause, work = l.Number, c.Number, w }
	feed(&h, rec, &n, tick, tick)
	if late != 0 {
		t.Fatalf("frame %d is called late", late)
	}
	feed(&h, rec, &n, 3*tick)
	if late != 3 || cause != 2 || work.Jobs != 2 {
		t.Errorf("late %d, cause %d with the work of %d", late, cause, work.Jobs)
	}
}

func TestSampleSplitsTheFrame(t *testing.T) {
	rec := recorder()
	var h History
	h.Reset(tick, 0)
	h.Counting = true
	at := func(ms int) deadline.Instant { return deadline.Instant(1e9 + ms*1e6) }
	rec.Add(frame.Record{
		Number: 1, Start: at(0), Interval: tick, Flags: frame.Sliced,
		SliceBegin: at(5), SliceEnd: at(9), SliceDeadline: at(12),
	})
	h.Ingest(rec, FrameWork{Sum: 2 * time.Millisecond})
	rec.Add(frame.Record{Number: 2, Start: at(17), Interval: tick})
	h.Ingest(rec, FrameWork{})
	s := h.At(0)
	if s.Game != 3 || s.Slice != 6 { // 5 ms until the slice, 2 of them jobs, which count with the slice's 4
		t.Errorf("game %v ms, slice %v ms", s.Game, s.Slice)
	}
}

func TestHistoryKeepsTheNewest(t *testing.T) {
	rec := recorder()
	var h History
	var n uint64
	h.Reset(tick, 0)
	h.Counting = true
	for i := range HistoryFrames + 7 {
		feed(&h, rec, &n, time.Duration(i+1)*time.Millisecond)
	}
	if got := h.At(0).Interval; got != HistoryFrames+7 {
		t.Errorf("newest: got %v", got)
	}
	if got := h.At(HistoryFrames - 1).Interval; got != 8 {
		t.Errorf("oldest: got %v", got)
	}
}

func TestIngestAllocatesNothing(t *testing.T) {
	rec := recorder()
	var h History
	var n uint64
	h.Reset(tick, 0)
	h.Counting = true
	one := []time.Duration{tick}
	if got := testing.AllocsPerRun(200, func() { feed(&h, rec, &n, one...) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
