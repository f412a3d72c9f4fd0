package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// IO1 and IO2 as a model: two submissions to an ioSet of one place or two. A goroutine is that of a submission or of a
// function. The queue is an injector, whose pop finds nothing while the oldest slot is claimed and not filled.
type ioState struct {
	tail, head     int8
	filled         [2]bool
	pushed, places int8
	limit          int8
	ended, running int8
	begun          int8 // functions
	by             [4]ioThread
}

type ioThread struct{ pc, n, seen int8 }

// What a goroutine of the model does next.
const (
	ioClaims int8 = iota // a submission claims a slot, in n
	ioFills
	ioCounts
	ioLooks // fillPlaces
	ioTakes
	ioSees
	ioPops
	ioLeaves
	ioLooksAgain
	ioOut
	ioRuns // a function, and then passPlace
	ioPassSees
	ioPassPops
	ioPassLeaves
	ioPassLooks
)

type ioMutant int

const (
	ioSound        ioMutant = iota
	ioNoCAS                 // a place is taken without a look at whether another goroutine has taken it
	ioNoSecondLook          // fillPlaces does not read pushed again
	ioNoPassLook            // nor does passPlace
	ioSeesLate              // passPlace reads pushed first when it has looked for a job
	ioCountsFirst           // a submission is counted before its slot is filled
	ioLooksOnce             // a submission begins one function at most
)

// pop takes the oldest job and begins it, and reports whether there was one.
func (s *ioState) pop() bool {
	if s.head == s.tail || !s.filled[s.head] {
		return false
	}
	s.by[2+s.begun].pc = ioRuns
	s.head++
	s.begun++
	s.running++
	return true
}

func (s *ioState) step(t *ioThread, m ioMutant) bool {
	next := t.pc + 1
	switch t.pc {
	case ioClaims:
		t.n = s.tail
		s.tail++
	case ioFills, ioCounts:
		if (t.pc == ioFills) == (m == ioCountsFirst) {
			s.pushed++
		} else {
			s.filled[t.n] = true
		}
	case ioLooks:
		if t.n = s.places; t.n >= s.limit {
			next = ioOut
		}
	case ioTakes:
		if s.places != t.n && m != ioNoCAS {
			next = ioLooks
			break
		}
		s.places++
	case ioSees, ioPassSees:
		t.seen = s.pushed
	case ioPops:
		if s.pop() {
			if next = ioLooks; m == ioLooksOnce {
				next = ioOut
			}
		}
	case ioLeaves, ioPassLeaves:
		if s.places--; m == ioSeesLate && t.pc == ioPassLeaves {
			t.seen = s.pushed
		}
	case ioLooksAgain, ioPassLooks:
		blind := m == ioNoSecondLook && t.pc == ioLooksAgain || m == ioNoPassLook && t.pc == ioPassLooks
		if next = ioLooks; s.pushed == t.seen || blind {
			next = ioOut
		}
	case ioRuns:
		s.running--
		s.ended++
	case ioPassPops:
		if s.pop() {
			next = ioOut
		}
	default:
		return false
	}
	if t.pc = next; next == ioOut {
		*t = ioThread{pc: ioOut}
	}
	return true
}

func ioModel(limit int8, m ioMutant) explore.Model[ioState] {
	model := explore.Model[ioState]{
		Init: ioState{limit: limit, by: [4]ioThread{2: {pc: ioOut}, 3: {pc: ioOut}}},
		Invariant: func(s ioState) error {
			if s.running > limit {
				return errors.New("more functions run than there are places")
			}
			for i := range s.by {
				if pc := s.by[i].pc; pc != ioOut && pc != ioRuns {
					return nil // this goroutine looks
				}
			}
			if s.head < s.tail && s.places < s.limit {
				return errors.New("a function waits beside a place")
			}
			return nil
		},
		Final: func(s ioState) error {
			if s.ended != 2 || s.places != 0 {
				return errors.New("a function waits, or a place is gone")
			}
			return nil
		},
	}
	for i, name := range []string{"submission 1", "submission 2", "function 1", "function 2"} {
		model.Threads = append(model.Threads, explore.Thread[ioState]{Name: name, Step: func(s *ioState) bool {
			return s.step(&s.by[i], m)
		}})
	}
	return model
}

func TestModelNoFunctionWaitsBesideAPlace(t *testing.T) {
	one := func(m ioMutant) explore.Model[ioState] { return ioModel(1, m) }
	explore.Try(t, ioSound, explore.Span(ioNoCAS, ioCountsFirst), one)
	two := func(m ioMutant) explore.Model[ioState] { return ioModel(2, m) }
	explore.Try(t, ioSound, explore.Span(ioLooksOnce, ioLooksOnce), two)
}
