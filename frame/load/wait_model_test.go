package load

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// L5 as a model: the task that commits, one who cancels, one who waits, the loop's Close, and its watch. All that
// happens under the lock is one step; the calls come after it.
type waitState struct {
	state                  State
	life                   bool // Close has come
	ended, listed, watched bool

	commit, cancel, watch, wait int8 // pcs
	has                         [3]bool
	calls                       int8
	early                       bool
}

type waitMutant int

const (
	waitSound   waitMutant = iota
	waitBlind              // who waits does not look whether the request has ended
	waitUnwatch            // nobody looks for Close
	waitHasty              // the watch of Close does not look at the state
	waitBefore             // the end comes before the commit
	waitApart              // an end takes the list, and says so later
)

// end is end, in two steps, by who has the given number; it returns the next pc.
func (s *waitState) end(who, pc int8, m waitMutant) int8 {
	switch pc {
	case 2:
		if s.ended {
			return waitOver
		}
		s.has[who], s.listed = s.listed, false
		s.ended = m != waitApart
		return 3
	case 3:
		s.ended = true
		if s.has[who] {
			s.call()
		}
	}
	return waitOver
}

const waitOver = 9

func (s *waitState) call() {
	s.calls++
	s.early = s.early || s.state == committing || s.state == Pending && !s.life
}

func (s *waitState) commits(m waitMutant) bool {
	switch s.commit {
	case waitOver:
		return false
	case 0:
		if s.commit = waitOver; s.state == Pending && !s.life {
			s.state, s.commit = committing, 1
			if m == waitBefore {
				s.commit = 2
			}
		}
	case 1:
		s.state, s.commit = Loaded, 2 // or Failed
	default:
		s.commit = s.end(0, s.commit, m)
	}
	return true
}

func (s *waitState) cancels(m waitMutant) bool {
	switch s.cancel {
	case waitOver:
		return false
	case 0:
		if s.cancel = waitOver; s.state == Pending && !s.life {
			s.state, s.cancel = Canceled, 2
		}
	default:
		s.cancel = s.end(1, s.cancel, m)
	}
	return true
}

// closes is Close, which waits for the task that runs.
func (s *waitState) closes() bool {
	ok := !s.life && (s.commit == 0 || s.commit == waitOver)
	s.life = s.life || ok
	return ok
}

func (s *waitState) watches(m waitMutant) bool {
	switch s.watch {
	case waitOver:
		return false
	case 0:
		if !s.watched || m == waitUnwatch || !s.life && m != waitHasty {
			return false
		}
		if s.watch = waitOver; s.state == Pending || m == waitHasty {
			s.watch = 2
		}
	default:
		s.watch = s.end(2, s.watch, m)
	}
	return true
}

func (s *waitState) waits(m waitMutant) bool {
	if s.wait != 0 {
		return false
	}
	s.wait = 1
	if s.ended && m != waitBlind {
		s.call()
	} else {
		s.listed, s.watched = true, true
	}
	return true
}

func waitModel(m waitMutant) explore.Model[waitState] {
	return explore.Model[waitState]{
		Threads: []explore.Thread[waitState]{
			{Name: "commit", Step: func(s *waitState) bool { return s.commits(m) }},
			{Name: "cancel", Step: func(s *waitState) bool { return s.cancels(m) }},
			{Name: "close", Step: (*waitState).closes},
			{Name: "watch", Step: func(s *waitState) bool { return s.watches(m) }},
			{Name: "wait", Step: func(s *waitState) bool { return s.waits(m) }},
		},
		Invariant: func(s waitState) error {
			if s.early || s.calls > 1 {
				return errors.New("called early, or twice")
			}
			return nil
		},
		Final: func(s waitState) error {
			if s.calls != 1 {
				return errors.New("never called")
			}
			return nil
		},
	}
}

func TestL5_ModelOfWhoWaits(t *testing.T) {
	explore.Try(t, waitSound, explore.Span(waitBlind, waitApart), waitModel)
}
