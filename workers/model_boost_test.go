package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// X1 and X2: a worker with the thread 1 that ends, upon which the system gives the number to a stranger; and a booster
// that lends and takes back, twice.
type reachState struct {
	worker   int8 // pc
	reach    int8 // 1, -1 while it is held, or 0
	stranger bool // has the number
	pc       int8 // of the booster
	round    int8
	saw      bool
	lent     bool
	harmed   bool // a stranger's thread was changed
}

type reachMutant struct{ clearedWithout, changedWithout, heldForEver bool }

func reachModel(m reachMutant) explore.Model[reachState] {
	change := func(s *reachState) { s.harmed = s.harmed || s.stranger }
	hold := func(s *reachState) bool {
		if m.changedWithout {
			return true
		}
		if s.reach != 1 {
			return false
		}
		s.reach = -1
		return true
	}
	release := func(s *reachState) {
		if !m.changedWithout && !m.heldForEver {
			s.reach = 1
		}
	}
	return explore.Model[reachState]{
		Init: reachState{},
		Threads: []explore.Thread[reachState]{{Name: "worker", Step: func(s *reachState) bool {
			switch s.worker {
			case 0:
				s.reach = 1
			case 1: // leaveReach
				if s.reach < 0 && !m.clearedWithout {
					return false
				}
				s.reach = 0
			case 2: // the thread ends, and the number is somebody's
				s.stranger = true
			default:
				return false
			}
			s.worker++
			return true
		}}, {Name: "booster", Step: func(s *reachState) bool {
			switch s.pc {
			case 0: // look
				if s.round == 2 {
					return false
				}
				s.round++
				s.lent = false
				if s.saw = s.reach == 1; s.saw {
					s.pc = 1
				}
				return true
			case 1: // lend
				if !hold(s) {
					s.pc = 0
					return true
				}
			case 2:
				change(s)
				s.lent = true
			case 3:
				release(s)
			case 4: // after a nap
				if !hold(s) {
					s.pc = 0
					return true
				}
			case 5:
				change(s)
			case 6:
				release(s)
				s.pc = 0
				return true
			}
			s.pc++
			return true
		}}},
		Invariant: func(s reachState) error {
			if s.harmed {
				return errors.New("a thread that is not the worker's was changed")
			}
			return nil
		},
		Final: func(s reachState) error {
			if s.worker != 3 {
				return errors.New("the worker cannot end")
			}
			return nil
		},
	}
}

func TestModelABoostChangesTheWorkersThreadOnly(t *testing.T) {
	if _, err := explore.Run(reachModel(reachMutant{})); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]reachMutant{
		"a reach that is cleared while it is held": {clearedWithout: true},
		"a change without a hold":                  {changedWithout: true},
		"a hold for ever":                          {heldForEver: true},
	} {
		if _, err := explore.Run(reachModel(m)); err == nil {
			t.Errorf("the explorer did not catch %s", name)
		}
	}
}

// X3: a worker that wakes up, works, and sleeps, twice, and then works for good; and the booster, which rests when it
// has seen the worker asleep.
type restState struct {
	worker int8 // pc
	idle   bool
	pc     int8 // of the booster
	asked  bool
	token  bool
}

type restMutant struct{ silent, toldFirst, neverCleared, clearedLate bool }

func restModel(m restMutant) explore.Model[restState] {
	return explore.Model[restState]{
		Init: restState{idle: true},
		Threads: []explore.Thread[restState]{{Name: "worker", Step: func(s *restState) bool {
			leave := func() { s.idle = false }
			tell := func() {
				if !s.asked && !m.silent {
					s.asked, s.token = true, true
				}
			}
			if m.toldFirst {
				leave, tell = tell, leave
			}
			switch s.worker % 3 {
			case 0:
				leave()
			case 1:
				tell()
			case 2:
				if s.worker == 8 {
					return false
				}
				s.idle = true
			}
			s.worker++
			return true
		}}, {Name: "booster", Step: func(s *restState) bool {
			switch s.pc {
			case 0: // a look
				if !s.idle {
					return s.worker != 8 // again, until it works for good
				}
				s.pc = 1
			case 1:
				if !s.token {
					return false
				}
				s.token = false
				s.pc = 2
				if m.clearedLate {
					s.pc = 3
				}
			case 2:
				s.asked = m.neverCleared
				s.pc = 0
			case 3: // a look before asked is cleared
				s.pc = 2
				if s.idle {
					s.pc = 4
				}
			case 4:
				s.asked = false
				s.pc = 1
			}
			return true
		}}},
		Final: func(s restState) error {
			if s.worker != 8 || s.pc != 0 {
				return errors.New("the booster rests, and a worker is awake")
			}
			return nil
		},
	}
}

func TestModelTheBoosterDoesNotRestBesideAWorker(t *testing.T) {
	if _, err := explore.Run(restModel(restMutant{})); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]restMutant{
		"not a word":                 {silent: true},
		"a word before it has risen": {toldFirst: true},
		"asked for ever":             {neverCleared: true},
		"asked until after the look": {clearedLate: true},
	} {
		if _, err := explore.Run(restModel(m)); err == nil {
			t.Errorf("the explorer did not catch %s", name)
		}
	}
}
