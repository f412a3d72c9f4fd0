package scheduler_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The protocols of the package comment, written a second time as step machines: every interleaving is
// tried, and for each protocol mutants that must fail. A step is one atomic operation of the code, which
// the comments name.

// try explores the model as it is in the code, and each mutant, which must fail.
func try[S comparable](t *testing.T, model func(mutant string) explore.Model[S], mutants ...string) {
	t.Helper()
	explore.Try(t, "", mutants, model)
}

// closeState: somebody pushes while the frame goroutine closes (S8).
type closeState struct {
	closed             bool
	inbox, got, wasted int8
	p                  [2]int8
	closer             int8
}

func closeModel(mutant string) explore.Model[closeState] {
	producer := func(i int) explore.Thread[closeState] {
		return explore.Thread[closeState]{Name: fmt.Sprint("producer", i), Step: func(s *closeState) bool {
			switch s.p[i] {
			case 0: // Post: closed.Load()
				s.p[i] = 1
				if s.closed {
					s.wasted++
					s.p[i] = 9
				}
			case 1:
				s.inbox++
				s.p[i] = 2
			case 2: // push: closed.Load()
				s.p[i] = 9
				if s.closed && mutant != "no second look" {
					s.p[i] = 3
				}
			case 3: // sweep
				s.got, s.inbox = s.got+s.inbox, 0
				s.p[i] = 9
			default:
				return false
			}
			return true
		}}
	}
	closer := explore.Thread[closeState]{Name: "close", Step: func(s *closeState) bool {
		step := s.closer
		if mutant == "sweep, then close" && step < 2 {
			step = 1 - step
		}
		switch step {
		case 0:
			s.closed = true
		case 1:
			s.got, s.inbox = s.got+s.inbox, 0
		default:
			return false
		}
		s.closer++
		return true
	}}
	return explore.Model[closeState]{
		Threads: []explore.Thread[closeState]{producer(0), producer(1), closer},
		Final: func(s closeState) error {
			if s.got+s.wasted != 2 {
				return errors.New("a submission is in the inbox for ever")
			}
			return nil
		},
	}
}

func TestS8_NothingIsLeftInAClosedInbox(t *testing.T) {
	try(t, closeModel, "no second look", "sweep, then close")
}

// sweepState: two goroutines ask for a drawing of a closed scheduler (S1, S8). Each pushes the one item, takes the
// inbox, and sweeps what it took, which the other one pushes again as soon as flagInbox is clear.
type sweepState struct {
	flag   bool
	linked int8
	p      [2]struct{ pc, asked int8 }
}

// The steps of a sweep, in which a goroutine writes what it took.
const sweepFn, sweepFlag, sweepLate = 4, 5, 6

func sweepModel(mutant string) explore.Model[sweepState] {
	requester := func(i int) explore.Thread[sweepState] {
		return explore.Thread[sweepState]{Name: fmt.Sprint("requester", i), Step: func(s *sweepState) bool {
			p := &s.p[i]
			switch p.pc {
			case 0: // CompareAndSwap(w, w|flagInbox)
				if p.asked == 2 {
					return false
				}
				p.asked++
				if !s.flag {
					s.flag = true
					p.pc = 1
				}
			case 1: // push: CompareAndSwap(old, it)
				s.linked++
				p.pc = 2
			case 2: // Swap(nil)
				p.pc = 0
				if s.linked > 0 {
					s.linked--
					p.pc = sweepFn
					if mutant == "let go after the flag" {
						p.pc = sweepFlag
					}
				}
			case sweepFn: // it.next = nil, it.fn = nil
				p.pc = sweepFlag
			case sweepFlag: // CompareAndSwap(w, w&^flagInbox)
				s.flag = false
				p.pc = 0
				if mutant == "let go after the flag" {
					p.pc = sweepLate
				}
			case sweepLate: // it.fn = nil
				p.pc = 0
			}
			return true
		}}
	}
	return explore.Model[sweepState]{
		Threads: []explore.Thread[sweepState]{requester(0), requester(1)},
		Invariant: func(s sweepState) error {
			holders := 0
			for _, p := range s.p {
				if p.pc == 1 || p.pc >= sweepFn {
					holders++
				}
			}
			if holders > 1 || s.linked > 1 || s.linked > 0 && holders > 0 {
				return errors.New("two have the item's link")
			}
			return nil
		},
		Final: func(s sweepState) error {
			if s.flag || s.linked > 0 {
				return errors.New("a request is in the inbox for ever")
			}
			return nil
		},
	}
}

func TestS1S8_WhatIsSweptIsLetGoOfFirst(t *testing.T) { try(t, sweepModel, "let go after the flag") }
