package mpmc

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The places of a bounded pool (B2) as a model: goroutines that each put a token in and take one out, where
// taking fails while the push at the head is in the middle. At the end no token is left.

type boundedMutant int

const (
	boundedSound     boundedMutant = iota
	forgetDebt                     // a token that could not be taken is not counted
	pushSettlesNot                 // who has pushed does not look at debt
	debtorSettlesNot               // who has added to debt does not settle
	noSecondLook                   // who has put debt back does not look again
	settleFirst                    // who pushes looks at debt before it has set the turn
)

const boundedThreads = 3

type boundedProc struct {
	pc, at int8
	back   int8 // where settle leads
}

type boundedState struct {
	filled     [boundedThreads]bool
	tail, head int8
	debt       int8
	p          [boundedThreads]boundedProc
}

func (s *boundedState) step(i int, m boundedMutant) bool {
	p := &s.p[i]
	settled := func() { *p = boundedProc{pc: p.back} }
	switch p.pc {
	case 0: // claim
		p.at = s.tail
		s.tail++
		p.pc = 1
		if m == settleFirst {
			if s.debt > 0 {
				s.debt--
				if s.head < s.tail && s.filled[s.head] {
					s.head++
				} else {
					s.debt++
				}
			}
		}
	case 1: // turn
		s.filled[p.at] = true
		*p = boundedProc{pc: 4, back: 2}
		if m == pushSettlesNot || m == settleFirst {
			p.pc = 2
		}
	case 2: // release: look at the head, and take it
		if s.head < boundedThreads && s.filled[s.head] {
			s.head++
			p.pc = 9
			return true
		}
		p.pc = 3
		if m == forgetDebt {
			p.pc = 9
		}
	case 3:
		s.debt++
		*p = boundedProc{pc: 4, back: 9}
		if m == debtorSettlesNot {
			p.pc = 9
		}
	case 4: // settle
		if s.debt <= 0 {
			settled()
			return true
		}
		p.at, p.pc = s.debt, 5
	case 5: // is there a token at the head?
		if s.head == boundedThreads || !s.filled[s.head] {
			settled()
			return true
		}
		p.pc = 8
	case 8:
		p.pc = 4
		if s.debt == p.at {
			s.debt--
			p.pc = 6
		}
		p.at = 0
	case 6:
		p.pc = 7
		if s.head < boundedThreads && s.filled[s.head] {
			s.head++
			p.pc = 4
		}
	case 7:
		s.debt++
		p.pc = 4
		if m == noSecondLook {
			settled()
		}
	default:
		return false
	}
	return true
}

func boundedModel(m boundedMutant) explore.Model[boundedState] {
	var threads []explore.Thread[boundedState]
	for i := range boundedThreads {
		threads = append(threads, explore.Thread[boundedState]{Name: fmt.Sprint("t", i),
			Step: func(s *boundedState) bool { return s.step(i, m) }})
	}
	return explore.Model[boundedState]{Threads: threads, Final: func(s boundedState) error {
		if s.head != s.tail || s.debt != 0 {
			return fmt.Errorf("%d tokens and a debt of %d are left", s.tail-s.head, s.debt)
		}
		return nil
	}}
}

func TestModelBoundedLosesNoPlace(t *testing.T) {
	explore.Try(t, boundedSound, explore.Span(forgetDebt, settleFirst), boundedModel)
}
