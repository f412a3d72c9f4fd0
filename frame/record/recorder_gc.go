package record

import (
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/heaplook"
)

// gcMeter tells how many garbage collections ended between two calls of sample, and how long they stopped the process.
// Frame goroutine only.
//
// To read /gc/cycles/total takes 60 ns, so every frame does it. The histogram of pauses takes 110 ns or more, so it is
// read only when the number of cycles has moved. Rejected: debug.ReadGCStats, which takes the heap's lock;
// runtime.MemStats, which stops the world; and a finalizer, which runs frames later.
type gcMeter struct {
	cycles []metrics.Sample
	pauses []metrics.Sample
	seen   uint64
	paused time.Duration
}

func newGCMeter() *gcMeter {
	g := &gcMeter{
		cycles: []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}},
		pauses: []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}},
	}
	metrics.Read(g.cycles)
	g.seen, g.paused = heaplook.Count(&g.cycles[0]), g.pause()
	return g
}

// sample returns what was new since the call before.
func (g *gcMeter) sample() (cycles uint64, pause time.Duration) {
	metrics.Read(g.cycles)
	n := heaplook.Count(&g.cycles[0])
	if n == g.seen {
		return 0, 0
	}
	cycles, g.seen = n-g.seen, n
	total := g.pause()
	pause, g.paused = max(0, total-g.paused), total
	return cycles, pause
}

// pause estimates the sum of all pauses so far from the middles of the histogram's buckets, within one part in eight.
func (g *gcMeter) pause() time.Duration {
	metrics.Read(g.pauses)
	h, sum := histogramIn(&g.pauses[0]), 0.0
	for i, n := range h.Counts {
		if n > 0 {
			lo, hi := h.bucket(i)
			sum += float64(n) * (lo + hi) / 2
		}
	}
	return time.Duration(sum * 1e9)
}

// A collection is one garbage collection: when its last pause ended, and how long it stopped the process.
type collection struct {
	end     deadline.Instant
	stopped time.Duration
}

// readCollections returns the latest collections that the runtime remembers, up to 256. It takes a lock of the heap, so
// it is for reports.
func readCollections() []collection {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	wall, now := time.Now(), deadline.Now()
	all := make([]collection, 0, len(stats.PauseEnd))
	for i := range slices.Backward(stats.PauseEnd) {
		all = append(all, collection{now.Add(stats.PauseEnd[i].Sub(wall)), stats.Pause[i]})
	}
	return all
}
