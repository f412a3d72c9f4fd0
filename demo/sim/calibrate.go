package sim

import (
	"slices"
	"time"
)

// Calibrate returns the detail at which Synth takes about target on this machine, at this moment: it measures
// two details, several times each, takes the medians, draws the line through them, and corrects the answer
// once by a third measurement. It takes some 40 ms plus ten times the target, or twice a target of a second, on the
// calling goroutine, so run it before the frames begin, and with nothing else running. Targets below the fixed part of
// the cost give 1.
func Calibrate(target time.Duration) (detail int) {
	c := NewChunk()
	cost := func(detail int) time.Duration {
		return medianCost(func() { SynthInto(c, 1, WorldChunks/2, WorldChunks/2, detail) })
	}
	return fitDetail(target, cost)
}

// fitDetail is the arithmetic of Calibrate, apart from the clock.
func fitDetail(target time.Duration, cost func(detail int) time.Duration) int {
	const few, many = 24, 448
	low, high := cost(few), cost(many)
	slope := float64(high-low) / float64(many-few)
	if slope <= 0 { // the machine was busy with something else
		return DefaultDetail
	}
	fixed := float64(low) - slope*float64(few)
	guess := func(d float64) int { return int(min(max(d+0.5, 1), MaxDetail)) }
	d := guess((float64(target) - fixed) / slope)
	if d == 1 || d == MaxDetail {
		return d
	}
	if got := cost(d); float64(got) > fixed {
		d = guess(float64(d) * (float64(target) - fixed) / (float64(got) - fixed))
	}
	return d
}

// medianCost runs f until it has seven durations, after one run to warm up; each is of as many runs as a
// coarse clock (1 ms in a browser) needs. What takes long is not repeated so often: half a second is enough.
func medianCost(f func()) time.Duration {
	first := time.Now()
	f()
	var list [7]time.Duration
	runs, i := 1, 0
	for i < len(list) && (i == 0 || time.Since(first) < 500*time.Millisecond) {
		begin := time.Now()
		for range runs {
			f()
		}
		took := time.Since(begin)
		if took < 200*time.Microsecond && runs < 1024 {
			runs *= 4
			continue
		}
		list[i] = took / time.Duration(runs)
		i++
	}
	slices.Sort(list[:i])
	return list[i/2]
}
