package overlay

import (
	"math"
	"time"

	"github.com/frameslice/frameslice/frame/record"
)

// frames is what the overlay knows of the latest frames: each of them for the graph, and their distribution. It reads
// the loop's recorder, which remembers the frames from before the overlay was shown.
type frames struct {
	last uint64 // number of the newest frame
	held int    // records that the latest look at the recorder gave
	past bool   // the frames that are being read are from before

	target time.Duration // of the newest frame: what an interval should be

	ring    [window]sample
	head, n int // where the next sample goes; how many there are

	bins            [numBins]uint16 // of the samples that count
	counted, missed int
	worst           float32 // ms
	mean            float64 // ms, of about the last half second

	prev   record.Record // the frame before the newest: what made the newest interval long stands there
	recent [64]record.Record
}

const (
	window    = 4096 // frames remembered: a minute at 60 Hz
	binsFrom  = 1.0  // ms, lower edge of the first bin
	binsRatio = 1.01 // upper edge over lower edge: percentiles are right to 0.5 %
	numBins   = 940  // up to 11.5 s; a longer interval is a jump of the clock
	barBins   = 5    // bins that the distribution shows as one bar
)

// sample is one interval, and how the frame goroutine spent it. Times are in milliseconds.
type sample struct {
	interval, own, slice, budget float32
	missed                       uint16
	counts, gc                   bool
}

// read takes in the frames that the recorder got since the last call. It calls each for every one of them, with the
// frame before. If frames are missing in between, or the recorder was reset, read starts afresh with all that the
// recorder remembers.
func (f *frames) read(rec *record.Recorder, target time.Duration, each func(r, prev *record.Record, s *sample)) {
	recent := rec.Recent(f.recent[:])
	if len(recent) > 0 && (f.last == 0 || recent[0].Number > f.last+1) || len(recent) < f.held {
		f.last, f.head, f.n, f.counted, f.missed, f.worst, f.mean = 0, 0, 0, 0, 0, 0, 0
		f.prev = record.Record{}
		clear(f.bins[:])
		f.past = true
		recent = rec.Recent(make([]record.Record, window+1))
	}
	f.held = min(len(recent), len(f.recent))
	if f.last == 0 {
		f.target = target
	}
	for i := range recent {
		if r := &recent[i]; r.Number > f.last {
			f.last = r.Number
			if r.Target > 0 {
				f.target = r.Target
			}
			if s := f.add(r); s != nil {
				each(r, &f.prev, s)
			}
			f.prev = *r
		}
	}
	f.past = false
}

// add returns the sample of a frame, or nil if it has none.
func (f *frames) add(r *record.Record) *sample {
	if r.Interval <= 0 || r.Flags&record.Jump != 0 {
		return nil
	}
	if f.n == window {
		f.drop(&f.ring[f.head])
	} else {
		f.n++
	}
	s := &f.ring[f.head]
	f.head = (f.head + 1) % window
	*s = sample{
		interval: millis(r.Interval), counts: r.Flags&record.WarmUp == 0,
		missed: uint16(min(max(0, math.Round(float64(r.Interval)/float64(f.target))-1), math.MaxUint16)),
	}
	if f.prev.Number+1 == r.Number {
		s.own, s.slice, s.budget = millis(ownPart(&f.prev)), millis(f.prev.Used()), millis(budget(&f.prev))
		s.gc = f.prev.GCCycles > 0
	}
	f.mean += (float64(s.interval) - f.mean) * max(0.04, 1/float64(f.n)) // the plain mean at first
	if s.counts {
		f.bins[bin(s.interval)]++
		f.counted++
		f.missed += int(s.missed)
		f.worst = max(f.worst, s.interval)
	}
	return s
}

// drop forgets the oldest sample.
func (f *frames) drop(s *sample) {
	if !s.counts {
		return
	}
	s.counts = false
	f.bins[bin(s.interval)]--
	f.counted--
	f.missed -= int(s.missed)
	if s.interval < f.worst {
		return
	}
	f.worst = 0
	for i := range f.ring {
		if s := &f.ring[i]; s.counts {
			f.worst = max(f.worst, s.interval)
		}
	}
}

// at returns the i-th of the latest samples, 0 the newest.
func (f *frames) at(i int) *sample { return &f.ring[(f.head-1-i+2*window)%window] }

// fps returns frames per second of late: the inverse of a mean interval, never a mean of inverses.
func (f *frames) fps() float64 {
	if f.mean == 0 {
		return 0
	}
	return 1000 / f.mean
}

// missedShare returns the percentage of refreshes that showed nothing new.
func (f *frames) missedShare() float64 {
	if f.counted == 0 {
		return 0
	}
	return 100 * float64(f.missed) / float64(f.counted+f.missed)
}

// percentile returns the interval that p percent of the frames do not exceed, in milliseconds, to half a bin.
func (f *frames) percentile(p float64) float64 {
	want := max(int(math.Ceil(p/100*float64(f.counted)-1e-9)), 1) // the nearest rank, as in the report
	sum := 0
	for i, n := range f.bins {
		if sum += int(n); n > 0 && sum >= want {
			return min(binsFrom*math.Pow(binsRatio, float64(i)+0.5), float64(f.worst))
		}
	}
	return 0
}

// bar returns how many samples are in the bins from i on that the distribution shows as one.
func (f *frames) bar(i int) (n int) {
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

// ownPart is the time from a frame's start to its slice: the game's own work.
func ownPart(r *record.Record) time.Duration {
	if r.Flags&record.Sliced != 0 {
		return max(0, r.SliceBegin.Sub(r.Start))
	}
	return r.Busy()
}

// budget is the slice's granted time, or 0. A slice that had no deadline counts as long as it was.
func budget(r *record.Record) time.Duration {
	return min(r.Budget(), max(r.Used(), time.Second))
}

func millis(d time.Duration) float32 { return float32(d) / 1e6 }
