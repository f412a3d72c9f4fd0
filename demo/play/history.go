package play

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// History is what the overlay remembers of the frames of one mode: the last ones as a graph, all of them as
// a distribution. It reads the loop's recorder once a frame and works out nothing that METRICS does not
// define; the report at the end comes from the recorder itself, not from here.
type History struct {
	Target time.Duration
	frames [HistoryFrames]Sample
	head   int // where the next sample goes
	N      int // samples held, at most HistoryFrames
	Last   uint64

	// Counting is off while a mode warms up: its frames are shown then, and not counted.
	Counting bool

	Bins   [historyBins]uint32
	Count  int
	Missed int
	Worst  time.Duration
	recent [16]record.Record

	// The frame before the newest: what made the newest interval long stands there.
	Prev     record.Record
	PrevWork FrameWork

	OnHitch func(late, cause *record.Record, work FrameWork) // called for each frame that was shown late

	mean    float64 // interval, ms, of about the last half second
	Updates float64 // per frame, the same
}

const (
	HistoryFrames = 240  // remembered by a History
	historyBins   = 190  // up to 10.6 s: what is longer is a jump of the clock
	BinsFrom      = 1.0  // ms, lower edge of the first bin
	BinsRatio     = 1.05 // upper edge over lower edge: p50 and p99 are right to 5 %
)

// Sample is one frame: its interval, and what of it the frame goroutine spent where. Milliseconds.
type Sample struct {
	Interval, Game, Slice float32
	Missed                int
	GC                    bool
}

// FrameWork is what the probe saw of one frame.
type FrameWork struct {
	Jobs    int           // run on the frame goroutine, in modes that run them nowhere else
	Sum     time.Duration // of them
	Worst   time.Duration // longest of them
	Kind    int32         // and its kind
	Running int           // jobs running anywhere when the frame was looked at
	Waiting int           // and waiting
}

// Reset starts afresh, not counting yet; frames up to number last are not even shown.
func (h *History) Reset(target time.Duration, last uint64) {
	*h = History{Target: target, Last: last, OnHitch: h.OnHitch}
}

// Ingest takes in the frames that the recorder has got since the last call, which is one when it is called
// once a frame. work is what the probe saw of it.
func (h *History) Ingest(rec *record.Recorder, work FrameWork) {
	recent := rec.Recent(h.recent[:])
	for i := range recent {
		if r := &recent[i]; r.Number > h.Last {
			h.Last = r.Number
			h.add(r)
			h.Prev, h.PrevWork = *r, work
		}
	}
}

func (h *History) add(r *record.Record) {
	if r.Interval <= 0 || r.Flags.Has(record.Jump) {
		return
	}
	m := max(0, int(math.Round(float64(r.Interval)/float64(h.Target)))-1)
	s := Sample{Interval: Millis(r.Interval), Missed: m}
	if h.Prev.Number+1 == r.Number {
		s.Slice = Millis(h.Prev.Used() + h.PrevWork.Sum)
		s.Game = max(0, Millis(GamePart(&h.Prev)-h.PrevWork.Sum))
		s.GC = h.Prev.GCCycles > 0
	}
	h.frames[h.head] = s
	h.head = (h.head + 1) % HistoryFrames
	h.N = min(h.N+1, HistoryFrames)
	h.follow(float64(s.Interval), float64(r.Updates))
	if !h.Counting || r.Flags.Has(record.WarmUp) {
		return // shown, not counted
	}
	h.Bins[bin(s.Interval)]++
	h.Count++
	h.Missed += m
	h.Worst = max(h.Worst, r.Interval)
	if m > 0 && h.OnHitch != nil {
		h.OnHitch(r, &h.Prev, h.PrevWork)
	}
}

// follow keeps the running means. Frames per second are the inverse of a mean interval, never a mean of
// inverses.
func (h *History) follow(ms, updates float64) {
	k := max(0.04, 1/float64(h.N)) // the plain mean at first
	h.mean += (ms - h.mean) * k
	h.Updates += (updates - h.Updates) * k
}

// FPS returns frames per second of late.
func (h *History) FPS() float64 {
	if h.mean == 0 {
		return 0
	}
	return 1000 / h.mean
}

// GamePart is the time from a frame's start until the game had drawn, jobs that ran in between included.
func GamePart(r *record.Record) time.Duration {
	if r.Flags.Has(record.Sliced) {
		return max(0, r.SliceBegin.Sub(r.Start))
	}
	return r.Busy()
}

// At returns the i-th of the last samples, 0 the newest.
func (h *History) At(i int) *Sample {
	return &h.frames[(h.head-1-i+2*HistoryFrames)%HistoryFrames]
}

// MissedShare returns missed % as METRICS has it: of all refreshes, those that showed nothing new.
func (h *History) MissedShare() float64 {
	if h.Count == 0 {
		return 0
	}
	return 100 * float64(h.Missed) / float64(h.Count+h.Missed)
}

// Percentile returns the interval that p percent of the frames do not exceed, in milliseconds, to one bin.
func (h *History) Percentile(p float64) float64 {
	want := max(uint32(math.Ceil(p/100*float64(h.Count)-1e-9)), 1) // the nearest rank, as in the report
	var sum uint32
	for i, n := range h.Bins {
		if sum += n; n > 0 && sum >= want {
			return min(BinsFrom*math.Pow(BinsRatio, float64(i)+0.5), float64(h.Worst)/1e6)
		}
	}
	return 0
}

// bin returns the bin of an interval in milliseconds.
func bin(ms float32) int {
	if ms <= BinsFrom {
		return 0
	}
	return min(int(math.Log(float64(ms)/BinsFrom)/math.Log(BinsRatio)), historyBins-1)
}

// Millis is d in milliseconds.
func Millis(d time.Duration) float32 { return float32(d) / 1e6 }
