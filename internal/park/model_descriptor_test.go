package park

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A parker with a descriptor (P3), whose token is a mark in the kernel, as an eventfd's counter is. Two posters make an
// item visible each, and post. The worker takes the items, and when it has both it ends, and closes the file. Then the
// kernel may give the number to another file. One poster may be descheduled for good in the middle of its post.
type descriptorState struct {
	visible [2]bool // each poster's item
	taken   int8
	mark    bool
	users   int8
	seen    [2]int8 // users, as the poster has loaded it
	file    int8    // of the number: 0 is the parker's, 1 none, 2 another
	wrong   bool    // somebody uses the number, or closes it, and it is not the parker's
	poster  [2]int8
	waiter  int8
}

type descriptorMutant int

const (
	descriptorSound      descriptorMutant = iota
	descriptorWipes                       // a wait wipes the mark, and then sleeps
	descriptorNoPin                       // P3: a post does not count itself
	descriptorFromZero                    // P3: a post counts itself, whatever the count is
	descriptorLooks                       // P3: a post looks at the count, and then adds, in two steps
	descriptorClosesSoon                  // P3: close closes, whoever is counted
)

// The posters' program counters, and the waiter's.
const (
	fdPush int8 = iota
	fdLoad
	fdAdd
	fdTrigger
	fdUnpin
	fdShut
	fdDone
)

const (
	fdLook int8 = iota
	fdBefore
	fdSleep
	fdLeave
	fdClose
	fdGone
)

func descriptorModel(m descriptorMutant, stops bool) explore.Model[descriptorState] {
	shut := func(s *descriptorState) {
		s.wrong = s.wrong || s.file != 0
		s.file = 1
	}
	threads := []explore.Thread[descriptorState]{
		{Name: "waiter", Step: func(s *descriptorState) bool { return descriptorWaiterStep(s, m, shut) }},
		{Name: "other file", Step: func(s *descriptorState) bool {
			if s.file != 1 {
				return false
			}
			s.file = 2
			return true
		}},
	}
	for i := range 2 {
		threads = append(threads, explore.Thread[descriptorState]{Name: fmt.Sprint("poster", i),
			Step: func(s *descriptorState) bool {
				if stops && i == 0 && s.poster[i] == fdTrigger {
					return false
				}
				return descriptorPosterStep(s, i, m, shut)
			}})
	}
	return explore.Model[descriptorState]{
		Init:    descriptorState{users: 1},
		Threads: threads,
		Invariant: func(s descriptorState) error {
			if s.wrong {
				return errors.New("the number is not the parker's any more")
			}
			return nil
		},
		Final: func(s descriptorState) error {
			for i, visible := range s.visible {
				if visible && s.poster[i] == fdDone {
					return fmt.Errorf("the worker sleeps, and %d has posted", i)
				}
			}
			if !stops && (s.waiter != fdGone || s.file == 0) {
				return errors.New("the file is not closed")
			}
			return nil
		},
	}
}

func descriptorWaiterStep(s *descriptorState, m descriptorMutant, shut func(*descriptorState)) bool {
	switch s.waiter {
	case fdLook: // the worker looks for work
		for i := range s.visible {
			if s.visible[i] {
				s.visible[i] = false
				s.taken++
			}
		}
		s.waiter = fdBefore
		if s.taken == 2 {
			s.waiter = fdLeave
		}
	case fdBefore:
		s.waiter = fdSleep
		s.mark = s.mark && m != descriptorWipes
	case fdSleep:
		s.wrong = s.wrong || s.file != 0
		if !s.mark {
			return false
		}
		s.mark = false
		s.waiter = fdLook
	case fdLeave: // close
		s.users--
		s.waiter = fdGone
		if s.users == 0 || m == descriptorClosesSoon {
			s.waiter = fdClose
		}
	case fdClose:
		shut(s)
		s.waiter = fdGone
	default:
		return false
	}
	return true
}

func descriptorPosterStep(s *descriptorState, i int, m descriptorMutant, shut func(*descriptorState)) bool {
	pc := &s.poster[i]
	switch *pc {
	case fdPush:
		s.visible[i] = true
		*pc = fdLoad
		if m == descriptorNoPin {
			*pc = fdTrigger
		}
	case fdLoad:
		s.seen[i] = s.users
		*pc = fdAdd
		if s.users == 0 && m != descriptorFromZero {
			*pc = fdDone
		}
	case fdAdd:
		switch {
		case m == descriptorLooks, m == descriptorFromZero:
			s.users++
			*pc = fdTrigger
		case s.users == s.seen[i]:
			s.users++
			*pc = fdTrigger
		default:
			*pc = fdLoad
		}
	case fdTrigger:
		s.wrong = s.wrong || s.file != 0
		s.mark = true
		*pc = fdUnpin
		if m == descriptorNoPin {
			*pc = fdDone
		}
	case fdUnpin:
		s.users--
		*pc = fdDone
		if s.users == 0 {
			*pc = fdShut
		}
	case fdShut:
		shut(s)
		*pc = fdDone
	default:
		return false
	}
	if *pc == fdDone {
		s.seen[i] = 0
	}
	return true
}

func TestModelNoMarkIsLost(t *testing.T) {
	explore.TryIn(t, descriptorSound, explore.Span(descriptorWipes, descriptorClosesSoon), descriptorModel, false, true)
}
