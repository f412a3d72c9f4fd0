package hist

import "math"

// Frames are the figures of the latest frames that count, which a live view shows: how many there are, how many
// refreshes they missed, and how often each interval came. No method allocates, and the zero value is empty.
type Frames struct {
	N, Missed int
	bars      [Bars]uint16
	bins      [Bars * barBins]uint16
}

// A bin is 0.1 % wider than the one before, so that percentiles are right to 0.05 %. A picture shows 50 bins as a bar.
// The first bar has all intervals up to 1.05 ms, and the last those from 11 s on, which are jumps of the clock.
const (
	Bars    = 188
	barBins = 50
	ratio   = 1.001
)

// Add counts an interval of so many milliseconds, and the refreshes that were missed in it.
func (f *Frames) Add(ms float64, missed int) {
	f.N, f.Missed = f.N+1, f.Missed+missed
	i := bin(ms)
	f.bars[i/barBins]++
	f.bins[i]++
}

// Drop takes back what Add has counted.
func (f *Frames) Drop(ms float64, missed int) {
	f.N, f.Missed = f.N-1, f.Missed-missed
	i := bin(ms)
	f.bars[i/barBins]--
	f.bins[i]--
}

func bin(ms float64) int {
	return min(int(math.Log(max(ms, 1))/math.Log(ratio)), Bars*barBins-1)
}

// MissedPercent returns the percentage of refreshes that showed nothing new.
func (f *Frames) MissedPercent() float64 { return MissedPercent(uint64(f.N), uint64(f.Missed)) }

// MissedPercent returns which percentage of the refreshes showed nothing new, if there are so many frames.
func MissedPercent(frames, missed uint64) float64 {
	return 100 * float64(missed) / float64(max(frames+missed, 1))
}

// Percentile returns the milliseconds that p percent of the intervals do not exceed, to half a bin, or 0 without any.
func (f *Frames) Percentile(p float64) float64 {
	if f.N == 0 {
		return 0
	}
	return math.Pow(ratio, float64(Rank(f.bins[:], Nearest(uint64(f.N), p/100)))+0.5)
}

// Bar returns how many intervals the i-th bar has.
func (f *Frames) Bar(i int) int { return int(f.bars[i]) }

// BarFrom returns the milliseconds where the i-th bar begins, and the one before ends.
func BarFrom(i int) float64 { return math.Pow(ratio, float64(i*barBins)) }
