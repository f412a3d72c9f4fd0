package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The counts and the bell of a Graph (WG1 to WG4) as a model: node 0 comes before 1 and 2, both come before 3. A caller
// and a helper run them. The helper leaves when the queue is empty and may come back, or not: so the caller must not
// rely on it. If asked for, the helper ends by a Goexit in node 0. Every node runs once, node 3 after the others and
// knowing what node 1 said, and the caller comes to the end, and not before.

type graphMutant int

const (
	graphSound     graphMutant = iota
	sayLate                    // WG2: what a node means is written after waits is lowered
	lowerLeftEarly             // WG3: left is lowered before the function has returned
	ringBefore                 // WG4: rung before the node is in the queue
	noRingAtZero               // WG4: the end rings nobody
	silentForAll               // WG4: of none that became ready is anybody told
	loadAndStore               // WG2: waits is lowered by a load and a store
)

type graphRunner struct{ pc, node, succ, saw int8 }

type graphState struct {
	waits       [4]int8
	said        bool // node 1 has told node 3
	ready       [4]bool
	ran         [4]int8
	left        int8
	bell, ended bool
	misled      bool
	helps       int8 // how often the helper will still come
	gone        bool // the helper has called Goexit
	run         [2]graphRunner
}

// successor returns the successor of node i at k, or 0.
func successor(i, k int8) int8 {
	switch {
	case i == 0 && k < 2:
		return k + 1
	case (i == 1 || i == 2) && k == 0:
		return 3
	}
	return 0
}

const (
	graphLook, graphRun, graphSay, graphLower, graphLower2, graphRing, graphPush = 0, 1, 2, 3, 4, 5, 6
	graphTell, graphLeft, graphEnd, graphCheck, graphSleep, graphDone            = 7, 8, 9, 10, 11, 12
)

func (s *graphState) step(who int8, m graphMutant, exit bool) bool {
	r := &s.run[who]
	switch r.pc {
	case graphLook:
		if who == 1 && s.gone {
			return false
		}
		for i := range s.ready {
			if s.ready[i] {
				s.ready[i] = false
				s.take(r, int8(i), m)
				return true
			}
		}
		if who == 0 {
			r.pc = graphCheck
			return true
		}
		if s.helps == 0 {
			return false
		}
		s.helps--
	case graphRun:
		s.ran[r.node]++
		s.misled = s.misled || r.node == 3 && !s.said
		r.succ = 0
		r.pc = graphSay
	case graphSay:
		if r.node == 1 && m != sayLate {
			s.said = true
		}
		r.pc = graphLower
	case graphLower:
		to := successor(r.node, r.succ)
		if to == 0 {
			r.pc = graphLeft
			return true
		}
		r.saw = s.waits[to] - 1
		if m == loadAndStore {
			r.pc = graphLower2
			return true
		}
		s.waits[to] = r.saw
		s.lowered(r, m)
	case graphLower2:
		s.waits[successor(r.node, r.succ)] = r.saw
		s.lowered(r, m)
	case graphRing: // the mutant's, before the push
		s.bell = true
		r.pc = graphPush
	case graphPush:
		to := successor(r.node, r.succ)
		s.ready[to] = true
		r.pc = graphTell
	case graphTell:
		exits := exit && who == 1 && r.node == 0
		silent := r.succ == 0 && !exits || m == silentForAll
		if !silent && m != ringBefore {
			s.bell = true
		}
		r.succ++
		r.pc = graphLower
	case graphLeft:
		if r.node == 1 && m == sayLate {
			s.said = true
		}
		if m != lowerLeftEarly {
			s.left--
		}
		r.pc = graphEnd
	case graphEnd:
		if s.left == 0 && m != noRingAtZero {
			s.bell = true
		}
		s.gone = exit && who == 1 && r.node == 0
		r.pc = graphLook
	case graphCheck:
		r.pc = graphSleep
		if s.left == 0 {
			s.ended = true
			r.pc = graphDone
		}
	case graphSleep:
		if !s.bell {
			return false
		}
		s.bell = false
		r.pc = graphLook
	default:
		return false
	}
	return true
}

func (s *graphState) take(r *graphRunner, node int8, m graphMutant) {
	r.node, r.pc = node, graphRun
	if m == lowerLeftEarly {
		s.left--
	}
}

// lowered goes on after waits has been lowered to what r saw.
func (s *graphState) lowered(r *graphRunner, m graphMutant) {
	switch {
	case r.saw > 0:
		r.succ++
		r.pc = graphLower
	case m == ringBefore:
		r.pc = graphRing
	default:
		r.pc = graphPush
	}
}

func graphModel(m graphMutant, exit bool) explore.Model[graphState] {
	init := graphState{waits: [4]int8{0, 1, 1, 2}, left: 4, helps: 2}
	init.ready[0] = true
	var threads []explore.Thread[graphState]
	for i, name := range []string{"caller", "helper"} {
		threads = append(threads, explore.Thread[graphState]{Name: name, Step: func(s *graphState) bool {
			return s.step(int8(i), m, exit)
		}})
	}
	return explore.Model[graphState]{Init: init, Threads: threads,
		Invariant: func(s graphState) error {
			switch {
			case s.misled:
				return errors.New("a node ran before it could know what its predecessor said")
			case s.ended && s.ran != [4]int8{1, 1, 1, 1}:
				return fmt.Errorf("at the end the nodes had run %v times", s.ran)
			case s.ran[0] > 1 || s.ran[1] > 1 || s.ran[2] > 1 || s.ran[3] > 1:
				return errors.New("a node ran twice")
			}
			return nil
		},
		Final: func(s graphState) error {
			if !s.ended {
				return fmt.Errorf("the caller sleeps for ever, left %d", s.left)
			}
			return nil
		},
	}
}

func TestModelAGraphRunsEveryNodeOnce(t *testing.T) {
	mutants := []graphMutant{sayLate, lowerLeftEarly, ringBefore, noRingAtZero, silentForAll, loadAndStore}
	explore.TryIn(t, graphSound, mutants, graphModel, false, true)
}
