package load

import "github.com/frameslice/frameslice/deadline"

// A Scene is the work of a run: what the frames do themselves, and the jobs that they hand to the executor.
// A comparison is of the rig, whose work is fixed in iterations; a host that has a world of its own gives it
// as Config.Scene. All methods are called on the frame goroutine.
type Scene interface {
	// Reset makes the scene of a slice of mode m, outside the frames.
	Reset(m Mode)
	// Start is called before the first frame of the slice, with the executor that has just been opened.
	Start(x Executor, now deadline.Instant)
	// Offer submits the jobs that have come due by now.
	Offer(x Executor, now deadline.Instant)
	// Step does the frame's own work.
	Step(x Executor)
	// Counts returns what has become of the jobs since Reset.
	Counts() Counts
	// Leave is called when the slice is over and x is about to be closed.
	Leave()
	// Describe fills in what the scene knows of the settings: jobs, own work, crowd.
	Describe(s *Settings)
}

// Counts are of a slice, and only grow during it.
type Counts struct {
	Due      int64 // came due by the schedule
	Dropped  int64 // of those, refused because too many were waiting
	Finished int64 // committed
}

// Plus returns both together.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Due + d.Due, c.Dropped + d.Dropped, c.Finished + d.Finished}
}

// Minus returns what has come since d.
func (c Counts) Minus(d Counts) Counts {
	return Counts{c.Due - d.Due, c.Dropped - d.Dropped, c.Finished - d.Finished}
}

var _ Scene = (*rig)(nil)
