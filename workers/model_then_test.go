package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A link (J3) as a model: the source ends while its follower is being enlisted, is canceled, and is waited for
// in a job by the only worker, or popped by one.

type thenMutant int

const (
	thenSound    thenMutant = iota
	followBlind             // follow is a load and a store
	noWake                  // the link is queued, and its waiter sleeps on
	lookedOnce              // a waiter does not look again when it has enlisted
	visibleEarly            // in its lane before it is Queued
	noLook                  // Then does not look at the source after it has enlisted
)

type thenState struct {
	finished, listed bool // the source; the link is in its list
	state            State
	entries          int8 // in the lane
	begun, ended     int8
	enlisted, woken  bool    // the waiter
	pc               [4]int8 // source, Then, Cancel, worker
	patient          bool    // the source does not end before the link's waiter goes on, so the link is to be canceled
}

// follow makes the next step of follow at pc 0 to 4, and reports the end.
func (s *thenState) follow(pc *int8, m thenMutant) bool {
	switch *pc {
	case 0:
		if s.state != apart {
			return true
		}
		if m != followBlind {
			s.state = looking
		}
	case 1:
		s.state = looking
		if m == visibleEarly {
			s.entries++
		}
	case 2:
		s.state = Queued
	case 3:
		if m != visibleEarly {
			s.entries++
		}
	case 4:
		if s.enlisted && m != noWake {
			s.enlisted, s.woken = false, true
		}
		return true
	}
	*pc++
	return false
}

const thenDone = 100

// thenSource is a thread that ends the source, or looks at it after enlisting, and calls follow at pc 10.
func thenSource(who int, m thenMutant) func(s *thenState) bool {
	return func(s *thenState) bool {
		pc := &s.pc[who]
		switch {
		case *pc == thenDone:
			return false
		case *pc >= 10:
			at := *pc - 10
			if s.follow(&at, m) {
				*pc = thenDone
				return true
			}
			*pc = at + 10
		case who == 0 && *pc == 0 && s.patient && s.pc[3] != thenDone:
			return false
		case who == 0 && *pc == 0:
			s.finished = true
			*pc = 2
		case who == 1 && *pc == 0:
			s.listed = true
			*pc = 1
		case who == 1 && *pc == 1:
			*pc = 2
			if !s.finished || m == noLook {
				*pc = thenDone
			}
		case *pc == 2:
			*pc = thenDone
			if s.listed {
				s.listed = false
				*pc = 10
			}
		}
		return true
	}
}

func thenCancel(s *thenState) bool {
	pc := &s.pc[2]
	switch *pc {
	case 0:
		switch s.state {
		case apart, Queued:
			s.state = settling
			*pc = 1
		case looking:
		default:
			*pc = thenDone
		}
	case 1:
		s.ended++
		s.state = Finished
		*pc = thenDone
	default:
		return false
	}
	return true
}

// thenWaiter is the only worker, within a job that waits for the link. The source has begun elsewhere.
func thenWaiter(m thenMutant) func(s *thenState) bool {
	return func(s *thenState) bool {
		pc := &s.pc[3]
		switch {
		case *pc == thenDone:
			return false
		case *pc == 1: // sleeps; the end of the link wakes it, too (J1)
			if s.state != Finished && !s.woken {
				return false
			}
			s.woken, s.enlisted = false, false
			*pc = 0
		case *pc == 3:
			s.enlisted = true
			*pc = 0
			if m == lookedOnce {
				*pc = 1
			}
		case *pc == 2: // runs it
			s.ended++
			s.state = Finished
			*pc = 0
		default:
			switch s.state {
			case Finished:
				*pc = thenDone
			case Queued:
				s.state = Running
				s.begun++
				*pc = 2
			case looking:
			default:
				*pc = 3
				if s.enlisted {
					*pc = 1
				}
			}
		}
		return true
	}
}

// thenWorker is a worker that nobody keeps from looking at the lane.
func thenWorker(s *thenState) bool {
	pc := &s.pc[3]
	switch {
	case *pc == 1:
		s.ended++
		s.state = Finished
		*pc = 0
	case s.entries > 0:
		s.entries--
		if s.state == Queued {
			s.state = Running
			s.begun++
			*pc = 1
		}
	default:
		return false
	}
	return true
}

func thenModel(m thenMutant, waits, cancels, patient bool) explore.Model[thenState] {
	worker := thenWorker
	if waits {
		worker = thenWaiter(m)
	}
	threads := []explore.Thread[thenState]{
		{Name: "source", Step: thenSource(0, m)},
		{Name: "then", Step: thenSource(1, m)},
		{Name: "worker", Step: worker},
	}
	if cancels {
		threads = append(threads, explore.Thread[thenState]{Name: "cancel", Step: thenCancel})
	}
	return explore.Model[thenState]{
		Init:    thenState{state: apart, patient: patient},
		Threads: threads,
		Invariant: func(s thenState) error {
			if s.ended > 1 || s.begun > 1 {
				return errors.New("the link ended twice")
			}
			return nil
		},
		Final: func(s thenState) error {
			if s.state != Finished || s.ended != 1 || waits && s.pc[3] != thenDone {
				return errors.New("the link never ends, or its waiter sleeps for ever")
			}
			return nil
		},
	}
}

func TestModelALinkEndsOnce(t *testing.T) {
	model := func(m thenMutant, k int) explore.Model[thenState] {
		return thenModel(m, k != 0 && k != 2, k >= 2, k == 4)
	}
	explore.TryIn(t, thenSound, explore.Span(followBlind, noLook), model, 0, 1, 2, 3, 4)
}
