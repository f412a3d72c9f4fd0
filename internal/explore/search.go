package explore

import (
	"math/bits"
	"runtime"
)

// The functions of this file run between the operations of the goroutines. They are hidden from the race detector,
// which would take their order for one that the protocol has made (X1).

// current is the search that runs, or nil: an atomic operation has nowhere else to ask. Explore sets it for the time of
// a schedule. Only this build of internal/atomic reads it.
var current *search

// An Object is what operations of several goroutines are made on. Each word of internal/atomic has one.
type Object struct {
	last   uint64 // the history of the last write
	writes uint32
}

// A thread is a goroutine of the program.
type thread struct {
	name    string
	run     func()
	history uint64  // X3
	waits   *uint32 // it cannot move while this counter is at until (X4)
	until   uint32
	looked  uint32 // search.writes when it last returned from Yield
	ended   bool
}

// A decision is one that could have been another.
type decision struct {
	state uint64
	next  int8
	left  uint8 // bits of the goroutines that are still to be tried
}

type search struct {
	bound                          int
	withheld                       bool // there are schedules with more preemptions
	path                           []decision
	seen                           seen
	schedules, operations, longest int

	// Of one schedule.
	threads  []thread
	turn     int // the goroutine that runs
	at       int // decisions made
	used     int // preemptions made
	steps    int
	writes   uint32 // of all goroutines
	over     bool   // the goroutines shall end
	fault    string
	recorded []string // if not nil, the schedule is noted
}

// Ask comes before an operation. It returns when it is the caller's turn.
//
//go:norace
func (o *Object) Ask() {
	s := current
	if s == nil {
		return
	}
	if s.steps++; s.steps > maxSteps {
		s.fault = "a loop does not end, or does not give way"
		s.abandon()
	}
	s.give()
	if s.recorded != nil {
		s.record(s.turn)
	}
}

// Did comes after an operation.
//
//go:norace
func (o *Object) Did(wrote bool) {
	s := current
	if s == nil {
		return
	}
	t := &s.threads[s.turn]
	if wrote {
		t.history = mix(t.history, o.last)
		o.last = t.history
		o.writes++
		s.writes++
		return
	}
	t.history = mix(t.history, ^o.last)
}

// Await returns after another goroutine has written the object (X4). The caller's last operation was on it, too.
//
//go:norace
func (o *Object) Await() {
	s := current
	if s == nil {
		panic("explore: a wait outside of a program")
	}
	t := &s.threads[s.turn]
	t.waits, t.until = &o.writes, o.writes
	s.give()
	t.waits = nil
}

// Yield is for a loop that only looks (X4).
//
//go:norace
func Yield() {
	s := current
	if s == nil {
		return
	}
	t := &s.threads[s.turn]
	if t.looked == s.writes {
		t.waits, t.until = &s.writes, t.looked
		s.give()
		t.waits = nil
	} // else it looks again, and a second decision before the same operation would find the state met (X3)
	t.looked = s.writes
}

// give lets the chosen goroutine continue, and waits until that is the caller.
//
//go:norace
func (s *search) give() {
	if s.over {
		runtime.Goexit()
	}
	i := s.turn
	s.turn = s.choose()
	s.await(i)
}

//go:norace
func (s *search) await(i int) {
	for s.turn != i && !s.over {
		runtime.Gosched()
	}
	if s.over {
		runtime.Goexit()
	}
}

// abandon ends the schedule and the goroutine.
//
//go:norace
func (s *search) abandon() {
	s.over = true
	runtime.Goexit()
}

// exit is the end of a goroutine.
//
//go:norace
func (s *search) exit(i int) {
	s.threads[i].ended = true
	if s.over {
		return
	}
	for j := range s.threads {
		if !s.threads[j].ended {
			s.turn = s.choose()
			return
		}
	}
}

// choose decides who continues.
//
//go:norace
func (s *search) choose() int {
	able, state := uint8(0), uint64(s.turn+1)
	for i := range s.threads {
		t := &s.threads[i]
		if !t.ended && (t.waits == nil || *t.waits != t.until) {
			able |= 1 << i
		}
		state = mix(state, t.history)
	}
	if able == 0 {
		s.fault, s.over = "deadlock", true
		return s.turn
	}
	own := uint8(0) // the bit of the goroutine that has the turn, if it is able
	if s.turn >= 0 {
		own = able & (1 << s.turn)
	}
	if able&(able-1) == 0 {
		return bits.TrailingZeros8(able)
	}
	state = mix(state, uint64(able))
	if s.at == len(s.path) {
		first := own
		if own == 0 {
			first = able & -able
		}
		left := able &^ first
		if own != 0 && s.used == s.bound {
			s.withheld, left = true, 0
		}
		if s.recorded == nil && s.seen.before(state, s.bound-s.used) {
			s.over = true
			return s.turn
		}
		s.path = append(s.path, decision{state: state, next: int8(bits.TrailingZeros8(first)), left: left})
	}
	d := &s.path[s.at]
	if d.state != state {
		s.fault, s.over = "the program does not do the same each time", true
		return s.turn
	}
	s.at++
	if own != 0 && int(d.next) != s.turn {
		s.used++ // X2
	}
	return int(d.next)
}

// another makes path the next schedule to run, and reports whether there is one.
func (s *search) another() bool {
	for n := len(s.path); n > 0; n-- {
		s.path = s.path[:n]
		if d := &s.path[n-1]; d.left != 0 {
			d.next = int8(bits.TrailingZeros8(d.left))
			d.left &= d.left - 1
			return true
		}
	}
	return false
}

// mix returns a hash of two numbers.
//
//go:norace
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	x := (hi ^ lo) + a*0xff51afd7ed558ccd
	return x ^ x>>29
}

// seen has the states that were met, and the most preemptions that were left there: open addressing, half full. Two
// states of a million have the same hash by chance once in 10 million searches.
type seen struct {
	states []uint64
	left   []int8 // 1 + the preemptions left, 0 in an empty place
	used   int
}

func newSeen(n int) seen { return seen{states: make([]uint64, n), left: make([]int8, n)} }

// before reports whether the state was met before with as many preemptions left, and notes it.
//
//go:norace
func (m *seen) before(state uint64, left int) bool {
	if 2*m.used > len(m.states) {
		more := newSeen(2 * len(m.states))
		for i, l := range m.left {
			if l != 0 {
				more.before(m.states[i], int(l)-1)
			}
		}
		*m = more
	}
	for i := state; ; i++ {
		at := i & uint64(len(m.states)-1)
		switch {
		case m.left[at] == 0:
			m.states[at], m.left[at] = state, int8(left+1)
			m.used++
			return false
		case m.states[at] == state:
			met := int(m.left[at]) > left
			m.left[at] = max(m.left[at], int8(left+1))
			return met
		}
	}
}
