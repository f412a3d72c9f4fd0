package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A Group (WS1 to WS3) as a model: the body spawns job 0, which spawns job 1. A worker serves the lane, which
// may be closed to job 1, as it is when the pool has been closed meanwhile. The caller must come to the end,
// and not before both have ended.

type groupMutant int

const (
	groupSound      groupMutant = iota
	countLate                   // WS1: counted when it is visible already
	lowerEarly                  // WS1: lowered before the job spawns
	wakeEarly                   // WS2: the sleeper is woken before left is lowered
	noWakeForASpawn             // WS2: only the end wakes
	lookOnce                    // WS2: the caller does not look again when it has enlisted
	endBlindly                  // WS3: the end is a load and a store
)

type groupState struct {
	left                       int8
	stack, lane, claimed, over [2]bool
	spawned                    [2]int8 // steps of Go
	enlisted, listed, token    bool    // the caller's ticket: LT2
	ended, late                bool
	caller, mine               int8
	worker, its                int8
}

// goStep makes the next step of Go for job i and reports the last.
func (s *groupState) goStep(i int8, m groupMutant, closed bool) bool {
	s.spawned[i]++
	switch s.spawned[i] {
	case 1:
		if m != countLate {
			s.count()
		}
	case 2:
		s.stack[i] = true
	case 3:
		s.lane[i] = !closed || i == 0
	case 4:
		if m == countLate {
			s.count()
		}
	case 5:
		if m != noWakeForASpawn {
			s.wake()
		}
		return true
	}
	return false
}

func (s *groupState) wake() {
	s.token = s.token || s.listed
	s.listed = false
}

func (s *groupState) count() {
	s.left++
	s.late = s.late || s.ended
}

// runStep makes the next step of the run of job i at pc, and returns the next pc, 0 at the end.
func (s *groupState) runStep(i, pc int8, m groupMutant, closed bool) int8 {
	switch pc {
	case 1:
		if m == lowerEarly {
			s.left--
		}
	case 2:
		if i == 0 && !s.goStep(1, m, closed) {
			return 2
		}
	case 3:
		s.over[i] = true
		if m == wakeEarly {
			s.wake()
		}
	case 4:
		if m != lowerEarly {
			s.left--
		}
	case 5:
		if s.left == 0 && m != wakeEarly {
			s.wake()
		}
		return 0
	}
	return pc + 1
}

func (s *groupState) callerStep(m groupMutant, closed bool) bool {
	const spawn, look, run, end, sleep, endSecond = 0, 1, 2, 10, 11, 12
	switch {
	case s.caller == spawn:
		if s.goStep(0, m, closed) {
			s.caller = look
		}
	case s.caller == look:
		s.caller = end
		for i := range s.stack {
			if s.stack[i] {
				s.stack[i] = false
				s.caller = look
				if !s.claimed[i] {
					s.claimed[i] = true
					s.mine, s.caller = int8(i), run
				}
				break
			}
		}
	case s.caller >= run && s.caller < end:
		pc := s.runStep(s.mine, s.caller-run+1, m, closed)
		s.caller = run + pc - 1
		if pc == 0 {
			s.caller = look
		}
	case s.caller == end:
		s.caller = sleep
		if s.left == 0 {
			if m == endBlindly {
				s.caller = endSecond
				return true
			}
			s.ended, s.caller = true, 20
		}
	case s.caller == endSecond:
		s.ended, s.caller = true, 20
	case s.caller == sleep:
		switch {
		case !s.enlisted:
			s.enlisted, s.listed = true, true
			if m != lookOnce {
				s.caller = look
			}
		case s.token:
			s.enlisted, s.token = false, false
			s.caller = look
		default:
			return false
		}
	default:
		return false
	}
	return true
}

func (s *groupState) workerStep(m groupMutant, closed bool) bool {
	if s.worker > 0 {
		s.worker = s.runStep(s.its, s.worker, m, closed)
		return true
	}
	for i := range s.lane {
		if s.lane[i] {
			s.lane[i] = false
			if !s.claimed[i] {
				s.claimed[i] = true
				s.its, s.worker = int8(i), 1
			}
			return true
		}
	}
	return false
}

func groupModel(m groupMutant, closed, foreign bool) explore.Model[groupState] {
	threads := []explore.Thread[groupState]{
		{Name: "caller", Step: func(s *groupState) bool { return s.callerStep(m, closed) }},
		{Name: "worker", Step: func(s *groupState) bool { return s.workerStep(m, closed) }},
	}
	if foreign { // a Go that the rules forbid: it is counted in time, or it finds the end
		threads = append(threads, explore.Thread[groupState]{Name: "foreign", Step: func(s *groupState) bool {
			if s.spawned[1] != 0 {
				return false
			}
			s.spawned[1] = 1
			if !s.ended {
				s.left++
			}
			return true
		}})
	}
	return explore.Model[groupState]{Threads: threads,
		Invariant: func(s groupState) error {
			switch {
			case s.late:
				return errors.New("a job was counted after the end")
			case s.ended && !foreign && (!s.over[0] || !s.over[1]):
				return errors.New("the group ended before its jobs")
			case s.ended && foreign && s.left != 0:
				return errors.New("the group ended with a job that was accepted")
			}
			return nil
		},
		Final: func(s groupState) error {
			if !s.ended && !foreign {
				return fmt.Errorf("the caller sleeps for ever, left %d", s.left)
			}
			return nil
		},
	}
}

// The lane may be open or closed to job 1. In the third case job 1 is the foreign one, and job 0 spawns nothing.
func TestModelAGroupEndsWithItsLastJob(t *testing.T) {
	explore.TryIn(t, groupSound, explore.Span(countLate, endBlindly),
		func(m groupMutant, c int) explore.Model[groupState] {
			model := groupModel(m, c == 1, c == 2)
			if c == 2 {
				model.Init = groupState{caller: 10}
			}
			return model
		}, 0, 1, 2)
}
