package frame

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

	// Processor time: see RuntimeStats.
	GC     time.Duration `json:"gc_cpu_ns"`
	Assist time.Duration `json:"gc_assist_cpu_ns"`
	User   time.Duration `json:"user_cpu_ns"`
	Total  time.Duration `json:"total_cpu_ns"`
}

// AddRuntime adds to the report what ReadRuntime told before and after the run, as after.Since(before). In the text,
// allocations are told for each of all frames, with the warm-up: so read as AddPool says.
func (r *Report) AddRuntime(during RuntimeStats) {
	r.Runtime = &RuntimeReport{
		SchedLatency: during.latency.distribution(), GCPause: during.pauses.distribution(),
		OtherPause: during.stops.distribution(), GCCycles: during.GCCycles,
		AllocObjects: during.AllocObjects, AllocBytes: during.AllocBytes,
		GC: during.GC, Assist: during.Assist, User: during.User, Total: during.Total,
	}
}

// runtime writes the runtime's figures, if there are any.
func (t *textTable) runtime(r *Report) {
	g := r.Runtime
	if g == nil {
		return
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
