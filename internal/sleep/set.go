package sleep

import (
	"math/bits"

	"github.com/frameslice/frameslice/internal/atomic"
)

// Max is how many members a Set may have: its idle workers are the bits of one word.
const Max = 64

// A Set is the workers of one class, as far as sleeping goes. The zero Set is empty.
type Set struct {
	_         [64]byte
	idle      atomic.Uint64 // bit i: member i is asleep, or about to be (W2)
	_         [56]byte
	searching atomic.Int32 // members that are awake and will search (W3)
	_         [60]byte
	burst     burst
	spin      Spin
	woken     atomic.Uint64
	size      atomic.Int32 // members have the numbers below it
	members   [Max]atomic.Pointer[Sleeper]
}

// Notify is for a goroutine that has made work visible (W1). It wakes one member, unless one is on its way already. Any
// goroutine; two loads if there is nothing to do.
func (s *Set) Notify() {
	if s.idle.Load() != 0 && s.searching.Load() == 0 {
		s.wake(1)
	}
}

// wake posts to the first n members in idle, unless somebody has done so in their present sleep.
func (s *Set) wake(n int) {
	idle := s.idle.Load()
	for ; n > 0 && idle != 0; n-- {
		x := s.members[bits.TrailingZeros64(idle)].Load()
		idle &= idle - 1
		if epoch := x.epoch.Load(); x.posted.Load() != epoch {
			s.woken.Add(1)
			if x.OnWake != nil {
				x.OnWake()
			}
			x.parker.Post()
			x.posted.Store(epoch)
		}
	}
}

// PostAll posts to every member, asleep or not: at the end, or when the number of workers changes.
func (s *Set) PostAll() {
	for i := range s.size.Load() {
		if x := s.members[i].Load(); x != nil {
			x.parker.Post()
		}
	}
}

// Searching reports whether a member is awake and looks for work.
func (s *Set) Searching() bool { return s.searching.Load() > 0 }

// Resting returns how many members sleep to which nobody has sent a wake-up, or 0 while a member searches.
func (s *Set) Resting() (n int) {
	idle := s.idle.Load()
	for ; idle != 0; idle &= idle - 1 {
		if x := s.members[bits.TrailingZeros64(idle)].Load(); x.posted.Load() != x.epoch.Load() {
			n++
		}
	}
	if s.Searching() {
		return 0
	}
	return n
}

// Woken returns how many wake-ups Notify and members have sent.
func (s *Set) Woken() uint64 { return s.woken.Load() }
