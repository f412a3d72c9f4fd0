package record

import (
	"math"
	"runtime/metrics"
	"slices"
	"time"
)

// runtimeStats are counts of package runtime/metrics, of the whole process, as far as they explain late frames. They
// only grow, so a run has the difference of two.
type runtimeStats struct {
	allocObjects, allocBytes uint64
	gc, total                float64 // seconds
	latency, pauses          runtimeHistogram
}

// runtimeNames are the metrics of runtimeStats, in the order in which readRuntime takes them.
var runtimeNames = [...]string{
	"/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects", "/gc/heap/allocs:bytes",
	"/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/total:cpu-seconds",
	"/sched/latencies:seconds", "/sched/pauses/total/gc:seconds",
}

// readRuntime reads them. Any goroutine. It takes some 20 µs and allocates some KB, so it is not for every frame.
func readRuntime() runtimeStats {
	s := samples(len(runtimeNames))
	return runtimeStats{
		allocObjects: count(&s[0]) + count(&s[1]), allocBytes: count(&s[2]), gc: seconds(&s[3]), total: seconds(&s[4]),
		latency: readHistogram(&s[5]), pauses: readHistogram(&s[6]),
	}
}

// readAllocs reads the allocations again, and allocates next to nothing.
func (s *runtimeStats) readAllocs() {
	now := samples(3)
	s.allocObjects, s.allocBytes = count(&now[0])+count(&now[1]), count(&now[2])
}

// samples reads the first n metrics.
func samples(n int) (s [len(runtimeNames)]metrics.Sample) {
	for i := range n {
		s[i].Name = runtimeNames[i]
	}
	metrics.Read(s[:n])
	return s
}

func seconds(s *metrics.Sample) float64 {
	if s.Value.Kind() != metrics.KindFloat64 {
		return 0
	}
	return s.Value.Float64()
}

// combine returns s and o together, o times sign: 1 or -1.
func (s *runtimeStats) combine(o *runtimeStats, sign int) runtimeStats {
	return runtimeStats{
		allocObjects: s.allocObjects + uint64(sign)*o.allocObjects,
		allocBytes:   s.allocBytes + uint64(sign)*o.allocBytes,
		gc:           max(0, s.gc+float64(sign)*o.gc), total: max(0, s.total+float64(sign)*o.total),
		latency: s.latency.combine(o.latency, sign), pauses: s.pauses.combine(o.pauses, sign),
	}
}

// runtimeHistogram is a histogram of the runtime: counts[i] durations lie in bounds[i]..bounds[i+1], in seconds. The
// buckets are a quarter of a power of two wide, or less.
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

func (h runtimeHistogram) combine(o runtimeHistogram, sign int) runtimeHistogram {
	if len(h.counts) == 0 { // the zero runtimeStats, or a metric that is gone
		return runtimeHistogram{slices.Clone(o.counts), o.bounds}
	}
	both := runtimeHistogram{slices.Clone(h.counts), h.bounds}
	if len(o.counts) == len(both.counts) {
		for i, c := range o.counts {
			both.counts[i] += uint64(sign) * c
		}
	}
	return both
}

// in returns the upper end of a bucket, if the bucket has one, and otherwise the lower end.
func (h runtimeHistogram) in(i int) time.Duration {
	end := h.bounds[i+1]
	if math.IsInf(end, 0) {
		end = h.bounds[i]
	}
	return time.Duration(max(end, 0) * 1e9)
}

// distribution returns the order statistics, rounded up by the width of a bucket at most.
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
