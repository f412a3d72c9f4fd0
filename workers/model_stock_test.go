package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A stock (V2, V3): three goroutines that each have a thing of it twice.
const (
	stockUsers  = 3
	stockThings = 5
)

type stockState struct {
	made  int8
	head  int8 // 1 + the index of a thing, 0 at the end
	next  [stockThings]int8
	taken [stockThings]bool
	users [stockUsers]stockUser
}

type stockUser struct {
	pc, at, rounds int8
}

type stockMutant int

const (
	stockSound   stockMutant = iota
	lookAndStore             // taking is a load and a store
	linkLate                 // a thing's successor is set after it is in the list
	untakenNew               // a new thing is in the list before it is marked
	pushByStore              // a new thing is put in by a store
)

func (s *stockState) step(u *stockUser, m stockMutant) bool {
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
		if s.made == stockThings {
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
		*u = stockUser{rounds: u.rounds + 1}
	default: // linkLate: the successor
		s.next[u.at-1] = u.pc - 20
		u.pc = hold
	}
	return true
}

func stockModel(m stockMutant) explore.Model[stockState] {
	var threads []explore.Thread[stockState]
	for i := range stockUsers {
		threads = append(threads, explore.Thread[stockState]{Name: fmt.Sprint("user", i),
			Step: func(s *stockState) bool { return s.step(&s.users[i], m) }})
	}
	return explore.Model[stockState]{Threads: threads, Invariant: func(s stockState) error {
		var held [stockThings + 1]int
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
		if s.made > stockUsers {
			return fmt.Errorf("%d things for %d users", s.made, stockUsers)
		}
		return nil
	}, Final: func(s stockState) error {
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

func TestModelAThingOfAStockHasOneUser(t *testing.T) {
	if stats, err := explore.Run(stockModel(stockSound)); err != nil {
		t.Error(err)
	} else {
		t.Logf("%+v", stats)
	}
	for m, name := range map[stockMutant]string{
		lookAndStore: "a look and a store", linkLate: "a late link", untakenNew: "a new thing that is free",
		pushByStore: "a push by a store",
	} {
		if _, err := explore.Run(stockModel(m)); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
