package frame

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// nestState is the model of a Nest beside a Close. All that goroutines share in it is the gate's word, every change of
// which is one compare-and-swap: so the steps are the gate's own functions, on a copy of the word. The host makes a
// frame with a Nest, in which it makes another one, and another goroutine calls Close or Stop, at any time.
type nestState struct {
	word, was   uint32
	host, other pc
	inNest      bool
	closes      int8
	stop        bool // it was a Stop
}

type nestMutant int

const (
	nestFaithful   nestMutant = iota
	nestNotMarked             // nestIn does not set nested
	nestOutForgets            // nestOut puts the word back as it was
	nestOutNoLook             // nestOut does not look at closing
)

// Where the Nest lies.
const (
	nestInWork = iota // in the frame's own work
	nestInCall        // in a callback of Slice
	nestLast          // in the own work of a host that goes away with it, by a panic
)

func nestModel(m nestMutant, place int) explore.Model[nestState] {
	on := func(s *nestState, f func(g *gate)) {
		var g gate
		g.word.Store(s.word)
		f(&g)
		s.word = g.word.Load()
	}
	enter := func(call string, phases uint32) func(s *nestState) {
		return func(s *nestState) { on(s, func(g *gate) { g.enter(call, phases, false) }) }
	}
	leave := func(phase uint32) func(s *nestState) {
		return func(s *nestState) {
			if s.word&gateBusy == 0 {
				return // enter has found the loop closed
			}
			on(s, func(g *gate) {
				if g.leave(phase) {
					s.closes++
				}
			})
		}
	}
	begin, end := enter("Begin", 1<<phaseBetween), enter("End", 1<<phaseOpen|1<<phaseSliced)
	nestIn := func(s *nestState) {
		on(s, func(g *gate) { s.was, s.inNest = g.nestIn() })
		if m == nestNotMarked {
			s.word &^= gateNested
		}
	}
	nestOut := func(s *nestState) {
		if !s.inNest {
			return
		}
		s.inNest = false
		switch m {
		case nestOutForgets:
			s.word = s.was
		case nestOutNoLook:
			s.word = s.word&^(gateBusy|gateRunning|gateNested|phaseMask) | s.was&(gateBusy|phaseMask)
		default:
			on(s, func(g *gate) {
				if g.nestOut(s.was) {
					s.closes++
				}
			})
		}
	}
	script := []func(s *nestState){begin, leave(phaseOpen)}
	nest := []func(s *nestState){nestIn, begin, leave(phaseOpen), end, leave(phaseBetween), nestOut}
	if place == nestInCall {
		script = append(append(append(script, enter("Slice", 1<<phaseOpen)), nest...), leave(phaseSliced))
	} else {
		script = append(script, nest...)
	}
	if place != nestLast {
		script = append(script, end, leave(phaseBetween))
	}
	ended := pc(len(script))
	host := func(s *nestState) bool {
		if s.host == ended {
			return false
		}
		step := s.host
		s.host++
		if s.word&gateClosed != 0 && !s.inNest {
			return true // F13
		}
		script[step](s)
		return true
	}
	ask := func(stop bool) func(s *nestState) bool {
		return func(s *nestState) bool {
			if s.other != 0 {
				return false
			}
			s.other, s.stop = 1, stop
			on(s, func(g *gate) {
				if stop {
					g.requestStop()
				} else if g.requestClose() {
					s.closes++
				}
			})
			return true
		}
	}
	return explore.Model[nestState]{
		Threads: []explore.Thread[nestState]{
			{Name: "host", Step: host}, {Name: "close", Step: ask(false)}, {Name: "stop", Step: ask(true)},
		},
		Invariant: func(s nestState) error {
			switch {
			case s.closes > 1:
				return errors.New("closed twice")
			case s.inNest && (s.word&gateClosed != 0 || s.closes > 0):
				return errors.New("closed beneath the frame outside")
			}
			return nil
		},
		Final: func(s nestState) error {
			switch {
			case s.host != ended:
				return errors.New("the host is stuck")
			case !s.stop && s.closes != 1:
				return errors.New("not closed")
			}
			return nil
		},
	}
}

func TestNestModel(t *testing.T) {
	explore.TryIn(t, nestFaithful, explore.Span(nestNotMarked, nestOutNoLook), nestModel,
		nestInWork, nestInCall, nestLast)
}
