package workers

import (
	"time"

	"github.com/frameslice/frameslice/internal/osthread"
)

// Within a testing/synctest bubble time stands still while any goroutine runs, or sleeps where the bubble does not see
// it: in a system call, in the network poller. So there every wait has to be on channels and timers. Measures against
// other programs, or against the system's choice of threads, have no meaning. Slower jobs only make the test slower. A
// pool that was made within a bubble is like a pool on a system that has nothing better to offer:
//
//   - Its workers sleep in channels. (Rejected: to panic. A test of a game would then need other options.)
//   - Background workers are those of the ordinary priority, which take what background workers take.
//   - Who stands back does so in virtual time, and looks less often the longer it takes.

// lower gives the calling thread of a background worker the lowest priority.
func (p *Pool) lower() (osthread.Class, error) {
	if p.virtual {
		return osthread.Ordinary, nil
	}
	return osthread.Lower()
}

// nap stops the calling worker, which has stood back for as long as been, and is to for left, a while. In virtual time
// an hour is 36 million of those, each of which the test waits for: so there they grow with what has passed.
func (p *Pool) nap(been, left time.Duration) {
	if p.virtual {
		time.Sleep(min(max(nap, been/16), left))
		return
	}
	osthread.Nap(nap)
}
