package overlay

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/frame/record"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/internal/words"
)

// recent is what is known of the latest frames: each of them for a graph, and their distribution. It reads the loop's
// recorder once a frame, and sorts and allocates nothing. The zero value is ready.
type recent struct {
	Last   uint64        // number of the newest frame
	Past   bool          // the frames that are being read are from before
	Target time.Duration // of the newest frame: what an interval should be
	N      int           // how many samples there are

	Counted, Missed int     // of the samples that count
	Worst           float32 // ms

	Newest record.Record // within Read the frame before: what made an interval long stands there

	buf  []record.Record
	held int // records that the latest look at the recorder gave
	ring [window]sample
	head int             // where the next sample goes
	bins [numBins]uint16 // of the samples that count
	mean float64         // ms, of about the last half second
}

// The distribution.
const (
	window    = 4096 // frames remembered: a minute at 60 Hz
	binsFrom  = 1.0  // ms, lower edge of the first bin
	binsRatio = 1.01 // upper edge over lower edge: percentiles are right to 0.5 %
	numBins   = 940  // up to 11.5 s; a longer interval is a jump of the clock
	barBins   = 5    // bins that the distribution shows as one bar
)

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
		f.Last, f.head, f.N, f.Counted, f.Missed, f.Worst, f.mean = 0, 0, 0, 0, 0, 0, 0
		f.Newest = record.Record{}
		clear(f.bins[:])
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
	if f.N == window {
		f.drop(&f.ring[f.head])
	} else {
		f.N++
	}
	s := &f.ring[f.head]
	f.head = (f.head + 1) % window
	*s = sample{
		Interval: millis(r.Interval), Counts: r.Flags&record.WarmUp == 0,
		Missed: uint16(min(record.Missed(r.Interval, f.Target), math.MaxUint16)),
	}
	if f.Newest.Number+1 == r.Number {
		s.Own, s.Slice, s.Budget = millis(f.Newest.Own()), millis(f.Newest.Used()), millis(f.Newest.Budget())
		s.GC = f.Newest.GCCycles > 0
	}
	f.mean += (float64(s.Interval) - f.mean) * max(0.04, 1/float64(f.N)) // the plain mean at first
	if s.Counts {
		f.bins[bin(s.Interval)]++
		f.Counted++
		f.Missed += int(s.Missed)
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
	f.bins[bin(s.Interval)]--
	f.Counted--
	f.Missed -= int(s.Missed)
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

// MissedShare returns the percentage of refreshes that showed nothing new.
func (f *recent) MissedShare() float64 {
	if f.Counted == 0 {
		return 0
	}
	return 100 * float64(f.Missed) / float64(f.Counted+f.Missed)
}

// Percentile returns the interval that p percent of the frames do not exceed, in milliseconds, to half a bin.
func (f *recent) Percentile(p float64) float64 {
	want := int(hist.Nearest(uint64(f.Counted), p/100))
	sum := 0
	for i, n := range f.bins {
		if sum += int(n); n > 0 && sum >= want {
			return min(binsFrom*math.Pow(binsRatio, float64(i)+0.5), float64(f.Worst))
		}
	}
	return 0
}

// Bar returns how many samples are in the bins from i on that the distribution shows as one.
func (f *recent) Bar(i int) (n int) {
	for _, k := range f.bins[i : i+barBins] {
		n += int(k)
	}
	return n
}

// bin returns the bin of an interval in milliseconds.
func bin(ms float32) int {
	if ms <= binsFrom {
		return 0
	}
	return min(int(math.Log(float64(ms)/binsFrom)/math.Log(binsRatio)), numBins-1)
}

// binOf returns the place of an interval in milliseconds among the bins.
func binOf(ms float32) float32 {
	return float32(math.Log(max(float64(ms), binsFrom)/binsFrom) / math.Log(binsRatio))
}

// millis returns a duration in milliseconds.
func millis(d time.Duration) float32 { return float32(words.Millis(d)) }
