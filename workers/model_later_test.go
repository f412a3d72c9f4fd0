package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// E4 as a model: GOMAXPROCS becomes one, which a frame notices, and then two, while the program only submits; and a job
// blocks twice. What is done under the lock follow is one step.
type laterState struct {
	procs, base, spares int8
	later               bool
	program, job, timer int8
}

type laterMutant int

const (
	laterSound       laterMutant = iota
	laterNotInDrop               // the end of Blocking does not see to it that somebody looks
	laterNotInAdapt              // nor does who changes the number
	laterOnce                    // the timer does not look whether to come again
	laterClearedLate             // it says that it is none any more when it has looked
)

func (s *laterState) want() int8 {
	if s.base == 0 && s.spares > 0 {
		return 1 + s.spares
	}
	return s.base + s.spares
}

func (s *laterState) lookLater() { s.later = s.later || s.want() == 0 }

func (s *laterState) adapt(m laterMutant) {
	if s.base = s.procs - 1; m != laterNotInAdapt {
		s.lookLater()
	}
}

func (s *laterState) runTimer(m laterMutant) bool {
	clear := int8(0)
	if m == laterClearedLate {
		clear = 1
	}
	switch {
	case s.timer == 0 && !s.later:
		return false
	case s.timer == clear:
		s.later = false
	default:
		again := s.later
		if s.adapt(m); m == laterOnce {
			s.later = again
		}
	}
	s.timer = 1 - s.timer
	return true
}

func laterModel(m laterMutant) explore.Model[laterState] {
	return explore.Model[laterState]{
		Init: laterState{procs: 2, base: 1},
		Threads: []explore.Thread[laterState]{
			{Name: "program", Step: func(s *laterState) bool {
				switch s.program {
				case 0:
					s.procs = 1
				case 1:
					s.adapt(m)
				case 2:
					s.procs = 2
				default:
					return false
				}
				s.program++
				return true
			}},
			{Name: "job", Step: func(s *laterState) bool {
				switch s.job {
				case 0, 2:
					s.spares++
				case 1, 3:
					if s.spares--; m != laterNotInDrop {
						s.lookLater()
					}
				default:
					return false
				}
				s.job++
				return true
			}},
			{Name: "timer", Step: func(s *laterState) bool { return s.runTimer(m) }},
		},
		Invariant: func(s laterState) error {
			if s.want() == 0 && !s.later && s.timer == 0 {
				return errors.New("there are no workers, and nobody is going to look")
			}
			return nil
		},
		Final: func(s laterState) error {
			if s.base != 1 {
				return errors.New("the workers do not come back")
			}
			return nil
		},
	}
}

func TestModelSomebodyLooksWhereNobodyWorks(t *testing.T) {
	explore.Try(t, laterSound, explore.Span(laterNotInDrop, laterClearedLate), laterModel)
}
