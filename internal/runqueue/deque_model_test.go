package runqueue

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The split deque (D1 to D5) as a model: an owner that follows a script, and thieves. Every item must be
// taken exactly once, and the owner must never write a slot that a thief is about to read. Arrays are of 2, 4
// and 8 slots, so that wrapping, making room for nothing and growing all happen.

type dequeMutant int

const (
	dequeSound       dequeMutant = iota
	reclaimNotStrict             // D3 with <= instead of <
	readBeforeClaim              // D4: the thief reads its slot before the claim
	publishUnwritten             // D2: the index is shared before its slot is written
	headBeforeTaken              // D4: makeRoom loads the two the wrong way round
	ignoreTaken                  // D4: makeRoom takes claimed for read
	growFromHead                 // D5: growing copies from head on
)

const dequeMaxItems = 5

type dequeThief struct {
	pc, head, array, index, value, attempts int8
}

type dequeState struct {
	top, split, limit, length int8 // the owner's
	array                     int8 // which array is newest: shared
	head, taken, public       int8
	slots                     [3][8]int8
	next                      int8 // the next item to push

	op, pc, a, b int8
	got          [dequeMaxItems + 1]int8
	thieves      [2]dequeThief
	raced        bool
}

// The owner's operations.
type dequeOp int8

const (
	opAdd  dequeOp = iota // push and publish
	opFork                // push
	opHalf                // publishHalf
	opPop
	opDrain // pop until empty
)

var dequeLen = [3]int8{2, 4, 8}

func (s *dequeState) at(array, index int8) *int8 { return &s.slots[array][index&(dequeLen[array]-1)] }

// write is the owner's write of a slot of the newest array.
func (s *dequeState) write(index, value int8) {
	for _, t := range s.thieves {
		reads := t.pc == 4 && t.array == s.array && t.index&(s.length-1) == index&(s.length-1)
		early := t.pc == 6 && t.head&(s.length-1) == index&(s.length-1) // readBeforeClaim
		s.raced = s.raced || reads || early
	}
	*s.at(s.array, index) = value
}

func (s *dequeState) take(value int8) { s.got[value]++ }

// ownerStep makes one step of the operation.
func (s *dequeState) ownerStep(script []dequeOp, m dequeMutant) bool {
	if int(s.op) >= len(script) {
		return false
	}
	done := func() {
		s.op++
		s.pc, s.a, s.b = 0, 0, 0
	}
	op := script[s.op]
	switch s.pc {
	case 0:
		switch {
		case (op == opAdd || op == opFork) && s.top == s.limit:
			s.pc = 10
		case op == opAdd || op == opFork:
			s.pc = 20
		case op == opHalf:
			if n := s.top - s.split; n > 0 {
				s.split += (n + 1) / 2
				s.public = s.split
			}
			done()
		case s.top == s.split:
			s.pc = 30
		default:
			s.pc = 40
		}
	case 10: // makeRoom
		s.a, s.pc = s.taken, 11
		if m == headBeforeTaken {
			s.a = s.head
		}
	case 11:
		s.b, s.pc = s.head, 12
		if m == headBeforeTaken {
			s.a, s.b = s.taken, s.a
		}
	case 12:
		if (s.a == s.b || m == ignoreTaken) && s.top < s.b+s.length {
			s.limit = s.b + s.length
			s.pc = 20
			return true
		}
		from := s.limit - s.length
		if m == growFromHead {
			from = s.b
		}
		for i := from; i < s.top; i++ {
			*s.at(s.array+1, i) = *s.at(s.array, i)
		}
		s.limit = from + 2*s.length
		s.pc = 13
	case 13:
		s.array++
		s.length *= 2
		s.pc = 20
	case 20: // push
		if m == publishUnwritten && op == opAdd {
			s.split = s.top + 1
			s.public = s.split
		}
		s.pc = 21
	case 21:
		s.write(s.top, s.next)
		s.next++
		s.top++
		if op == opFork {
			done()
			return true
		}
		s.pc = 22
	case 22: // publish
		s.split = s.top
		s.public = s.split
		done()
	case 30: // reclaim
		s.a = s.head
		switch n := s.split - s.a; n {
		case 0:
			done() // the deque is empty: a drain ends
		case 1:
			s.pc = 31
		default:
			s.b = s.split - n/2
			s.pc = 34
		}
	case 31:
		if s.head != s.a {
			done() // somebody else got the last one
			return true
		}
		s.head++
		s.pc = 32
	case 32:
		s.taken++
		s.pc = 33
	case 33:
		s.take(*s.at(s.array, s.a))
		if op == opDrain {
			s.pc, s.a, s.b = 0, 0, 0
		} else {
			done()
		}
	case 34:
		s.public = s.b
		s.pc = 35
	case 35:
		if s.head < s.b || m == reclaimNotStrict && s.head == s.b {
			s.split = s.b
			s.pc = 40
		} else {
			s.pc = 36
		}
	case 36:
		s.public = s.split
		s.pc = 30
	case 40: // the private end
		s.top--
		s.take(*s.at(s.array, s.top))
		s.write(s.top, 0)
		if op == opDrain {
			s.pc, s.a, s.b = 0, 0, 0
		} else {
			done()
		}
	}
	return true
}

func (s *dequeState) thiefStep(t *dequeThief, m dequeMutant) bool {
	switch t.pc {
	case 0:
		if t.attempts == 0 {
			return false
		}
		t.attempts--
		t.head, t.pc = s.head, 1
	case 1:
		if t.head >= s.public {
			*t = dequeThief{attempts: t.attempts}
			return true
		}
		t.pc = 2
		if m == readBeforeClaim {
			t.pc = 6
		}
	case 6:
		t.value = *s.at(s.array, t.head)
		t.pc = 2
	case 2:
		if s.head != t.head {
			*t = dequeThief{attempts: t.attempts}
			return true
		}
		s.head++
		t.pc, t.index = 3, t.head
		if m == readBeforeClaim {
			s.take(t.value)
			t.pc = 5
		}
	case 3:
		t.array, t.pc = s.array, 4
	case 4:
		s.take(*s.at(t.array, t.index))
		t.pc = 5
	case 5:
		s.taken++
		*t = dequeThief{attempts: t.attempts}
	}
	return true
}

func dequeModel(script []dequeOp, thieves, attempts int, m dequeMutant) explore.Model[dequeState] {
	init := dequeState{length: 2, limit: 2, next: 1}
	threads := []explore.Thread[dequeState]{{Name: "owner", Step: func(s *dequeState) bool {
		return s.ownerStep(script, m)
	}}}
	for i := range thieves {
		init.thieves[i].attempts = int8(attempts)
		threads = append(threads, explore.Thread[dequeState]{Name: fmt.Sprint("thief", i),
			Step: func(s *dequeState) bool {
				return s.thiefStep(&s.thieves[i], m)
			}})
	}
	return explore.Model[dequeState]{
		Init:    init,
		Threads: threads,
		Invariant: func(s dequeState) error {
			if s.raced {
				return fmt.Errorf("the owner wrote a slot that a thief reads")
			}
			for i, n := range s.got {
				if n > 1 || n == 1 && i == 0 {
					return fmt.Errorf("item %d was taken %d times", i, n)
				}
			}
			return nil
		},
		Final: func(s dequeState) error {
			for i := int8(1); i < s.next; i++ {
				if s.got[i] != 1 {
					return fmt.Errorf("item %d was taken %d times", i, s.got[i])
				}
			}
			return nil
		},
	}
}

var dequeScripts = [][]dequeOp{
	{opAdd, opAdd, opPop, opAdd, opPop, opDrain},
	{opFork, opFork, opHalf, opPop, opFork, opHalf, opDrain},
	{opAdd, opPop, opAdd, opPop, opAdd, opPop, opDrain},
	{opAdd, opAdd, opAdd, opAdd, opAdd, opDrain},
	{opFork, opFork, opFork, opHalf, opHalf, opPop, opAdd, opDrain},
}

func TestModelDequeHandsOutEveryItemOnce(t *testing.T) {
	model := func(m dequeMutant, script int) explore.Model[dequeState] {
		attempts := 3
		if m == dequeSound {
			attempts = 2
		}
		return dequeModel(dequeScripts[script], 2, attempts, m)
	}
	explore.TryIn(t, dequeSound, explore.Span(reclaimNotStrict, growFromHead), model, 0, 1, 2, 3, 4)
}
