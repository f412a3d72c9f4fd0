package frame

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// gogc is the process's GOGC while loops with IdleGC are open. GOGC belongs to the process and can only be read and
// swapped, so the loops share what they have set, and what the program wants. This is the package's only variable.
var gogc sharedGOGC

// sharedGOGC is a GOGC that several loops raise together. The first one to join finds what the program wants, and the
// last one to leave puts that back, in whichever order they close. A GOGC that the loops have not set is somebody
// else's: it stays, and is what the program wants from then on.
type sharedGOGC struct {
	sync.Mutex
	loops       int
	wanted, set int
}

// readGOGC reads GOGC without setting it, as package debug would: -1 where collections are off.
func readGOGC() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	if v := number(&s[0]); v <= math.MaxInt32 {
		return int(v)
	}
	return -1
}

// join returns the GOGC that a loop is to keep to.
func (s *sharedGOGC) join() uint64 {
	s.Lock()
	defer s.Unlock()
	if found := readGOGC(); s.loops == 0 || found != s.set {
		s.wanted, s.set = found, found
	}
	s.loops++
	return s.kept()
}

// held returns what the loops have set GOGC to, and what the program wants.
func (s *sharedGOGC) held() (set int, wanted uint64) {
	s.Lock()
	defer s.Unlock()
	return s.set, s.kept()
}

// kept returns the GOGC that loops are to keep to: zero where collections are off, or GOGC is too much for apart.
func (s *sharedGOGC) kept() uint64 {
	if s.wanted <= 0 || s.wanted > math.MaxInt32/(1+mostApart) {
		return 0
	}
	return uint64(s.wanted)
}

// move changes what the loops have set, and reports whether it was still there. There is no way to do both at once, so
// what somebody sets between the two is lost. A µs.
func (s *sharedGOGC) move(percent int) bool {
	s.Lock()
	defer s.Unlock()
	if found := readGOGC(); s.loops == 0 || found != s.set {
		return false
	}
	debug.SetGCPercent(percent)
	s.set = percent
	return true
}

// leave is the end of a loop that has joined.
func (s *sharedGOGC) leave() {
	s.Lock()
	defer s.Unlock()
	if s.loops--; s.loops > 0 || s.set == s.wanted {
		return
	}
	if found := debug.SetGCPercent(s.wanted); found != s.set {
		debug.SetGCPercent(found)
	}
}

// apart returns the GOGC to set where so much is alive and IdleGC begins the collections that a GOGC of wanted stands
// for: the runtime's mark is twice as far, and headroom further as long as that is at most mostApart times as far.
func apart(wanted, live uint64) int {
	return int(wanted + min(max(wanted, headroom*100/max(live, 1)), mostApart*wanted))
}

const (
	// headroom is what the program may allocate between the loop's mark and the runtime's, roughly: the demo allocates
	// some 20 MB in a frame while it loads, and has little alive yet.
	headroom = 64 << 20

	// mostApart bounds by how much the heap may grow where nobody looks at it while the runtime collects: in a frame
	// that loads a level, or when somebody else has saved the GOGC that he found, and sets it again after Close. (A
	// ballast of as much as headroom, which nobody writes to, would need no bound, but counts as the program's memory
	// in every tool, and in GOMEMLIMIT.)
	mostApart = 4
)
