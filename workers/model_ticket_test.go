package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// J5 as a model: a job that runs twice, and one who waits for it with one ticket, twice, of which the first wait may be
// ended by its context. Both runs' ends are told late, by whoever ran them.
type ticketState struct {
	finished bool
	runs     int8
	inList   bool
	twice    bool // the waiter was put into the list while it was there, or was about to be called
	took     [3]bool
	token    bool
	listed   bool
	gaveUp   bool
	waits    int8
	pc       [3]int8 // of who ran it, the first and the second time, and of the waiter
}

type ticketMutant int

const (
	ticketSound     ticketMutant = iota
	enlistsAlways                // the waiter is enlisted in every wait
	staysListed                  // taking the token does not say that the waiter is in no list
	takesAndReturns              // a token that is there before the sleep is taken, and the waiter not enlisted
)

func (s *ticketState) take(who int) { s.took[who], s.inList = s.inList, false }

func (s *ticketState) call(who int) {
	s.token = s.token || s.took[who]
	s.took[who] = false
}

// end is the end of a run: J1.
func (s *ticketState) end(run int) bool {
	switch s.pc[run] {
	case 0:
		if s.runs != int8(run) || run == 1 && s.finished {
			return false // it has not begun
		}
		s.finished, s.runs = true, s.runs+1
	case 1:
		if !s.inList {
			s.pc[run] = 3
		}
	case 2:
		s.take(run)
	case 3:
		s.call(run)
	default:
		return false
	}
	s.pc[run]++
	return true
}

func (s *ticketState) wait(m ticketMutant) bool {
	const look, await, enlist, again, take, call, sleep, ended = 0, 1, 2, 3, 4, 5, 6, 7
	pc := &s.pc[2]
	switch *pc {
	case look:
		*pc = await
		if s.finished {
			s.waits++
			*pc = look
			if s.waits == 2 && s.runs == 2 {
				*pc = ended
			}
		}
	case await:
		switch {
		case !s.listed || m == enlistsAlways:
			*pc = enlist
		case s.token:
			s.token = false
			*pc = enlist
			if m == takesAndReturns {
				*pc = sleep
			}
		default:
			*pc = sleep
		}
	case enlist:
		s.twice = s.inList || s.took[0] || s.took[1]
		s.listed, s.inList = true, true
		*pc = again
	case again:
		*pc = sleep
		if s.finished {
			*pc = take
		}
	case take:
		s.take(2)
		*pc = call
	case call:
		s.call(2)
		*pc = sleep
	case sleep:
		switch {
		case s.token:
			s.token = false
			s.listed = m == staysListed
			*pc = look
		case s.waits == 0 && !s.gaveUp:
			s.gaveUp, s.waits = true, 1
			*pc = look
		default:
			return false
		}
	default:
		return false
	}
	s.waits = min(s.waits, 2)
	return true
}

func ticketModel(m ticketMutant) explore.Model[ticketState] {
	return explore.Model[ticketState]{
		Threads: []explore.Thread[ticketState]{
			{Name: "first run", Step: func(s *ticketState) bool { return s.end(0) }},
			{Name: "second run", Step: func(s *ticketState) bool { return s.end(1) }},
			{Name: "owner", Step: func(s *ticketState) bool {
				again := s.finished && s.runs == 1
				s.finished = s.finished && !again
				return again
			}},
			{Name: "waiter", Step: func(s *ticketState) bool { return s.wait(m) }},
		},
		Invariant: func(s ticketState) error {
			if s.twice {
				return errors.New("a waiter is in a list twice")
			}
			return nil
		},
		Final: func(s ticketState) error {
			if s.pc[2] != 7 {
				return errors.New("who waits sleeps for ever")
			}
			return nil
		},
	}
}

func TestModelATicketIsUsedAgain(t *testing.T) {
	explore.Try(t, ticketSound, explore.Span(enlistsAlways, takesAndReturns), ticketModel)
}
