package frame

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/frameslice/frameslice/internal/heaplook"
)

// gogc is the process's GOGC while loops with GCBetweenFrames are open. GOGC belongs to the process, and can only be
// read and swapped. So the loops share the value that they have set, and the value that the program wants. This is the
// package's only variable.
var gogc sharedGOGC

// sharedGOGC is a GOGC that several loops raise together. The first loop to join finds the program's value. The last
// one to leave puts that value back, in whichever order they close. A GOGC that the loops have not set is the
// program's: it stays, and the program wants it from then on.
type sharedGOGC struct {
	sync.Mutex
	loops       int
	wanted, set int
}

// readGOGC returns GOGC, or -1 if collections are off. Package debug could read it only by setting it.
func readGOGC() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	if v := heaplook.Count(&s[0]); v <= math.MaxInt32 {
		return int(v)
	}
	return -1
}

// join returns the GOGC that the program wants, for a new loop.
func (s *sharedGOGC) join() uint64 {
	s.Lock()
	defer s.Unlock()
	if found := readGOGC(); s.loops == 0 || found != s.set {
		s.wanted, s.set = found, found
	}
	s.loops++
	return s.kept()
}

// held returns the value that the loops have set, and the value that the program wants.
func (s *sharedGOGC) held() (set int, wanted uint64) {
	s.Lock()
	defer s.Unlock()
	return s.set, s.kept()
}

// kept returns the GOGC that the program wants, or zero if collections are off or GOGC is too large for apart.
func (s *sharedGOGC) kept() uint64 {
	if s.wanted <= 0 || s.wanted > math.MaxInt32/(1+mostApart) {
		return 0
	}
	return uint64(s.wanted)
}

// move changes GOGC, and reports whether it was still the loops' value. Nothing can look and change in one step, so a
// value that the program sets in between is lost. A µs.
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

// leaveGOGC is the end of a loop that has joined.
func (s *sharedGOGC) leaveGOGC() {
	s.Lock()
	defer s.Unlock()
	if s.loops--; s.loops > 0 || s.set == s.wanted {
		return
	}
	if found := debug.SetGCPercent(s.wanted); found != s.set {
		debug.SetGCPercent(found)
	}
}

// apart returns the GOGC to set if live bytes are alive and GCBetweenFrames collects as a GOGC of wanted would. The
// runtime's mark is then twice as far away, or further by headroom, but at most 1+mostApart times as far.
func apart(wanted, live uint64) int {
	return int(wanted + min(max(wanted, headroom*100/max(live, 1)), mostApart*wanted))
}

const (
	// headroom is about how much the program may allocate between the loop's mark and the runtime's. The demo allocates
	// about 20 MB in a frame while it loads, and has little alive yet.
	headroom = 64 << 20

	// mostApart bounds how much the heap may grow while nobody looks, as in a frame that loads a level. The program may
	// also save the raised GOGC, and set it again after Close. (A ballast of unwritten memory would need no bound, but
	// tools and GOMEMLIMIT count it as the program's memory.)
	mostApart = 4
)
