// Package latest is the model of the latest frames behind the overlay and the live page, so that both show the same.
package latest

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// Frames are the latest frames: each of them for a graph, and their distribution. Read and Take sort nothing, and
// allocate nothing but in the first Read. The zero value is ready.
type Frames struct {
	Last   uint64        // number of the newest frame
	Past   bool          // the frames that Read reads are from before
	Target time.Duration // of the newest frame: what an interval should be
	Held   int           // how many of the latest frames have an interval

	hist.Frames         // of those that count
	Worst       float32 // ms, the longest of these

	Newest record.Record // the last that Read has read, and within Read the last of the Read before

	buf  []record.Record
	held int // records that the latest look at the recorder gave
	ring [window]Frame
	head int // where the next one goes
}

const (
	window   = 4096 // frames that are remembered: a minute at 60 Hz
	smoothed = 30   // frames behind FPS: half a second
)

// A Frame is one interval, and how the frame goroutine spent it. Times are in milliseconds.
type Frame struct {
	Number                       uint64 // of the record with the interval
	Interval, Own, Slice, Budget float32
	Missed                       uint16
	Counts, GC                   bool
}

// Read takes in the frames that the recorder got since the last call. If frames are missing in between, or the recorder
// was reset, Read starts afresh with all that the recorder remembers. Read calls each as Take does.
func (f *Frames) Read(rec *record.Recorder, target time.Duration, each func(r, prev *record.Record, s *Frame)) {
	if f.buf == nil {
		f.buf = make([]record.Record, 64) // if more frames have gone by, a look starts afresh
	}
	recent := rec.Recent(f.buf)
	if len(recent) > 0 && (f.Last == 0 || recent[0].Number > f.Last+1) || len(recent) < f.held {
		f.Last, f.head, f.Held, f.Worst = 0, 0, 0, 0
		f.Newest, f.Frames = record.Record{}, hist.Frames{}
		f.Past = true
		recent = rec.Recent(make([]record.Record, window+1))
	}
	f.held = min(len(recent), len(f.buf))
	if f.Last == 0 {
		f.Target = target
	}
	f.Take(recent, each)
	if n := len(recent); n > 0 {
		sections := append(f.Newest.Sections[:0], recent[n-1].Sections...) // the memory of recent is used again
		f.Newest = recent[n-1]
		f.Newest.Sections = sections
	}
	f.Past = false
}

// Take takes in the records, the oldest first, except those from before. It calls each for every frame that has an
// interval, with the record before, which is of an older frame if one is missing in between.
func (f *Frames) Take(records []record.Record, each func(r, prev *record.Record, s *Frame)) {
	prev := &f.Newest
	for i := range records {
		r := &records[i]
		if r.Number > f.Last {
			f.Last = r.Number
			if r.Target > 0 {
				f.Target = r.Target
			}
			if s := f.add(r, prev); s != nil {
				each(r, prev, s)
			}
		}
		prev = r
	}
}

// add returns what is kept of a frame, or nil if it has no interval.
func (f *Frames) add(r, prev *record.Record) *Frame {
	for f.Held > 0 && f.At(f.Held-1).Number+window <= r.Number {
		f.drop()
	}
	if r.Interval <= 0 || r.Flags&record.Jump != 0 {
		return nil
	}
	s := &f.ring[f.head]
	f.head = (f.head + 1) % window
	f.Held++
	*s = Frame{
		Number: r.Number, Interval: millis(r.Interval), Counts: r.Flags&record.WarmUp == 0,
		Missed: uint16(min(refresh.Missed(r.Interval, f.Target), math.MaxUint16)),
	}
	if prev.Number+1 == r.Number {
		s.Own, s.Slice, s.Budget = millis(prev.Own()), millis(prev.Used()), millis(prev.Budget())
		s.GC = prev.GCCycles > 0
	}
	if s.Counts {
		f.Add(float64(s.Interval), int(s.Missed))
		f.Worst = max(f.Worst, s.Interval)
	}
	return s
}

// drop forgets the oldest frame.
func (f *Frames) drop() {
	f.Held--
	s := f.At(f.Held)
	if !s.Counts {
		return
	}
	f.Drop(float64(s.Interval), int(s.Missed))
	if s.Interval < f.Worst {
		return
	}
	f.Worst = 0
	for i := range f.Held {
		if s := f.At(i); s.Counts {
			f.Worst = max(f.Worst, s.Interval)
		}
	}
}

// At returns the i-th of the latest frames, 0 the newest.
func (f *Frames) At(i int) *Frame { return &f.ring[(f.head-1-i+2*window)%window] }

// FPS returns frames per second of the last half second: the inverse of a mean interval, never a mean of inverses.
func (f *Frames) FPS() float64 {
	sum, n := 0.0, min(f.Held, smoothed)
	for i := range n {
		sum += float64(f.At(i).Interval)
	}
	if sum == 0 {
		return 0
	}
	return 1000 * float64(n) / sum
}

// Percentile returns the milliseconds that p percent of the intervals do not exceed, to 0.05 %, and never beyond Worst.
func (f *Frames) Percentile(p float64) float64 { return min(f.Frames.Percentile(p), float64(f.Worst)) }

// millis returns a duration in milliseconds.
func millis(d time.Duration) float32 { return float32(words.Millis(d)) }
