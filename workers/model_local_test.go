package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Local's list (V2, V3): three goroutines that each borrow twice.
const (
	localUsers  = 3
	localValues = 5
)

type localState struct {
	made  int8
	head  int8 // 1 + the index of a value, 0 at the end
	next  [localValues]int8
	taken [localValues]bool
	users [localUsers]localUser
}

type localUser struct {
	pc, at, rounds int8
}

type localMutant int

const (
	localSound   localMutant = iota
	lookAndStore             // taking is a load and a store
	linkLate                 // a value's successor is set after it is in the list
	untakenNew               // a new value is in the list before it is marked
	pushByStore              // a new value is put in by a store
)

func (s *localState) step(u *localUser, m localMutant) bool {
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
		if s.made == localValues {
			panic("more values than users")
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
		*u = localUser{rounds: u.rounds + 1}
	default: // linkLate: the successor
		s.next[u.at-1] = u.pc - 20
		u.pc = hold
	}
	return true
}

func localModel(m localMutant) explore.Model[localState] {
	var threads []explore.Thread[localState]
	for i := range localUsers {
		threads = append(threads, explore.Thread[localState]{Name: fmt.Sprint("user", i),
			Step: func(s *localState) bool { return s.step(&s.users[i], m) }})
	}
	return explore.Model[localState]{Threads: threads, Invariant: func(s localState) error {
		var held [localValues + 1]int
		for _, u := range s.users {
			if u.pc == 6 || u.pc >= 20 {
				held[u.at]++
			}
		}
		for at, n := range held {
			if n > 1 {
				return fmt.Errorf("%d have value %d", n, at)
			}
		}
		if s.made > localUsers {
			return fmt.Errorf("%d values for %d users", s.made, localUsers)
		}
		return nil
	}, Final: func(s localState) error {
		n := int8(0)
		for at := s.head; at != 0 && n <= s.made; at = s.next[at-1] {
			n++
		}
		if n != s.made {
			return fmt.Errorf("%d values in the list, %d made", n, s.made)
		}
		return nil
	}}
}

func TestModelLocalValuesHaveOneUser(t *testing.T) {
	if stats, err := explore.Run(localModel(localSound)); err != nil {
		t.Error(err)
	} else {
		t.Logf("%+v", stats)
	}
	for m, name := range map[localMutant]string{
		lookAndStore: "a look and a store", linkLate: "a late link", untakenNew: "a new value that is free",
		pushByStore: "a push by a store",
	} {
		if _, err := explore.Run(localModel(m)); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
