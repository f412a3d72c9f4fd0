package play

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/demo/sim"
)

// Hold is the idle mode for a game whose world makes jobs of its own: it accepts them and runs none, so
// that frames show what the game alone costs. The Probe hands them to the next mode. As no world should
// wait for ever, and no queue grow for ever, what is beyond holdLimit runs at once, the oldest first.
type Hold struct {
	sim.Inline
	jobs []sim.Job
}

// holdLimit is more than a world asks for in a minute.
const holdLimit = 4096

// Submit keeps j.
func (x *Hold) Submit(_ string, _ deadline.Priority, j sim.Job) {
	x.jobs = append(x.jobs, j)
	if len(x.jobs) > holdLimit {
		oldest := x.jobs[0]
		x.jobs = append(x.jobs[:0], x.jobs[1:]...)
		oldest.Run()
		oldest.Commit()
	}
}

// Begin and End do nothing: there is nothing to hand back.
func (x *Hold) Begin() {}

// End does nothing.
func (x *Hold) End() {}

// Pending returns how many jobs are held.
func (x *Hold) Pending() int { return len(x.jobs) }

// Close forgets them.
func (x *Hold) Close() { x.jobs = nil }
