package overlay

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/refresh"
	"github.com/frameslice/frameslice/internal/words"
)

// recent is what is known of the latest frames: each of them for a graph, and their distribution. It reads the loop's
// recorder once a frame, and sorts and allocates nothing. The zero value is ready.
type recent struct {
	Last   uint64        // number of the newest frame
	Past   bool          // the frames that are being read are from before
	Target time.Duration // of the newest frame: what an interval should be
	Held   int           // how many samples there are

	hist.Frames         // of the samples that count
	Worst       float32 // ms, the longest of these

	Newest record.Record // within Read the frame before: what made an interval long stands there

	buf  []record.Record
	held int // records that the latest look at the recorder gave
	ring [window]sample
	head int     // where the next sample goes
	mean float64 // ms, of about the last half second
}

// window is how many frames are remembered: a minute at 60 Hz.
const window = 4096

// sample is one interval, and how the frame goroutine spent it. Times are in milliseconds.
type sample struct {
	Interval, Own, Slice, Budget float32
	Missed                       uint16
	Counts, GC                   bool
}

// Read takes in the frames that the recorder got since the last call. It calls each for every one of them, with the
// frame before. If frames are missing in between, or the recorder was reset, read starts afresh with all that the
// recorder remembers.
func (f *recent) Read(rec *record.Recorder, target time.Duration, each func(r, prev *record.Record, s *sample)) {
	if f.buf == nil {
		f.buf = make([]record.Record, 64) // if more frames have gone by, a look starts afresh
	}
	recent := rec.Recent(f.buf)
	if len(recent) > 0 && (f.Last == 0 || recent[0].Number > f.Last+1) || len(recent) < f.held {
		f.Last, f.head, f.Held, f.Worst, f.mean = 0, 0, 0, 0, 0
		f.Newest, f.Frames = record.Record{}, hist.Frames{}
		f.Past = true
		recent = rec.Recent(make([]record.Record, window+1))
	}
	f.held = min(len(recent), len(f.buf))
	if f.Last == 0 {
		f.Target = target
	}
	for i := range recent {
		if r := &recent[i]; r.Number > f.Last {
			f.Last = r.Number
			if r.Target > 0 {
				f.Target = r.Target
			}
			if s := f.add(r); s != nil {
				each(r, &f.Newest, s)
			}
			sections := append(f.Newest.Sections[:0], r.Sections...) // the memory of r's is used again
			f.Newest = *r
			f.Newest.Sections = sections
		}
	}
	f.Past = false
}

// add returns the sample of a frame, or nil if it has none.
func (f *recent) add(r *record.Record) *sample {
	if r.Interval <= 0 || r.Flags&record.Jump != 0 {
		return nil
	}
	if f.Held == window {
		f.drop(&f.ring[f.head])
	} else {
		f.Held++
	}
	s := &f.ring[f.head]
	f.head = (f.head + 1) % window
	*s = sample{
		Interval: millis(r.Interval), Counts: r.Flags&record.WarmUp == 0,
		Missed: uint16(min(refresh.Missed(r.Interval, f.Target), math.MaxUint16)),
	}
	if f.Newest.Number+1 == r.Number {
		s.Own, s.Slice, s.Budget = millis(f.Newest.Own()), millis(f.Newest.Used()), millis(f.Newest.Budget())
		s.GC = f.Newest.GCCycles > 0
	}
	f.mean += (float64(s.Interval) - f.mean) * max(0.04, 1/float64(f.Held)) // the plain mean at first
	if s.Counts {
		f.Add(float64(s.Interval), int(s.Missed))
		f.Worst = max(f.Worst, s.Interval)
	}
	return s
}

// drop forgets the oldest sample.
func (f *recent) drop(s *sample) {
	if !s.Counts {
		return
	}
	s.Counts = false
	f.Drop(float64(s.Interval), int(s.Missed))
	if s.Interval < f.Worst {
		return
	}
	f.Worst = 0
	for i := range f.ring {
		if s := &f.ring[i]; s.Counts {
			f.Worst = max(f.Worst, s.Interval)
		}
	}
}

// At returns the i-th of the latest samples, 0 the newest.
func (f *recent) At(i int) *sample { return &f.ring[(f.head-1-i+2*window)%window] }

// FPS returns frames per second of late: the inverse of a mean interval, never a mean of inverses.
func (f *recent) FPS() float64 {
	if f.mean == 0 {
		return 0
	}
	return 1000 / f.mean
}

// millis returns a duration in milliseconds.
func millis(d time.Duration) float32 { return float32(words.Millis(d)) }
