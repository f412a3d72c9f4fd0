package scheduler

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// NoteHost tells the scheduler how long the host's frame took. The interval is from the begin of the frame to the next
// begin, busy is the part with the frame's own work and its slice, and due is the time that a frame should take.
//
// The scheduler learns from late frames how much work each kind of task leaves to the host, such as uploads of
// pictures. From the first call on, a new kind may run once in a frame, and twice as often after each few frames in
// time. This does not apply to tasks of Immediate priority, of less than 20 µs, and with a Cost of their own. NoteHost
// is for hosts that draw and swap after the slice. Frame goroutine, before BeginFrame; some ns for each kind of task.
func (s *Scheduler) NoteHost(interval, busy, due time.Duration) {
	s.enter("NoteHost")
	defer s.leave()
	s.kinds.host.Frame(interval, busy, due)
}

// HostCause returns the kind of task with the most late frames of the host: see NoteHost. It returns "" and 0 if no
// late frame was put down to a kind. Frame goroutine.
func (s *Scheduler) HostCause() (name string, frames uint64) {
	cause := s.kinds.host.Cause()
	if cause == nil {
		return "", 0
	}
	for e := range s.kinds.All() {
		if &e.Extra.after == cause {
			name = e.Name()
		}
	}
	return name, cause.Late()
}

// held reports whether the frame has run enough of the item's kind, as its tasks leave work to the host.
func (s *Scheduler) held(it *item) bool {
	return s.kinds.host.Exhausted() && !it.fatal && s.until != deadline.Never &&
		it.node.Priority() != deadline.Immediate && s.kinds.of(it).Extra.after.Exhausted()
}
