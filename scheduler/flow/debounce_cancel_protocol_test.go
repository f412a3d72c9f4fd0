package flow_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// pulseCancelState: one goroutine calls a pulse three times, another one cancels once (S38). The signal is that of S25.
// Time is left out: a timer may expire whenever something is pending.
type pulseCancelState struct {
	cancel, call bool // the signal's word
	look         bool // its task is queued
	pending      bool // by the edges
	queued       bool // the run

	pc    int8                        // of the frame goroutine
	hears struct{ cancel, call bool } // what look has answered
	c     struct{ pc, calls int8 }
	k     struct {
		pc   int8
		rang bool // into a word that was 0
	}

	before   int8 // the calls that had rung when the Cancel did
	begun    bool // the function has, since
	returned bool // the Cancel has
	later    bool // a call has begun after that
	bad      string
}

func (s *pulseCancelState) begin() {
	s.begun = true
	if s.returned && s.c.calls <= s.before {
		s.bad = "the function begins after Cancel, and there was no call"
	}
}

// pulseCancelFrame returns what the frame goroutine may do next, in any order.
func pulseCancelFrame(mutant string) []explore.Thread[pulseCancelState] {
	const idle, first, second, due, claimed = 0, 1, 2, 3, 4
	forget, hear := int8(first), int8(second)
	if mutant == "hear, then forget" {
		forget, hear = second, first
	}
	return []explore.Thread[pulseCancelState]{
		{Name: "look", Step: func(s *pulseCancelState) bool {
			w := &s.hears
			switch {
			case s.pc == idle && s.look: // answer
				w.cancel, w.call = s.cancel, s.call
				s.look, s.cancel, s.call = false, false, false
				s.pc = first
				return true
			case s.pc == forget:
				s.pending = s.pending && !w.cancel
				s.queued = s.queued && (!w.cancel || mutant == "the run is left")
			case s.pc == hear && w.call:
				s.pending = true
			case s.pc != hear:
				return false
			}
			if s.pc++; s.pc > second {
				s.pc, w.cancel, w.call = idle, false, false
			}
			return true
		}},
		{Name: "expire", Step: func(s *pulseCancelState) bool {
			switch {
			case s.pc == idle && s.pending && !s.cancel && !s.call: // signal.word.Load()
				s.pc = due
			case s.pc == due:
				s.pending, s.queued, s.pc = false, true, idle
			default:
				return false
			}
			return true
		}},
		{Name: "run", Step: func(s *pulseCancelState) bool {
			switch {
			case s.pc == idle && s.queued: // claim
				s.queued, s.pc = false, claimed
				if mutant == "no look at the word" {
					s.pc = idle
					s.begin()
				}
			case s.pc == claimed: // signal.word.Load()
				if s.pc = idle; !s.cancel {
					s.begin()
				}
			default:
				return false
			}
			return true
		}},
	}
}

func pulseCancelModel(mutant string) explore.Model[pulseCancelState] {
	steps := strings.Fields("ring submit")
	if mutant == "canceled by Cancel, and no look at the word" {
		steps = append(steps, "cancel")
		mutant = "no look at the word"
	}
	caller := explore.Thread[pulseCancelState]{Name: "call", Step: func(s *pulseCancelState) bool {
		c := &s.c
		switch {
		case c.pc == 0 && c.calls == 3:
			return false
		case c.pc == 0: // ring
			s.later = s.later || s.returned
			c.calls++
			if !s.call && !s.cancel {
				c.pc = 1
			}
			s.call = true
		default:
			s.look, c.pc = true, 0
		}
		return true
	}}
	canceler := explore.Thread[pulseCancelState]{Name: "cancel", Step: func(s *pulseCancelState) bool {
		k := &s.k
		if int(k.pc) == len(steps) {
			return false
		}
		switch steps[k.pc] {
		case "ring":
			k.rang = !s.call && !s.cancel
			s.cancel, s.call = true, false
			s.before, s.begun = s.c.calls, false
		case "submit":
			s.look = s.look || k.rang
		case "cancel":
			s.queued = false
		}
		k.pc++
		s.returned = int(k.pc) == len(steps)
		return true
	}}
	return explore.Model[pulseCancelState]{
		Threads: append(pulseCancelFrame(mutant), caller, canceler),
		Invariant: func(s pulseCancelState) error {
			if s.bad != "" {
				return errors.New(s.bad)
			}
			return nil
		},
		Final: func(s pulseCancelState) error {
			if s.later && !s.begun {
				return errors.New("a call after Cancel has no run, and there was none since that")
			}
			return nil
		},
	}
}

func TestS38_ACancelTakesBackNoLaterCall(t *testing.T) {
	try(t, pulseCancelModel, "no look at the word", "canceled by Cancel, and no look at the word", "hear, then forget",
		"the run is left")
}
