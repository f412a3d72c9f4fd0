package freelist

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A freelist (V2, V3): three goroutines that each have a thing of it twice.
const (
	lendUsers  = 3
	lendThings = 5
)

type lendState struct {
	made  int8
	head  int8 // 1 + the index of a thing, 0 at the end
	next  [lendThings]int8
	taken [lendThings]bool
	users [lendUsers]lendUser
}

type lendUser struct {
	pc, at, rounds int8
}

type lendMutant int

const (
	lendSound    lendMutant = iota
	lookAndStore            // taking is a load and a store
	linkLate                // a thing's successor is set after it is in the list
	untakenNew              // a new thing is in the list before it is marked
	pushByStore             // a new thing is put in by a store
)

func (s *lendState) step(u *lendUser, m lendMutant) bool {
	const hold = 6
	switch u.pc {
	case 0: // head
		if u.rounds == 2 {
			return false
		}
		u.at = s.head
		u.pc = 1
	case 1: // the mark
		switch {
		case u.at == 0:
			u.pc = 3
		case s.taken[u.at-1]:
			u.at = s.next[u.at-1]
		default:
			u.pc = 2
		}
	case 2: // the swap
		if s.taken[u.at-1] && m != lookAndStore {
			u.at, u.pc = s.next[u.at-1], 1
			return true
		}
		s.taken[u.at-1] = true
		u.pc = hold
	case 3: // a new one
		if s.made == lendThings {
			panic("more things than users")
		}
		s.made++
		u.at = s.made
		s.taken[u.at-1] = m != untakenNew
		u.pc = 4
	case 4: // its successor
		if m != linkLate {
			s.next[u.at-1] = s.head
		}
		u.pc = 5
	case 5: // push
		if m != linkLate && m != pushByStore && s.head != s.next[u.at-1] {
			u.pc = 4
			return true
		}
		old := s.head
		s.head = u.at
		u.pc = hold
		if m == linkLate {
			u.pc = 20 + old
		}
	case hold:
		s.taken[u.at-1] = false
		*u = lendUser{rounds: u.rounds + 1}
	default: // linkLate: the successor
		s.next[u.at-1] = u.pc - 20
		u.pc = hold
	}
	return true
}

func lendModel(m lendMutant) explore.Model[lendState] {
	var threads []explore.Thread[lendState]
	for i := range lendUsers {
		threads = append(threads, explore.Thread[lendState]{Name: fmt.Sprint("user", i),
			Step: func(s *lendState) bool { return s.step(&s.users[i], m) }})
	}
	return explore.Model[lendState]{Threads: threads, Invariant: func(s lendState) error {
		var held [lendThings + 1]int
		for _, u := range s.users {
			if u.pc == 6 || u.pc >= 20 {
				held[u.at]++
			}
		}
		for at, n := range held {
			if n > 1 {
				return fmt.Errorf("%d have thing %d", n, at)
			}
		}
		if s.made > lendUsers {
			return fmt.Errorf("%d things for %d users", s.made, lendUsers)
		}
		return nil
	}, Final: func(s lendState) error {
		n := int8(0)
		for at := s.head; at != 0 && n <= s.made; at = s.next[at-1] {
			n++
		}
		if n != s.made {
			return fmt.Errorf("%d things in the list, %d made", n, s.made)
		}
		return nil
	}}
}

func TestModelALentThingHasOneUser(t *testing.T) {
	explore.Try(t, lendSound, explore.Span(lookAndStore, pushByStore), lendModel)
}
