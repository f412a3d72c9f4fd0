package record

import (
	"fmt"
	"math"
	"reflect"
	"runtime/metrics"
	"time"

	"github.com/frameslice/frameslice/internal/heaplook"
	"github.com/frameslice/frameslice/internal/hist"
	"github.com/frameslice/frameslice/workers"
)

// beside is what others count while frames are recorded: Go's runtime, and the pool that is watched. The counts only
// grow, so a run's counts are the difference of two readings.
type beside struct {
	Runtime runtimeStats
	Pool    PoolReport // the zero value without a pool
}

func readBeside(p *workers.Pool) beside { return beside{readRuntime(), readPool(p)} }

// begin reads the counts of now.
func (b *beside) begin(p *workers.Pool) {
	*b = readBeside(p)
	b.Runtime.readAllocs() // once more: readRuntime allocates
}

// minus subtracts the counts of before.
func (b *beside) minus(before *beside) {
	sum(b, before, -1)
	if p := &b.Pool; p.Workers+p.Background == 0 { // the pool has closed
		p.Workers, p.Background = before.Pool.Workers, before.Pool.Background
	}
}

// plus adds o, the counts of another Snapshot.
func (b *beside) plus(o *beside) {
	sum(b, o, 1)
	p := &b.Pool
	p.Workers, p.Background = max(p.Workers, o.Pool.Workers), max(p.Background, o.Pool.Background)
}

// PoolReport is about the pool, while frames were recorded. Callers ran jobs in slices (Counts.JobsInSlice), in Wait
// and in Close. docs/measuring.md has a table of all counters.
type PoolReport struct {
	Workers    int `json:"workers"`
	Background int `json:"background"`

	Run         uint64 `json:"run" text:"jobs run by workers"`
	Stolen      uint64 `json:"stolen" text:"of them stolen"`
	RanByCaller uint64 `json:"ran_by_caller" text:"jobs run by callers"`
	IOEnded     uint64 `json:"io_ended" text:"IO functions ended"`
	Parked      uint64 `json:"parked" text:"parks"`
	Woken       uint64 `json:"woken" text:"wakes"`
}

// readPool returns the counts of a pool; nil is a pool in which nothing happens.
func readPool(p *workers.Pool) PoolReport {
	if p == nil {
		return PoolReport{}
	}
	var s workers.Stats
	p.Stats(&s)
	return poolReport(&s)
}

func poolReport(s *workers.Stats) PoolReport {
	return PoolReport{
		Workers: s.Workers, Background: s.Background, Run: s.Run, Stolen: s.Stolen, RanByCaller: s.RanByCaller,
		IOEnded: s.IOEnded, Parked: s.Parked, Woken: s.Woken,
	}
}

// pool writes the pool's figures, if there are any.
func (t *textTable) pool(r *Report) {
	if p := r.Pool; p != nil {
		title := fmt.Sprintf("pool (workers: %d, background: %d)", p.Workers, p.Background)
		t.counts(title, reflect.ValueOf(*p), r.Run.Frames)
	}
}

// RuntimeReport is from Go's runtime, about the whole process.
type RuntimeReport struct {
	// A long SchedLatency in late frames means that Go's scheduler had no processor to give. Both are rounded up, by a
	// quarter at most.
	SchedLatency Distribution `json:"sched_latency"`
	GCPause      Distribution `json:"gc_pause"`

	AllocObjects uint64 `json:"alloc_objects"`
	AllocBytes   uint64 `json:"alloc_bytes"`

	// The processor time of the collector, and of all processors, also idle. The runtime estimates both when a
	// collection ends: a run without a collection has 0.
	GC    time.Duration `json:"gc_cpu_ns"`
	Total time.Duration `json:"total_cpu_ns"`
}

// runtimeStats are counts of package runtime/metrics, as far as they explain late frames.
type runtimeStats struct {
	AllocObjects, AllocBytes uint64
	GC, Total                time.Duration
	Latency, Pauses          runtimeHistogram
}

// runtimeNames are the metrics of runtimeStats, in the order in which readRuntime takes them.
var runtimeNames = [...]string{
	"/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects", "/gc/heap/allocs:bytes",
	"/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/total:cpu-seconds",
	"/sched/latencies:seconds", "/sched/pauses/total/gc:seconds",
}

// readRuntime reads the metrics. Any goroutine. It takes about 20 µs and allocates some KB: not for every frame.
func readRuntime() runtimeStats {
	s := samples(len(runtimeNames))
	return runtimeStats{
		AllocObjects: heaplook.Count(&s[0]) + heaplook.Count(&s[1]), AllocBytes: heaplook.Count(&s[2]),
		GC: seconds(&s[3]), Total: seconds(&s[4]),
		Latency: histogramIn(&s[5]), Pauses: histogramIn(&s[6]),
	}
}

// readAllocs reads the allocations again, and allocates next to nothing.
func (s *runtimeStats) readAllocs() {
	now := samples(3)
	s.AllocObjects, s.AllocBytes = heaplook.Count(&now[0])+heaplook.Count(&now[1]), heaplook.Count(&now[2])
}

// samples reads the first n metrics.
func samples(n int) (s [len(runtimeNames)]metrics.Sample) {
	for i := range n {
		s[i].Name = runtimeNames[i]
	}
	metrics.Read(s[:n])
	return s
}

func seconds(s *metrics.Sample) time.Duration {
	if s.Value.Kind() != metrics.KindFloat64 {
		return 0
	}
	return time.Duration(s.Value.Float64() * 1e9)
}

// runtimeHistogram is a histogram of the runtime: Counts[i] durations lie in bounds[i]..bounds[i+1], in seconds. The
// buckets are a quarter of a power of two wide, or less.
type runtimeHistogram struct {
	Counts []uint64
	bounds []float64
}

// histogramIn returns the histogram in s, which keeps the memory. It is empty if the runtime has none of that name.
func histogramIn(s *metrics.Sample) runtimeHistogram {
	if s.Value.Kind() != metrics.KindFloat64Histogram {
		return runtimeHistogram{}
	}
	h := s.Value.Float64Histogram()
	return runtimeHistogram{h.Counts, h.Buckets}
}

// bucket returns the ends of a bucket. An end without a bound is the other end.
func (h runtimeHistogram) bucket(i int) (lo, hi float64) {
	lo, hi = h.bounds[i], h.bounds[i+1]
	if math.IsInf(lo, 0) {
		lo = 0
	}
	if math.IsInf(hi, 0) {
		hi = lo
	}
	return lo, hi
}

// distribution returns the order statistics, rounded up by the width of a bucket at most.
func (h runtimeHistogram) distribution() Distribution {
	end := func(i int) time.Duration {
		_, hi := h.bucket(i)
		return time.Duration(hi * 1e9)
	}
	n, sum, most := uint64(0), 0.0, time.Duration(0)
	for i, c := range h.Counts {
		if c > 0 {
			n += c
			sum += float64(c) * float64(end(i))
			most = end(i)
		}
	}
	if n == 0 {
		return Distribution{}
	}
	return distributionBy(n, time.Duration(sum/float64(n)), most, func(p float64) time.Duration {
		return end(hist.Rank(h.Counts, hist.Nearest(n, p/100)))
	})
}

// report returns the part of a Report.
func (s *runtimeStats) report() *RuntimeReport {
	return &RuntimeReport{
		SchedLatency: s.Latency.distribution(), GCPause: s.Pauses.distribution(),
		AllocObjects: s.AllocObjects, AllocBytes: s.AllocBytes,
		GC: max(0, s.GC), Total: max(0, s.Total), // the runtime may correct its estimates
	}
}

// runtime writes the runtime's figures, if there are any.
func (t *textTable) runtime(r *Report) {
	g := r.Runtime
	if g == nil {
		return
	}
	if g.SchedLatency.N+g.GCPause.N == 0 {
		t.Line("") // there is no title
	}
	t.distributions("Go's runtime, milliseconds", []named{
		{"goroutines waited to run", g.SchedLatency}, {"pauses by the collector", g.GCPause},
	})
	if g.Total > 0 {
		t.row("processor time of the collector", fmt.Sprintf("%.2f %%", 100*share(g.GC, g.Total)), "of all there was")
	}
	frames := float64(max(r.Run.Frames, 1))
	t.row("allocations", thousands(g.AllocObjects), fmt.Sprintf("%.1f a frame, %.1f KiB; the whole process",
		float64(g.AllocObjects)/frames, float64(g.AllocBytes)/1024/frames))
}
