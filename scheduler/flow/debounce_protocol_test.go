package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// pulseState: two goroutines call a pulse twice each, and look hears of it (S36). The signal is that of S25, so that a
// look may begin whenever its word is set. Each call reads another time. Call k of goroutine i has bit 2*i+k.
type pulseState struct {
	clock, first, last int8
	word               bool
	c                  [2]struct{ pc, calls, now, loaded int8 }
	at, end            [4]int8 // when a call read the clock, and rang
	rung               uint8   // the calls that have

	pc, now, f, l int8 // of look
	answered      uint8

	heard  int8  // the last call by the looks before
	before uint8 // the calls that the look before answered
	bad    string
}

// pulseSteps are the steps of a call and of a look, in the code's order, and how a mutant has them.
func pulseSteps(mutant string) (call, look string) {
	switch mutant {
	case "ring before the times":
		return "clock ring last first", "answer swap load clock"
	case "first before last": // who finds a first before a swap, and stores last after the load, is lost
		return "clock first last ring", "answer swap load clock"
	case "swap before the answer":
		return "clock last first ring", "swap answer load clock"
	case "load before the swap":
		return "clock last first ring", "answer load swap clock"
	case "clock before the swap":
		return "clock last first ring", "answer clock swap load"
	}
	return "clock last first ring", "answer swap load clock"
}

func pulseModel(mutant string) explore.Model[pulseState] {
	callSteps, lookSteps := pulseSteps(mutant)
	call, look := strings.Fields(callSteps), strings.Fields(lookSteps)
	caller := func(i int) explore.Thread[pulseState] {
		return explore.Thread[pulseState]{Name: fmt.Sprint("caller", i), Step: func(s *pulseState) bool {
			c := &s.c[i]
			if c.calls == 2 {
				return false
			}
			k := int8(2*i) + c.calls
			// A step of two, a load and a compare-and-swap, has loaded what is not negative between them.
			switch loaded := c.loaded; call[c.pc] {
			case "clock":
				s.clock++
				c.now, s.at[k] = s.clock, s.clock
			case "last":
				switch {
				case mutant == "a last that goes back":
					s.last = c.now
				case loaded < 0:
					if s.last < c.now {
						c.loaded = s.last
						return true
					}
				case s.last != loaded:
					c.loaded = -1
					return true // again
				default:
					s.last = c.now
				}
			case "first":
				switch {
				case mutant == "the newest first":
					s.first = c.now
				case loaded < 0:
					if s.first == 0 {
						c.loaded = 0
						return true
					}
				case s.first == 0:
					s.first = c.now
				}
			case "ring":
				s.word = true
				s.rung |= 1 << k
				s.end[k] = s.clock
			}
			c.loaded = -1
			if c.pc++; int(c.pc) == len(call) {
				c.pc, c.now = 0, 0
				c.calls++
			}
			return true
		}}
	}
	frame := explore.Thread[pulseState]{Name: "look", Step: func(s *pulseState) bool {
		if s.pc == 0 && !s.word {
			return false
		}
		switch look[s.pc] {
		case "answer":
			s.word, s.answered = false, s.rung
		case "swap":
			s.f = s.first
			if mutant != "load for swap" {
				s.first = 0
			}
		case "load":
			s.l = s.last
		case "clock":
			s.now = s.clock
		}
		if s.pc++; int(s.pc) < len(look) {
			return true
		}
		s.hear()
		s.pc, s.now, s.f, s.l = 0, 0, 0, 0
		return true
	}}
	init := pulseState{}
	init.c[0].loaded, init.c[1].loaded = -1, -1
	return explore.Model[pulseState]{
		Init:    init,
		Threads: []explore.Thread[pulseState]{caller(0), caller(1), frame},
		Invariant: func(s pulseState) error {
			if s.bad != "" {
				return errors.New(s.bad)
			}
			return nil
		},
		Final: func(s pulseState) error {
			if s.word || s.before != 15 {
				return errors.New("a call was not heard")
			}
			return nil
		},
	}
}

// hear is the end of a look, and holds it against S36.
func (s *pulseState) hear() {
	last := min(s.l, s.now)
	for k := range s.at {
		switch {
		case s.answered&(1<<k) == 0:
		case last < s.at[k]:
			s.bad = "(a) the last call is before one that was answered"
		case s.heard < s.at[k] && (s.f == 0 || s.f > s.end[k]):
			s.bad = "(b) the first call is behind one that was answered, and not known of before"
		}
		if s.f != 0 && s.f == s.at[k] && s.before&(1<<k) != 0 {
			s.bad = "(c) the first call is of the look before"
		}
	}
	s.heard, s.before = max(s.heard, last), s.answered
}

func TestS36_NoCallIsLostBetweenTwoLooks(t *testing.T) {
	try(t, pulseModel, "ring before the times", "first before last", "a last that goes back", "the newest first",
		"swap before the answer", "load before the swap", "clock before the swap", "load for swap")
}
