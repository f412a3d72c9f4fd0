package scheduler

import "github.com/frameslice/frameslice/internal/carrier"

// The runtime remembers with each coroutine the thread lock of the goroutine that created it, and throws,
// which nothing can recover, when the coroutine is resumed under another: on a locked goroutine if it was
// created on an unlocked one, on another thread, or with another lock count. A throw says little to whoever
// sees it, so the scheduler looks at the lock when it may have changed, and panics instead: before the
// throw, with everything intact. Looking takes 3 to 20 µs (it formats the top of a stack trace), so it is
// done in the first slices, where a program that locks its goroutine too late is caught, in Close, and in
// every slice in builds with the race detector.
const lockChecks = 8

const errMoved = "scheduler: the frame goroutine has another thread lock than when its suspended " +
	"coroutines were created: call LockOSThread before the first RunUntil, and RunUntil always on that goroutine"

// sameThread reports whether the coroutines that exist may be resumed here. Those without a task are
// abandoned if not. It is called with the token, in the first slices and by Close, so this is also where a Scheduler
// that New did not make is found out.
func (s *Scheduler) sameThread() bool {
	if s.life == nil {
		s.leave()
		panic(errZero)
	}
	if s.alive == 0 {
		return true
	}
	locked := carrier.Here().Locked()
	if locked == s.locked {
		return true
	}
	if len(s.live) > 0 || s.nest != nil {
		return false
	}
	old := s.idle
	if s.carrier != nil {
		old = append(old, s.carrier)
	}
	for _, c := range old {
		if s.locked {
			s.lost++ // only that thread could end it
			continue
		}
		go c.stop()
	}
	s.idle, s.carrier, s.alive = nil, nil, 0
	return true
}
