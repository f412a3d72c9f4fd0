package park

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The parker that sleeps on an address (P1, P2): two posters make an item visible each, and post. One of them may be
// descheduled for good in the middle of its post; what the other has made visible is then taken nevertheless.
type addressState struct {
	visible [2]bool // each poster's item
	token   bool
	queued  bool // the system counts the waiter as a sleeper
	had     [2]bool
	poster  [2]int8
	waiter  int8
}

type addressMutant int

const (
	addressSound     addressMutant = iota
	addressWakeFirst               // P1: it wakes, and then stores the token
	addressWakeOnce                // P1: it wakes only if there was no token
	addressClear                   // P2: wait clears the token before it sleeps, whatever it was
	addressBlind                   // P2: the look at the token and the sleep are two steps
)

func addressModel(m addressMutant, stops bool) explore.Model[addressState] {
	threads := []explore.Thread[addressState]{{Name: "waiter", Step: func(s *addressState) bool {
		switch s.waiter {
		case 0: // the worker looks for work
			s.visible = [2]bool{}
			s.waiter = 1
		case 1: // Swap
			s.waiter = 2
			if s.token && m != addressClear {
				s.waiter = 0
			}
			s.token = false
		case 2: // WaitOnAddress
			s.waiter = 1
			if !s.token || m == addressBlind {
				s.queued = true
				s.waiter = 3
			}
		case 3:
			if s.queued {
				return false
			}
			s.waiter = 1
			if m == addressClear {
				s.waiter = 0 // it was woken
			}
		}
		return true
	}}}
	for i := range 2 {
		threads = append(threads, explore.Thread[addressState]{Name: fmt.Sprint("poster", i),
			Step: func(s *addressState) bool {
				pc := &s.poster[i]
				store, wake := int8(1), int8(2)
				if m == addressWakeFirst {
					store, wake = 2, 1
				}
				switch {
				case stops && i == 0 && *pc == 2, *pc == 3:
					return false
				case *pc == 0:
					s.visible[i] = true
				case *pc == store:
					s.had[i] = s.token
					s.token = true
				case *pc == wake:
					if m != addressWakeOnce || !s.had[i] {
						s.queued = false
					}
				}
				*pc++
				return true
			}})
	}
	return explore.Model[addressState]{Threads: threads, Final: func(s addressState) error {
		for i, visible := range s.visible {
			if visible && s.poster[i] == 3 {
				return fmt.Errorf("the worker sleeps, and %d has posted", i)
			}
		}
		return nil
	}}
}

func TestModelNobodySleepsBesideAToken(t *testing.T) {
	explore.TryIn(t, addressSound, explore.Span(addressWakeFirst, addressBlind), addressModel, false, true)
}
