package costs

import "fmt"

// Check returns what is wrong with e's bookkeeping.
func (e *Estimate) Check() error {
	total, top, above := 0, 0, 0
	for i, w := range e.hist {
		for j := 0; w != 0; j++ {
			n := int(w & 255)
			w >>= 8
			total += n
			if n > 0 {
				top = i
			}
			if 8*i+j > int(e.high) {
				above += n
			}
		}
	}
	if total != int(e.total) || total > fadeAt+1<<maxStreak || top > int(e.top) || above != int(e.above) {
		return fmt.Errorf("%d runs up to octave %d, %d above High, but total %d, top %d, above %d",
			total, top, above, e.total, e.top, e.above)
	}
	if ignore := int(e.ignored()); above > ignore || above+int(e.at(e.high)) <= ignore {
		return fmt.Errorf("%d of %d runs are above High, %d in its bucket", above, total, e.at(e.high))
	}
	if e.peakRuns > e.at(e.high) || e.peakRuns > 0 && bucketOf(e.peak) != int(e.high) {
		return fmt.Errorf("the peak %v is of %d runs, of %d in High's bucket", e.peak, e.peakRuns, e.at(e.high))
	}
	return nil
}
