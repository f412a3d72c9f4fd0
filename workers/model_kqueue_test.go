package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A parker with a descriptor (P3), whose token is a mark in a kernel (P4, P5; an eventfd's counter behaves alike): two
// posters make an item visible each, and post; the worker takes the items, and when it has both, ends, and closes. Then
// the number may be given to another file. Signals interrupt a post and a wait. One poster may be descheduled for good
// in the middle of its post.
type kqueueState struct {
	visible [2]bool // each poster's item
	taken   int8
	mark    bool
	users   int8
	seen    [2]int8 // users, as the poster has loaded it
	file    int8    // of the number: 0 is the queue, 1 none, 2 another
	wrong   bool    // somebody uses the number, or closes it, and it is not the queue's
	signals int8    // to come
	poster  [2]int8
	waiter  int8
}

type kqueueMutant int

const (
	kqueueSound      kqueueMutant = iota
	kqueueClears                  // P4: a post has the flag EV_CLEAR
	kqueueGivesUp                 // P4: a post that is interrupted is not made again
	kqueueWipes                   // P5: a wait wipes the mark, by a change with EV_CLEAR, and then sleeps
	kqueueNoPin                   // P3: a post does not count itself
	kqueueFromZero                // P3: a post counts itself, whatever the count is
	kqueueLooks                   // P3: a post looks at the count, and then adds, in two steps
	kqueueClosesSoon              // P3: close closes, whoever is counted
)

// The posters' program counters, and the waiter's.
const (
	kqPush int8 = iota
	kqLoad
	kqAdd
	kqTrigger
	kqUnpin
	kqShut
	kqDone
)

const (
	kqLook int8 = iota
	kqBefore
	kqSleep
	kqLeave
	kqClose
	kqGone
)

func kqueueModel(stops bool, m kqueueMutant) explore.Model[kqueueState] {
	shut := func(s *kqueueState) {
		s.wrong = s.wrong || s.file != 0
		s.file = 1
	}
	threads := []explore.Thread[kqueueState]{
		{Name: "waiter", Step: func(s *kqueueState) bool { return kqueueWaiterStep(s, m, shut) }},
		{Name: "other file", Step: func(s *kqueueState) bool {
			if s.file != 1 {
				return false
			}
			s.file = 2
			return true
		}},
	}
	for i := range 2 {
		threads = append(threads, explore.Thread[kqueueState]{Name: fmt.Sprint("poster", i),
			Step: func(s *kqueueState) bool {
				if stops && i == 0 && s.poster[i] == kqTrigger {
					return false
				}
				return kqueuePosterStep(s, i, m, shut)
			}})
		threads = append(threads, explore.Thread[kqueueState]{Name: fmt.Sprint("signal", i),
			Step: func(s *kqueueState) bool { // a post that is interrupted before it has done anything
				if s.signals == 0 || s.poster[i] != kqTrigger {
					return false
				}
				s.signals--
				if m == kqueueGivesUp {
					s.poster[i] = kqUnpin
				}
				return true
			}})
	}
	return explore.Model[kqueueState]{
		Init:    kqueueState{users: 1, signals: 2},
		Threads: threads,
		Invariant: func(s kqueueState) error {
			if s.wrong {
				return errors.New("the number is not the queue's any more")
			}
			return nil
		},
		Final: func(s kqueueState) error {
			for i, visible := range s.visible {
				if visible && s.poster[i] == kqDone {
					return fmt.Errorf("the worker sleeps, and %d has posted", i)
				}
			}
			if !stops && (s.waiter != kqGone || s.file == 0) {
				return errors.New("the queue is not closed")
			}
			return nil
		},
	}
}

func kqueueWaiterStep(s *kqueueState, m kqueueMutant, shut func(*kqueueState)) bool {
	switch s.waiter {
	case kqLook: // the worker looks for work
		for i := range s.visible {
			if s.visible[i] {
				s.visible[i] = false
				s.taken++
			}
		}
		s.waiter = kqBefore
		if s.taken == 2 {
			s.waiter = kqLeave
		}
	case kqBefore:
		s.waiter = kqSleep
		s.mark = s.mark && m != kqueueWipes
	case kqSleep: // a signal changes nothing here: the wait goes on
		s.wrong = s.wrong || s.file != 0
		if !s.mark {
			return false
		}
		s.mark = false
		s.waiter = kqLook
	case kqLeave: // close
		s.users--
		s.waiter = kqGone
		if s.users == 0 || m == kqueueClosesSoon {
			s.waiter = kqClose
		}
	case kqClose:
		shut(s)
		s.waiter = kqGone
	default:
		return false
	}
	return true
}

func kqueuePosterStep(s *kqueueState, i int, m kqueueMutant, shut func(*kqueueState)) bool {
	pc := &s.poster[i]
	switch *pc {
	case kqPush:
		s.visible[i] = true
		*pc = kqLoad
		if m == kqueueNoPin {
			*pc = kqTrigger
		}
	case kqLoad:
		s.seen[i] = s.users
		*pc = kqAdd
		if s.users == 0 && m != kqueueFromZero {
			*pc = kqDone
		}
	case kqAdd:
		switch {
		case m == kqueueLooks, m == kqueueFromZero:
			s.users++
			*pc = kqTrigger
		case s.users == s.seen[i]:
			s.users++
			*pc = kqTrigger
		default:
			*pc = kqLoad
		}
	case kqTrigger:
		s.wrong = s.wrong || s.file != 0
		s.mark = m != kqueueClears
		*pc = kqUnpin
		if m == kqueueNoPin {
			*pc = kqDone
		}
	case kqUnpin:
		s.users--
		*pc = kqDone
		if s.users == 0 {
			*pc = kqShut
		}
	case kqShut:
		shut(s)
		*pc = kqDone
	default:
		return false
	}
	if *pc == kqDone {
		s.seen[i] = 0
	}
	return true
}

func TestModelNoMarkIsLost(t *testing.T) {
	for _, stops := range []bool{false, true} {
		if stats, err := explore.Run(kqueueModel(stops, kqueueSound)); err != nil {
			t.Errorf("a poster stops %t: %v", stops, err)
		} else {
			t.Logf("%+v", stats)
		}
	}
	for m, name := range map[kqueueMutant]string{
		kqueueClears: "a post wipes the mark", kqueueGivesUp: "an interrupted post is not made again",
		kqueueWipes: "a wait wipes the mark before it sleeps",
		kqueueNoPin: "a post does not count itself", kqueueFromZero: "a post counts itself after the last",
		kqueueLooks: "a post looks, and then counts itself", kqueueClosesSoon: "close does not wait for posts",
	} {
		if _, err := explore.Run(kqueueModel(false, m)); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
