package record

import (
	"fmt"
	"time"
)

// RuntimeReport is the part of a Report from Go's runtime, about the whole process. If SchedLatency is long when frames
// are late, Go's scheduler had no processor to give. See also RunReport.Woke.
type RuntimeReport struct {
	// SchedLatency is how long goroutines that could run waited for a processor; the runtime looks at one in eight.
	// GCPause is of the pauses of the whole process. Both are rounded up, by a quarter at most.
	SchedLatency Distribution `json:"sched_latency"`
	GCPause      Distribution `json:"gc_pause"`

	AllocObjects uint64 `json:"alloc_objects"`
	AllocBytes   uint64 `json:"alloc_bytes"`

	// GC is the collector's processor time, Total the time of all processors, idle or not. The runtime estimates both
	// when a collection ends, so a run without one has none.
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
