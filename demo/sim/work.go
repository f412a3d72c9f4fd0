package sim

import (
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/internal/hist"
)

// Offered jobs paint terrain chunks that nobody sees. This file has what such a job needs: how much to paint for a
// given time, and memory to paint into.

// Calibrate returns the detail at which SynthInto takes about target on this machine. It measures two details several
// times, draws the line through their medians, and corrects the answer once by a third measurement.
//
// Run it before the frames begin, with nothing else running. It takes about 40 ms and ten times the target, or twice a
// target of a second. Targets below the fixed part of the cost give 1.
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

// medianCost runs f until it has seven durations, after one run to warm up. A duration is the mean of as many runs as a
// coarse clock needs (1 ms in a browser). After half a second it takes the durations that it has.
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
	return hist.Median(list[:i])
}

// ChunkPool lends a job that paints a chunk its memory (330 KB), from the start of Run to Commit. So jobs that wait
// hold none, and the memory is warm from the job before. It has no lock, because a worker that loses its CPU inside
// one would make the frame goroutine wait. The collector has what does not fit. Any goroutine; the zero value is
// ready.
type ChunkPool struct {
	slot [256]atomic.Pointer[Chunk]
}

// Take returns a chunk until Put. Its picture has no meaning yet.
func (p *ChunkPool) Take() *Chunk {
	for i := range p.slot {
		if s := &p.slot[i]; s.Load() != nil {
			if c := s.Swap(nil); c != nil {
				return c
			}
		}
	}
	return NewChunk()
}

// Put takes a chunk back.
func (p *ChunkPool) Put(c *Chunk) {
	for i := range p.slot {
		if s := &p.slot[i]; s.Load() == nil && s.CompareAndSwap(nil, c) {
			return
		}
	}
}
