package flow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// signalState: two goroutines raise a signal twice each (S25).
type signalState struct {
	word    int8
	queued  bool
	running bool
	again   bool
	r       [2]struct{ pc, raised, old int8 }
	frame   int8
	local   int8
	seen    int8
	bad     bool
}

func signalModel(mutant string) explore.Model[signalState] {
	raiser := func(i int) explore.Thread[signalState] {
		return explore.Thread[signalState]{Name: fmt.Sprint("raiser", i), Step: func(s *signalState) bool {
			r := &s.r[i]
			switch r.pc {
			case 0: // CompareAndSwap(w, w|bit)
				if r.raised == 2 {
					return false
				}
				r.old = s.word
				s.word |= 1 << (int8(2*i) + r.raised)
				r.raised++
				r.pc = 1
			case 1: // Submit
				r.pc = 0
				if r.old != 0 && mutant != "always a submit" {
					break
				}
				switch {
				case s.running && !s.again:
					s.again = true
				case s.queued || s.running:
					s.bad = true
				default:
					s.queued = true
				}
			}
			return true
		}}
	}
	frame := explore.Thread[signalState]{Name: "frame", Step: func(s *signalState) bool {
		switch s.frame {
		case 0:
			if !s.queued {
				return false
			}
			s.queued, s.running = false, true
			s.frame = 1
		case 1: // answer
			s.local = s.word
			s.frame = 3
			if mutant != "answer by load and store" {
				s.word = 0
				break
			}
			s.frame = 2
		case 2:
			s.word = 0
			s.frame = 3
		case 3: // the end of the run
			s.seen |= s.local
			s.running = false
			s.queued, s.again = s.again, false
			s.frame = 0
		}
		return true
	}}
	return explore.Model[signalState]{
		Threads: []explore.Thread[signalState]{raiser(0), raiser(1), frame},
		Invariant: func(s signalState) error {
			if s.bad {
				return errors.New("Submit of a queued task")
			}
			return nil
		},
		Final: func(s signalState) error {
			if s.seen != 15 || s.word != 0 {
				return errors.New("a signal was not heard")
			}
			return nil
		},
	}
}

func TestS25_EachSignalIsHeard(t *testing.T) {
	try(t, signalModel, "answer by load and store", "always a submit")
}
