package flow_test

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// AC1 to AC3 as a model: the ends of the elements, and a coroutine that awaits each, and gives up one wait at any
// moment. A wait that was called leaves its waker to the next one (S18).
type completedState struct {
	count, newest int8 // last
	after         [completedEnds]int8
	waiter        int8 // the number of the wait that it belongs to, or 0
	needs         [completedWaits + 1]int8
	ready         [completedEnds]int8
	have          int8 // how many there are in ready
	taken         int8
	order, came   [completedEnds]int8
	woken         int8 // the wait that was called, for the present wait only
	wait          int8 // the number of the present wait
	waker         int8 // of the present wait
	wakers        [completedWaits + 1]int8
	gaveUp        bool

	ends [completedEnds]completedEnd
	pc   int8

	fault completedFault
}

type completedEnd struct {
	pc, count, newest, n, w int8
}

const (
	completedEnds  = 2
	completedWaits = completedEnds + 1
)

type completedFault int8

const (
	completedNothing completedFault = 1 + iota
	completedOrder
)

var completedFaults = map[completedFault]error{
	completedNothing: errors.New("a wait ended, and there was no index"),
	completedOrder:   errors.New("the indices came in another order than the ends"),
}

type completedMutant int

const (
	completedSound      completedMutant = iota
	completedUnnumbered                 // an end does not compare the numbers
	completedEarly                      // an end counts before its index is in the list
	completedStore                      // an end takes the waiter away by a store
	completedBlind                      // Notify does not look when it has stored its waiter
	completedTwice                      // Notify calls its waiter without taking it away
	completedUnturned                   // the newest index comes first
)

func (s *completedState) end(i int, m completedMutant) bool {
	e := &s.ends[i]
	switch e.pc {
	case 0: // the load
		e.count, e.newest = s.count, s.newest
		e.pc = 1
		if m == completedEarly {
			s.count++
			e.n, e.pc = s.count, 2
		}
	case 1: // the swap
		e.pc = 0
		if s.count == e.count && s.newest == e.newest {
			s.order[s.count] = int8(i)
			s.count++
			s.after[i], s.newest = s.newest, int8(i)+1
			e.n, e.pc = s.count, 2
		}
	case 2: // the look at the waiter
		e.w = s.waiter
		e.pc = 3
		if e.w == 0 || s.needs[e.w] >= e.n && m != completedUnnumbered {
			e.pc = 5
		}
	case 3: // its swap
		e.pc = 2
		if s.waiter == e.w || m == completedStore {
			s.waiter = 0
			e.pc = 4
		}
	case 4: // the call
		if s.waker == s.wakers[e.w] && s.pc > 0 {
			s.woken = s.wait
		}
		e.pc = 5
	case 5:
		if m != completedEarly || e.count < 0 {
			return false
		}
		s.order[s.taken+s.have+s.listed()] = int8(i)
		s.after[i], s.newest = s.newest, int8(i)+1
		e.count = -1
	}
	return true
}

// listed returns how many indices are in the list.
func (s *completedState) listed() (n int8) {
	for k := s.newest; k != 0; k = s.after[k-1] {
		n++
	}
	return n
}

func (s *completedState) waits(m completedMutant) bool {
	switch s.pc {
	case 0: // Notify stores
		if s.taken == completedEnds {
			return false
		}
		s.wait++
		s.needs[s.wait], s.wakers[s.wait] = s.taken, s.waker
		s.waiter = s.wait
		s.pc = 1
	case 1: // Notify looks
		s.pc = 2
		if m != completedBlind && (s.have > 0 || s.newest != 0) {
			if s.waiter == s.wait {
				if m != completedTwice {
					s.waiter = 0
				}
				s.pc = 3
			}
		}
	case 2: // asleep
		if s.woken != s.wait {
			return false
		}
		s.pc = 3
	case 3: // Result
		if s.have == 0 {
			if s.newest == 0 {
				s.fault = completedNothing
				return true
			}
			for k := s.newest; k != 0; k = s.after[k-1] {
				s.ready[s.have] = k - 1
				s.have++
			}
			s.newest = 0
		}
		s.have--
		i := s.ready[s.have]
		if m == completedUnturned {
			i = s.ready[0]
			copy(s.ready[:], s.ready[1:])
		}
		if s.order[s.taken] != i {
			s.fault = completedOrder
		}
		s.came[s.taken] = i
		s.taken++
		s.pc = 0
	}
	return true
}

func completedModel(m completedMutant) explore.Model[completedState] {
	threads := []explore.Thread[completedState]{
		{Name: "wait", Step: func(s *completedState) bool { return s.waits(m) }},
		{Name: "give up", Step: func(s *completedState) bool { // a timeout
			if s.gaveUp || s.pc != 2 || s.woken == s.wait {
				return false
			}
			s.gaveUp, s.pc = true, 0
			s.waker++
			return true
		}},
	}
	for i := range completedEnds {
		threads = append(threads, explore.Thread[completedState]{
			Name: "end", Step: func(s *completedState) bool { return s.end(i, m) },
		})
	}
	return explore.Model[completedState]{
		Threads:   threads,
		Invariant: func(s completedState) error { return completedFaults[s.fault] },
		Final: func(s completedState) error {
			if s.taken != completedEnds {
				return errors.New("a wait sleeps though all have ended")
			}
			return nil
		},
	}
}

func TestModelAsCompleted(t *testing.T) {
	explore.Try(t, completedSound, explore.Span(completedUnnumbered, completedUnturned), completedModel)
}
