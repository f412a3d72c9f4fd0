package scheduler

import "github.com/frameslice/frameslice/internal/carrier"

// S12. The runtime remembers with each coroutine the thread lock of the goroutine that created it. It throws, which
// nothing can recover, if the coroutine is resumed under another lock: on another thread, or with another lock count.
// So the frame goroutine itself creates each coroutine, when it first resumes it, and nobody else resumes it. Go and
// Submit create none. The host must keep its thread lock as it is (see the package comment).
//
// A throw says little, so the scheduler looks at the lock when it may have changed, and panics before the throw, with
// everything intact. A look takes 3 to 20 µs, because it formats the top of a stack trace. So the scheduler looks in
// the first slices, where a program that locks its goroutine too late is caught, in Close, and in every slice under the
// race detector. If no coroutine is suspended, the pool is abandoned instead, and another one is made. Abandoned
// coroutines that were created on a locked thread stay behind (Stats.Abandoned): nothing could end them.
const lockChecks = 8

const errMoved = "scheduler: the frame goroutine has another thread lock than when its suspended " +
	"coroutines were created: call LockOSThread before the first RunUntil, and RunUntil always on that goroutine"

// sameThread reports whether the coroutines that exist may be resumed here. If not, coroutines without a task are
// abandoned. It is called with the token, in the first slices and by Close. So it also finds a Scheduler that New did
// not make.
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
