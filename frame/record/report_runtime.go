package record

import (
	"fmt"
	"time"
)

// RuntimeReport is the part of a Report that Go's runtime tells, of the whole process: how long goroutines that could
// run waited for a processor, what the collector took, and for how long the process was stopped. Where late frames
// stand beside a long SchedLatency, it was Go's scheduler that had no processor to give; see also RunReport.Woke.
type RuntimeReport struct {
	// SchedLatency is of the time that goroutines waited to run once they could (/sched/latencies), of which the
	// runtime looks at one in eight. GCPause and OtherPause are of the pauses of the whole process, from the request to
	// the end. All are rounded up, by a quarter at most.
	SchedLatency Distribution `json:"sched_latency"`
	GCPause      Distribution `json:"gc_pause"`
	OtherPause   Distribution `json:"other_pause"`

	GCCycles     uint64 `json:"gc_cycles"`
	AllocObjects uint64 `json:"alloc_objects"`
	AllocBytes   uint64 `json:"alloc_bytes"`

	// Processor time, estimated by the runtime whenever a collection ends, so a run without one has none. GC is of the
	// collector altogether, Assist the part of it that goroutines did which allocate, the frame goroutine among them;
	// User is of the program's own code, Total of all there was, idle or not.
	GC     time.Duration `json:"gc_cpu_ns"`
	Assist time.Duration `json:"gc_assist_cpu_ns"`
	User   time.Duration `json:"user_cpu_ns"`
	Total  time.Duration `json:"total_cpu_ns"`
}

// report returns the part of a Report.
func (s *runtimeStats) report() *RuntimeReport {
	return &RuntimeReport{
		SchedLatency: s.latency.distribution(), GCPause: s.pauses.distribution(), OtherPause: s.stops.distribution(),
		GCCycles: s.gcCycles, AllocObjects: s.allocObjects, AllocBytes: s.allocBytes,
		GC: s.gc, Assist: s.assist, User: s.user, Total: s.total,
	}
}

// runtime writes the runtime's figures, if there are any.
func (t *textTable) runtime(r *Report) {
	g := r.Runtime
	if g == nil {
		return
	}
	if g.SchedLatency.N+g.GCPause.N+g.OtherPause.N == 0 {
		t.line("") // there is no title
	}
	t.distributions("Go's runtime, milliseconds", []named{
		{"goroutines waited to run", g.SchedLatency}, {"pauses by the collector", g.GCPause},
		{"other pauses", g.OtherPause},
	})
	if g.Total > 0 {
		t.row("processor time of the collector", fmt.Sprintf("%.2f %%", 100*share(g.GC, g.Total)),
			fmt.Sprintf("%.2f %% by those who allocate; of all there was", 100*share(g.Assist, g.Total)))
	}
	frames := float64(max(r.Run.Frames, 1)) // it was read for all of them
	t.row("allocations", thousands(g.AllocObjects), fmt.Sprintf("%.1f a frame, %.1f KiB; the whole process",
		float64(g.AllocObjects)/frames, float64(g.AllocBytes)/1024/frames))
}
