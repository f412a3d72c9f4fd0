package sim

import "github.com/frameslice/frameslice/deadline"

// Job is one piece of work that may leave the frame goroutine.
//
// The Runner calls Run once, on any goroutine. When Run has returned it calls Commit once, on the frame goroutine.
// Run is pure computation: it reads only what the job owns and what never changes (the Map, an asset's bytes). Commit
// touches the World and is short: some tens of microseconds at most. Long work, as handing pixels to the graphics
// card, goes through Uploads piece by piece.
//
// Jobs are used again, so a Runner forgets a job when its Commit has returned.
type Job interface {
	Run()
	Commit()
}

// A Patient is a Job that can be stopped in its middle, for an executor that has no other thread for it.
type Patient interface {
	Job
	// RunPatiently is Run that calls pause every millisecond or so, where it can. pause may take as long as it likes.
	RunPatiently(pause func())
}

// Runner is the executor under a World. Only the Runner differs between the modes of the demo, so that the very same
// work runs in each. Its methods are called on the frame goroutine.
//
// A Runner may run a job inside Submit (Inline does), and may call Commit there, too. It must not lose a job, because a
// World waits for the Commit of each, without blocking.
type Runner interface {
	// ParallelFor calls body on disjoint ranges that together cover [0, n), and returns when all calls have returned.
	// Grain is the length below which splitting a range does not pay. The result of body(lo, hi) never depends on where
	// the ranges are cut.
	ParallelFor(n, grain int, body func(lo, hi int))

	// Submit hands over a job. Executors that learn costs learn them per kind.
	Submit(kind string, prio deadline.Priority, j Job)
}

// The kinds of jobs that a World submits.
const (
	KindTerrain = "terrain" // one chunk image: about 0.5 ms coarse, 4 ms fine (see Options.Detail)
	KindPath    = "path"    // one A* search: 0.01 ms to 25 ms, by distance
	KindDecode  = "decode"  // one image: decode, scale, mip chain: 0.1 ms to 90 ms
	KindText    = "text"    // one line of text: glyph rasterisation: 0.2 ms to 1 ms
)

// Inline is the Runner that has no executor: everything happens at once, on the calling goroutine.
type Inline struct{}

// ParallelFor calls body(0, n).
func (Inline) ParallelFor(n, _ int, body func(lo, hi int)) {
	if n > 0 {
		body(0, n)
	}
}

// Submit runs and commits j.
func (Inline) Submit(_ string, _ deadline.Priority, j Job) {
	j.Run()
	j.Commit()
}
