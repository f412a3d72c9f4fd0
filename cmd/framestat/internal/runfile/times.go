package runfile

import (
	"math"
	"time"
)

// contradiction is by how much an interval and the times of two rows must differ to be worth a note. Times are of a
// call or of a start, so they jitter against each other by some milliseconds.
const contradiction = 50 * time.Millisecond

// compareTimes notes intervals that the times in the same rows contradict: one of the two is wrong, and nothing tells
// which. times are in seconds, or in milliseconds if that fits the intervals better and clock does not say. NaN is
// unknown.
func (run *Run) compareTimes(times []float64, clock string) {
	var sum, span float64 // of the rows that follow one whose time is known
	for i := 1; i < len(times); i++ {
		if step := times[i] - times[i-1]; step == step {
			span += step
			sum += run.Intervals[i].Seconds()
		}
	}
	if !(span > 0) || sum == 0 {
		return // the file has no times
	}
	unit := 1.0
	if clock == "TimeInMs" || clock == "CPUStartTime" &&
		math.Abs(math.Log(span/1000/sum)) < math.Abs(math.Log(span/sum)) {
		unit = 1e-3
	}
	span *= unit
	wrong, most := 0, 0.0
	for i, d := range run.Intervals {
		off := math.Inf(1) // an interval may end or begin at the time of its row
		for _, k := range [2]int{i, i + 1} {
			if k < 1 || k >= len(times) {
				continue
			}
			if step := (times[k] - times[k-1]) * unit; step == step {
				by := math.Abs(step - d.Seconds())
				if by < min(step, d.Seconds()) { // less than twice as long
					by = 0
				}
				off = min(off, by)
			}
		}
		if off > contradiction.Seconds() && !math.IsInf(off, 1) {
			wrong++
			most = max(most, off)
		}
	}
	switch {
	case wrong > 0:
		run.note("the times in the rows contradict %d of the intervals, by up to %.3f s: %.1f s of frames in %.1f s",
			wrong, most, sum, span)
	case math.Abs(sum-span) > max(0.05*span, contradiction.Seconds()):
		run.note("%.1f s of frames in %.1f s by the times in the rows: frames are missing, or one of the two is wrong",
			sum, span)
	}
}
