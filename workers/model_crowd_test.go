package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Y1 and Y2: a worker with a job in its hands, on an old thread and, when others crowd us, on a new one; they may have
// done again at any time, and Close may come.
type crowdState struct {
	on, gone bool
	flips    int8
	old, new int8 // pcs of its two goroutines
	launched bool
	carried  bool
	hands    bool // has a job
	ran      int8
	ended    int8 // dropped by the worker
}

type crowdMutant struct{ touches, forgets, leaves bool }

func crowdModel(m crowdMutant) explore.Model[crowdState] {
	// have is what a worker does with what it has in its hands.
	have := func(s *crowdState) {
		if s.gone {
			s.ended++
		} else {
			s.ran++
		}
		s.hands = false
	}
	return explore.Model[crowdState]{
		Threads: []explore.Thread[crowdState]{{Name: "others", Step: func(s *crowdState) bool {
			if s.flips == 2 {
				return false
			}
			s.flips++
			s.on = !s.on
			return true
		}}, {Name: "close", Step: func(s *crowdState) bool {
			was := s.gone
			s.gone = true
			return !was
		}}, {Name: "old", Step: func(s *crowdState) bool {
			switch s.old {
			case 0:
				s.hands = true
			case 1: // unfit
				if !s.on {
					have(s)
					s.old = 10
					return true
				}
				s.carried = !m.forgets
			case 2:
				s.launched = true
				if !m.touches {
					s.old = 10
					return true
				}
			case 3:
				s.carried = false // as if it were still the worker
			default:
				return false
			}
			s.old++
			return true
		}}, {Name: "new", Step: func(s *crowdState) bool {
			switch s.new {
			case 0:
				if !s.launched {
					return false
				}
			case 1:
				if m.leaves && s.gone {
					s.new = 10 // without a look at its hands
					return true
				}
				if !s.carried {
					s.hands = false // next puts something else there
				}
				s.carried = false
			case 2:
				if s.hands {
					have(s)
				}
			default:
				return false
			}
			s.new++
			return true
		}}},
		Final: func(s crowdState) error {
			if s.ran+s.ended != 1 {
				return fmt.Errorf("the job ran %d times and was ended %d times", s.ran, s.ended)
			}
			return nil
		},
	}
}

func TestModelWhoChangesThreadsKeepsItsJob(t *testing.T) {
	explore.Try(t, crowdMutant{}, []crowdMutant{{touches: true}, {forgets: true}, {leaves: true}}, crowdModel)
}
