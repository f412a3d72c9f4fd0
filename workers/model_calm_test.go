package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/testkit"
)

// C4 as a model: a Close whose context is done, one outside that waits, two within jobs, which end when both have
// returned, a job that runs, a job that is queued, and a submission that had looked before the pool was gone.
type calmState struct {
	gone, calm, ended      bool
	old, late              int8 // jobs: 0 not there yet, 1 queued, 2 in a hand, 3 ended
	live, guests, restless int8
	epoch, insiders        int8
	over                   bool // the job that runs has ended
	hint                   [3]bool
	hand                   [6]int8 // 1: old, 2: late
	pc                     [6]int8
	before, began          [6]int8
	early                  bool
}

type calmMutant int

const (
	calmSound      calmMutant = iota
	calmAtGone                // a Close within a job returns when the pool is gone
	calmForgotten             // that there was no other job is not remembered
	calmAlone                 // nor are the others told that it is
	calmLateHands             // a submission that drops is not counted
	calmOtherHands            // nor is a Close that does
	calmUntold                // nobody is told when a submission has dropped
)

// The threads; those up to calmOutside wait for hints.
const (
	calmFirst = iota
	calmSecond
	calmOutside
	calmGivesUp
	calmSubmits
	calmWorks
)

func (s *calmState) tell() { s.hint = [3]bool{true, true, true} }

// drop is vanish (from 20 on), and what a late submission does when it finds the pool gone (the same, from 30 on): each
// goes on at 29 or 39.
func (s *calmState) drop(i int, m calmMutant) {
	pc := &s.pc[i]
	counted := m != calmOtherHands
	if *pc >= 30 {
		counted = m != calmLateHands
	}
	next := *pc + 1
	switch *pc % 10 {
	case 0:
		if counted {
			s.guests++
		}
	case 1:
		if counted {
			s.restless++
			s.epoch++
		}
	case 2:
		if *pc < 30 {
			s.live++
		}
	case 3:
		if *pc < 30 {
			if s.gone {
				next += 2
			}
			s.gone = true
		}
	case 4:
		switch {
		case s.old == 1:
			s.old, s.hand[i] = 2, 1
		case s.late == 1:
			s.late, s.hand[i] = 2, 2
		default:
			next++
		}
	case 5:
		s.finish(i)
		next -= 2
	case 6:
		if counted {
			s.guests--
		}
	case 7:
		if counted {
			s.restless--
		}
	case 8:
		if m != calmUntold || *pc < 30 {
			s.tell()
		}
		if *pc < 30 {
			s.leave()
		}
	}
	*pc = next
}

func (s *calmState) finish(i int) {
	if s.hand[i] == 1 {
		s.old = 3
	} else {
		s.late = 3
	}
	s.hand[i] = 0
}

func (s *calmState) leave() {
	if s.live--; s.live == 0 && s.gone {
		s.ended = true
		s.tell() // who waits for ended
	}
}

// isQuiet goes on at yes or no, from at on.
func (s *calmState) isQuiet(i int, at, yes, no int8) {
	pc := &s.pc[i]
	next := *pc + 1
	switch *pc - at {
	case 0:
		s.before[i], s.began[i] = s.restless, s.epoch
	case 1:
		if s.before[i] > s.insiders {
			next = no
		}
	case 2:
		if s.old == 1 || s.late == 1 {
			next = no
		}
	case 3:
		if next = no; s.restless == s.before[i] && s.epoch == s.began[i] {
			next = yes
		}
	}
	if *pc = next; next == yes || next == no {
		s.before[i], s.began[i] = 0, 0
	}
}

func (s *calmState) inside(i int, m calmMutant) bool {
	pc := &s.pc[i]
	next := *pc + 1
	switch *pc {
	case 0:
		s.insiders++
	case 1, 10, 29:
		s.tell()
		if *pc == 29 {
			next = 10
		}
		if *pc == 10 && m == calmAtGone {
			next = 17
		}
	case 2:
		if s.gone {
			next = 10
		}
	case 3, 4, 5, 6:
		s.isQuiet(i, 3, 7, 8)
		return true
	case 7:
		s.calm = m != calmForgotten
		next = 20
	case 8, 16:
		if !s.hint[i] {
			return false
		}
		s.hint[i] = false
		if next = 2; *pc == 16 {
			next = 11
		}
	case 11:
		if s.calm {
			next = 17
		}
	case 12, 13, 14, 15:
		s.isQuiet(i, 12, 9, 16)
		return true
	case 9:
		s.calm = m != calmForgotten
		next = 18
	case 18:
		if m != calmAlone {
			s.tell()
		}
		next = 17
	case 17:
		s.early = s.early || !s.over || s.old != 3
		s.insiders--
		next = 40
	case 40:
		if s.pc[calmSecond-i] < 40 {
			return false
		}
		s.restless--
	case 41:
		s.tell()
	case 42:
		s.leave()
	case 43:
		return false
	default:
		s.drop(i, m)
		return true
	}
	*pc = next
	return true
}

func (s *calmState) outside() bool {
	pc := &s.pc[calmOutside]
	next := *pc + 1
	switch *pc {
	case 0:
		if !s.gone {
			next = 3
		}
	case 1:
		if !s.ended {
			next = 3
		}
	case 2:
		if next = 4; s.guests > 0 {
			next = 3
		}
	case 3:
		if !s.hint[calmOutside] {
			return false
		}
		s.hint[calmOutside] = false
		next = 0
	case 4:
		s.early = s.early || !s.over || s.old != 3
	default:
		return false
	}
	*pc = next
	return true
}

func (s *calmState) work() bool {
	pc := &s.pc[calmWorks]
	next := *pc + 1
	switch *pc {
	case 0:
		s.over = true
	case 1:
		switch {
		case s.gone:
			next = 6
		case s.old == 1:
			s.old, s.hand[calmWorks] = 2, 1
		case s.late == 1:
			s.late, s.hand[calmWorks] = 2, 2
		default:
			next = 3
		}
	case 2:
		s.finish(calmWorks)
		next = 1
	case 3:
		s.restless--
	case 4:
		s.tell()
	case 5:
		if !s.gone && s.old != 1 && s.late != 1 {
			return false
		}
		s.restless++
		s.epoch++
		next = 1
	case 6:
		s.restless--
	case 7:
		s.tell()
	case 8:
		s.leave()
	default:
		return false
	}
	*pc = next
	return true
}

func calmModel(m calmMutant, init calmState) explore.Model[calmState] {
	return explore.Model[calmState]{
		Init: init,
		Threads: []explore.Thread[calmState]{
			{Name: "within", Step: func(s *calmState) bool { return s.inside(calmFirst, m) }},
			{Name: "within too", Step: func(s *calmState) bool { return s.inside(calmSecond, m) }},
			{Name: "outside", Step: func(s *calmState) bool { return s.outside() }},
			{Name: "gives up", Step: func(s *calmState) bool {
				if s.pc[calmGivesUp] == 29 {
					return false
				}
				s.drop(calmGivesUp, m)
				return true
			}},
			{Name: "submits", Step: func(s *calmState) bool {
				switch pc := &s.pc[calmSubmits]; *pc {
				case 0:
					s.late, *pc = 1, 1
				case 1:
					if *pc = 39; s.gone {
						*pc = 30
					}
				case 39:
					return false
				default:
					s.drop(calmSubmits, m)
				}
				return true
			}},
			{Name: "worker", Step: func(s *calmState) bool { return s.work() }},
		},
		Invariant: func(s calmState) error {
			if s.early {
				return errors.New("Close has returned before a job has ended")
			}
			return nil
		},
		Final: func(s calmState) error {
			if s.pc[calmFirst] != 43 || s.pc[calmSecond] != 43 || s.pc[calmOutside] != 5 {
				return errors.New("Close waits for ever")
			}
			return nil
		},
	}
}

func TestModelCloseWaitsForAllJobs(t *testing.T) {
	largeModel(t)
	if testkit.UnderRace {
		t.Skip("a model has nothing to race")
	}
	explore.TryIn(t, calmSound, explore.Span(calmAtGone, calmUntold), calmModel,
		calmState{old: 1, live: 3, restless: 3, pc: [6]int8{0, 0, 5, 20, 39, 0}},  // two within
		calmState{old: 1, live: 1, restless: 1, pc: [6]int8{43, 43, 0, 20, 0, 0}}, // none
		calmState{old: 1, live: 2, restless: 2, pc: [6]int8{0, 43, 0, 20, 0, 0}})  // one
}
