package record

import (
	"fmt"
	"time"
)

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

// report returns the part of a Report.
func (s *runtimeStats) report() *RuntimeReport {
	return &RuntimeReport{
		SchedLatency: s.latency.distribution(), GCPause: s.pauses.distribution(),
		AllocObjects: s.allocObjects, AllocBytes: s.allocBytes,
		GC: time.Duration(s.gc * 1e9), Total: time.Duration(s.total * 1e9),
	}
}

// runtime writes the runtime's figures, if there are any.
func (t *textTable) runtime(r *Report) {
	g := r.Runtime
	if g == nil {
		return
	}
	if g.SchedLatency.N+g.GCPause.N == 0 {
		t.line("") // there is no title
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
