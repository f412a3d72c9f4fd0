package record

import (
	"math"
	"runtime/metrics"
	"slices"
	"time"
)

// runtimeStats are what package runtime/metrics counts of the whole process, as far as it makes frames late. The
// counts only grow: what a run has is the difference of two of them (since). See RuntimeReport.
type runtimeStats struct {
	gcCycles, allocObjects, allocBytes uint64
	gc, assist, user, total            time.Duration
	latency, pauses, stops             runtimeHistogram
}

// runtimeNames are the metrics of runtimeStats, in the order in which readRuntime takes them.
var runtimeNames = [...]string{
	"/gc/cycles/total:gc-cycles", "/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects", "/gc/heap/allocs:bytes",
	"/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/gc/mark/assist:cpu-seconds", "/cpu/classes/user:cpu-seconds",
	"/cpu/classes/total:cpu-seconds",
	"/sched/latencies:seconds", "/sched/pauses/total/gc:seconds", "/sched/pauses/total/other:seconds",
}

// readRuntime reads them. Any goroutine; some 20 µs, and it allocates some KB, so it is not for every frame.
func readRuntime() runtimeStats {
	var s [len(runtimeNames)]metrics.Sample
	for i, name := range runtimeNames {
		s[i].Name = name
	}
	metrics.Read(s[:])
	seconds := func(i int) time.Duration {
		if s[i].Value.Kind() != metrics.KindFloat64 {
			return 0
		}
		return time.Duration(s[i].Value.Float64() * 1e9)
	}
	return runtimeStats{
		gcCycles: count(&s[0]), allocObjects: count(&s[1]) + count(&s[2]), allocBytes: count(&s[3]),
		gc: seconds(4), assist: seconds(5), user: seconds(6), total: seconds(7),
		latency: readHistogram(&s[8]), pauses: readHistogram(&s[9]), stops: readHistogram(&s[10]),
	}
}

// readAllocs reads what has been allocated anew, and allocates next to nothing.
func (s *runtimeStats) readAllocs() {
	var now [3]metrics.Sample
	for i := range now {
		now[i].Name = runtimeNames[1+i]
	}
	metrics.Read(now[:])
	s.allocObjects, s.allocBytes = count(&now[0])+count(&now[1]), count(&now[2])
}

// since returns what has come since before.
func (s *runtimeStats) since(before *runtimeStats) runtimeStats { return s.combine(before, false) }

// plus returns both together: of two turns of one loop, for example.
func (s *runtimeStats) plus(o *runtimeStats) runtimeStats { return s.combine(o, true) }

func (s *runtimeStats) combine(o *runtimeStats, plus bool) runtimeStats {
	n := func(a, b uint64) uint64 {
		if plus {
			return a + b
		}
		return a - b
	}
	d := func(a, b time.Duration) time.Duration {
		if plus {
			return a + b
		}
		return max(0, a-b)
	}
	return runtimeStats{
		gcCycles: n(s.gcCycles, o.gcCycles), allocObjects: n(s.allocObjects, o.allocObjects),
		allocBytes: n(s.allocBytes, o.allocBytes),
		gc:         d(s.gc, o.gc), assist: d(s.assist, o.assist), user: d(s.user, o.user), total: d(s.total, o.total),
		latency: s.latency.combine(o.latency, n), pauses: s.pauses.combine(o.pauses, n),
		stops: s.stops.combine(o.stops, n),
	}
}

// runtimeHistogram is one of the runtime's, of durations: counts[i] of them lie in bounds[i]..bounds[i+1], in seconds.
// The runtime's buckets are a quarter of a power of two wide, or less.
type runtimeHistogram struct {
	counts []uint64
	bounds []float64
}

func readHistogram(s *metrics.Sample) runtimeHistogram {
	if s.Value.Kind() != metrics.KindFloat64Histogram {
		return runtimeHistogram{}
	}
	h := s.Value.Float64Histogram()
	return runtimeHistogram{slices.Clone(h.Counts), h.Buckets}
}

func (h runtimeHistogram) combine(o runtimeHistogram, n func(a, b uint64) uint64) runtimeHistogram {
	if len(h.counts) == 0 { // the zero runtimeStats, or a metric that is gone
		return runtimeHistogram{slices.Clone(o.counts), o.bounds}
	}
	sum := runtimeHistogram{slices.Clone(h.counts), h.bounds}
	if len(o.counts) == len(sum.counts) {
		for i, c := range o.counts {
			sum.counts[i] = n(sum.counts[i], c)
		}
	}
	return sum
}

// in returns the duration of a bucket: its upper end, where it has one.
func (h runtimeHistogram) in(i int) time.Duration {
	if hi := h.bounds[i+1]; !math.IsInf(hi, 0) {
		return time.Duration(max(hi, 0) * 1e9)
	}
	return time.Duration(max(h.bounds[i], 0) * 1e9)
}

// distribution returns the order statistics: never less than they are, and more by the width of a bucket at most.
func (h runtimeHistogram) distribution() Distribution {
	var d Distribution
	sum := 0.0
	for i, c := range h.counts {
		d.N += c
		sum += float64(c) * float64(h.in(i))
	}
	if d.N == 0 {
		return Distribution{}
	}
	d.Mean = time.Duration(sum / float64(d.N))
	seen := uint64(0)
	for i, c := range h.counts {
		if c == 0 {
			continue
		}
		seen += c
		d.Max = h.in(i)
		for _, q := range [...]struct {
			to *time.Duration
			p  float64
		}{{&d.P50, 50}, {&d.P90, 90}, {&d.P99, 99}, {&d.P999, 99.9}} {
			if *q.to == 0 && seen > uint64(rankOf(int(d.N), q.p)) {
				*q.to = d.Max
			}
		}
	}
	return d
}
