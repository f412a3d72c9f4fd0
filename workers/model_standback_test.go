package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// L1 to L3: a frame that may or may not begin (or a collection that may or may not end), a worker with a job in hand,
// one asleep, somebody who submits another job, and somebody who waits for the first and may claim it.
type standState struct {
	due      bool
	frame    int8 // pc
	a, b     int8 // pcs of the workers
	sub      int8
	waiter   int8
	naps     [2]int8
	search   int8
	idle     bool // b is
	token    bool // for b
	second   bool // the second job is visible
	claimed  [2]bool
	ran      [2]int8
	late     bool // the frame never comes
	promised bool // the submission was left to a searcher
}

type standMutant struct{ forever, searching, claims bool }

func standModel(m standMutant, late bool) explore.Model[standState] {
	// worker is a step of one that has job i in hand from pc 10 on.
	worker := func(s *standState, pc *int8, i int) bool {
		switch *pc {
		case 10: // L2
			if m.claims {
				s.claimed[i] = true
			}
			if s.due && (m.forever || s.naps[i] < 2) {
				if m.forever {
					return false // until something else has moved
				}
				s.naps[i]++
				return true
			}
			*pc = 11
		case 11:
			*pc = 20
			if !s.claimed[i] || m.claims {
				s.claimed[i] = true
				*pc = 12
			}
		case 12:
			s.ran[i]++
			*pc = 20
		default:
			return false
		}
		return true
	}
	return explore.Model[standState]{
		Init: standState{idle: true, late: late, search: 1},
		Threads: []explore.Thread[standState]{{Name: "frame", Step: func(s *standState) bool {
			switch s.frame {
			case 0:
				s.due = true
			case 1:
				if s.late {
					return false
				}
				s.due = false
			default:
				return false
			}
			s.frame++
			return true
		}}, {Name: "a", Step: func(s *standState) bool {
			if s.a == 0 { // it has found its job, and leaves the searchers (L3)
				if !m.searching {
					s.search--
				}
				s.a = 10
				return true
			}
			moved := worker(s, &s.a, 0)
			if moved && s.a >= 12 && m.searching && s.search > 0 {
				s.search--
			}
			return moved
		}}, {Name: "b", Step: func(s *standState) bool {
			if s.b == 0 {
				if !s.token {
					return false
				}
				s.token, s.idle = false, false
				s.b = 10
				return true
			}
			return worker(s, &s.b, 1)
		}}, {Name: "submit", Step: func(s *standState) bool {
			switch s.sub {
			case 0:
				if s.a == 0 {
					return false // a's own search is W3's business, and modeled there
				}
				s.second = true
			case 1:
				if s.idle && s.search == 0 {
					s.token = true
				} else if s.idle {
					s.promised = true
				}
			default:
				return false
			}
			s.sub++
			return true
		}}, {Name: "waiter", Step: func(s *standState) bool {
			if s.waiter != 0 {
				return false
			}
			s.waiter = 1
			if !s.claimed[0] {
				s.claimed[0] = true
				s.ran[0]++
			}
			return true
		}}},
		Invariant: func(s standState) error {
			switch {
			case s.promised:
				return fmt.Errorf("a submission counts on a searcher that naps")
			case s.a == 10 && s.claimed[0] && s.ran[0] == 0:
				return fmt.Errorf("who naps has claimed its job: nobody else can run it")
			}
			return nil
		},
		Final: func(s standState) error {
			if s.ran != [2]int8{1, 1} {
				return fmt.Errorf("the jobs ran %v times", s.ran)
			}
			return nil
		},
	}
}

func TestModelStandingBackHoldsNobodyForEver(t *testing.T) {
	mutants := []standMutant{{forever: true}, {searching: true}, {claims: true}}
	explore.TryIn(t, standMutant{}, mutants, standModel, false, true)
}
