package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// X1 and X2: a worker with the thread 1 that is lowered, leaves, is called back, lowered again, and ends, upon which
// the system gives the number to a stranger; and a booster that lends and takes back, twice.
type reachState struct {
	worker   int8 // pc
	reach    int8 // 1, -1 while it is held, or 0
	low      bool // the worker's thread is
	stranger bool // has the number
	pc       int8 // of the booster
	round    int8
	harmed   bool // a stranger's thread was changed
}

type reachMutant struct {
	clearedWithout, changedWithout, heldForEver, backAsItWas, lowFirst, leftLow, raisedFirst bool
}

func reachModel(m reachMutant) explore.Model[reachState] {
	change := func(s *reachState, low bool) {
		s.harmed = s.harmed || s.stranger
		s.low = low
	}
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
	come := []func(s *reachState){
		func(s *reachState) { s.reach = 1 },
		func(s *reachState) { s.low = true },
	}
	if m.lowFirst {
		come[0], come[1] = come[1], come[0]
	}
	return explore.Model[reachState]{
		Init: reachState{},
		Threads: []explore.Thread[reachState]{{Name: "worker", Step: func(s *reachState) bool {
			switch s.worker {
			case 0, 6:
				come[0](s)
			case 1, 7:
				if s.worker == 1 || !m.backAsItWas {
					come[1](s)
				}
			case 2, 8: // at work; then leaveReach
				if m.raisedFirst {
					s.low = false
				}
			case 3, 9:
				if s.reach < 0 && !m.clearedWithout {
					return false
				}
				s.reach = -1
			case 4, 10:
				if !m.leftLow && !m.raisedFirst {
					s.low = false
				}
			case 5, 11:
				s.reach = 0
			case 12: // the thread ends, and the number is somebody's
				s.stranger, s.low = true, false
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
				if s.reach == 1 {
					s.pc = 1
				}
				return true
			case 1: // lend
				if !hold(s) {
					s.pc = 0
					return true
				}
			case 2:
				change(s, false)
			case 3:
				release(s)
			case 4: // after a nap
				if !hold(s) {
					s.pc = 0
					return true
				}
			case 5:
				change(s, true)
			case 6:
				release(s)
				s.pc = 0
				return true
			}
			s.pc++
			return true
		}}},
		Invariant: func(s reachState) error {
			switch {
			case s.harmed:
				return errors.New("a thread that is not the worker's was changed")
			case !s.low && s.pc == 0 && (s.worker == 2 || s.worker == 8):
				return errors.New("a worker keeps its boost")
			case s.low && s.reach == 0:
				return errors.New("a worker that is low is out of reach")
			}
			return nil
		},
		Final: func(s reachState) error {
			if s.worker != 13 {
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
		"a worker that is back as it was":          {backAsItWas: true},
		"a worker that is lowered out of reach":    {lowFirst: true},
		"a worker that leaves as it was":           {leftLow: true},
		"a worker that is raised without a hold":   {raisedFirst: true},
	} {
		if _, err := explore.Run(reachModel(m)); err == nil {
			t.Errorf("the explorer did not catch %s", name)
		}
	}
}

// X3: a worker that wakes up, works, and sleeps, twice, and then works for good; and the booster, which rests when it
// has seen the worker asleep.
type restState struct {
	worker  int8 // pc
	idle    bool
	pc      int8 // of the booster
	resting bool
	token   bool
}

type restMutant struct{ silent, toldFirst, saidLate, noSecondLook bool }

func restModel(m restMutant) explore.Model[restState] {
	return explore.Model[restState]{
		Init: restState{idle: true},
		Threads: []explore.Thread[restState]{{Name: "worker", Step: func(s *restState) bool {
			leave := func() { s.idle = false }
			tell := func() { s.token = s.token || s.resting && !m.silent }
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
			case 0: // looks
				if !s.idle {
					return s.worker != 8 // again, until it works for good
				}
				s.pc = 1
			case 1:
				s.resting = !m.saidLate
				s.pc = 2
			case 2:
				s.pc = 3
				if !s.idle && !m.noSecondLook {
					s.pc = 4
				}
			case 3:
				s.resting = true
				if !s.token {
					return false
				}
				s.token = false
				s.pc = 4
			case 4:
				s.resting = false
				s.pc = 0
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
		"resting after the look":     {saidLate: true},
		"no look after resting":      {noSecondLook: true},
	} {
		if _, err := explore.Run(restModel(m)); err == nil {
			t.Errorf("the explorer did not catch %s", name)
		}
	}
}
