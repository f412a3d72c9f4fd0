package flow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// creditState: one credit, which a task has; two goroutines in wait, one that only tries, and the frame
// goroutine, which runs the tasks (S22).
type creditState struct {
	used    int8
	tasks   int8 // that will give their credit back
	waiting bool
	freed   bool
	turn    bool
	w       [2]int8
	tried   bool
	give    int8
}

func creditModel(mutant string) explore.Model[creditState] {
	waiter := func(i int) explore.Thread[creditState] {
		return explore.Thread[creditState]{Name: fmt.Sprint("waiter", i), Step: func(s *creditState) bool {
			pc := &s.w[i]
			switch *pc {
			case 0: // turn <-
				if s.turn {
					return false
				}
				s.turn = true
				*pc = 1
				if mutant == "announce after the try" {
					*pc = 2
				}
			case 1: // waiting.Store(true)
				s.waiting = true
				*pc = 2
				if mutant == "announce after the try" {
					*pc = 3
				}
			case 2: // take
				if s.used == 0 {
					s.used = 1
					*pc = 4
					if mutant == "turn before the announcement's end" {
						*pc = 5
					}
					break
				}
				*pc = 3
				if mutant == "announce after the try" && !s.waiting {
					*pc = 1
				}
			case 3: // <-freed
				if !s.freed {
					return false
				}
				s.freed = false
				*pc = 2
			case 4: // waiting.Store(false)
				s.waiting = false
				*pc = 5
				if mutant == "turn before the announcement's end" {
					*pc = 6
				}
			case 5: // <-turn
				s.turn = false
				*pc = 6
				if mutant == "turn before the announcement's end" {
					*pc = 4
				}
			case 6: // submit
				s.tasks++
				*pc = 7
			default:
				return false
			}
			return true
		}}
	}
	taker := explore.Thread[creditState]{Name: "taker", Step: func(s *creditState) bool {
		if s.tried {
			return false
		}
		s.tried = true
		if s.used == 0 {
			s.used = 1
			s.tasks++
		}
		return true
	}}
	frame := explore.Thread[creditState]{Name: "frame", Step: func(s *creditState) bool {
		switch s.give {
		case 0:
			if s.tasks == 0 {
				return false
			}
			s.tasks--
			s.give = 1
			if mutant == "look before the credit is back" {
				s.give = 4
				if s.waiting {
					s.give = 5
				}
			}
		case 1: // used.Add(-1)
			s.used--
			s.give = 2
			if mutant == "no look" {
				s.give = 0
			}
		case 2: // waiting.Load()
			s.give = 0
			if s.waiting {
				s.give = 3
			}
		case 3: // freed <-, if there is room
			s.freed = true
			s.give = 0
		case 4:
			s.used--
			s.give = 0
		case 5:
			s.used--
			s.give = 3
		}
		return true
	}}
	return explore.Model[creditState]{
		Init:    creditState{used: 1, tasks: 1},
		Threads: []explore.Thread[creditState]{waiter(0), waiter(1), taker, frame},
		Invariant: func(s creditState) error {
			if s.used < 0 || s.used > 1 || s.tasks > 1 {
				return errors.New("more than one credit")
			}
			return nil
		},
		Final: func(s creditState) error {
			if s.w != [2]int8{7, 7} || s.used != 0 {
				return errors.New("somebody waits for ever")
			}
			return nil
		},
	}
}

func TestS22_NoCreditIsGivenBackUnseen(t *testing.T) {
	try(t, creditModel, "announce after the try", "turn before the announcement's end",
		"look before the credit is back", "no look")
}

// bellState: two goroutines ring twice each (S25).
type bellState struct {
	word    int8
	queued  bool
	running bool
	again   bool
	r       [2]struct{ pc, rung, old int8 }
	frame   int8
	local   int8
	seen    int8
	bad     bool
}

func bellModel(mutant string) explore.Model[bellState] {
	ringer := func(i int) explore.Thread[bellState] {
		return explore.Thread[bellState]{Name: fmt.Sprint("ringer", i), Step: func(s *bellState) bool {
			r := &s.r[i]
			switch r.pc {
			case 0: // CompareAndSwap(w, w|bit)
				if r.rung == 2 {
					return false
				}
				r.old = s.word
				s.word |= 1 << (int8(2*i) + r.rung)
				r.rung++
				r.pc = 1
			case 1: // Submit
				r.pc = 0
				if r.old != 0 && mutant != "always a submit" {
					break
				}
				switch {
				case s.running && !s.again:
					s.again = true
				case s.queued || s.running:
					s.bad = true
				default:
					s.queued = true
				}
			}
			return true
		}}
	}
	frame := explore.Thread[bellState]{Name: "frame", Step: func(s *bellState) bool {
		switch s.frame {
		case 0:
			if !s.queued {
				return false
			}
			s.queued, s.running = false, true
			s.frame = 1
		case 1: // answer
			s.local = s.word
			s.frame = 3
			if mutant != "answer by load and store" {
				s.word = 0
				break
			}
			s.frame = 2
		case 2:
			s.word = 0
			s.frame = 3
		case 3: // the end of the run
			s.seen |= s.local
			s.running = false
			s.queued, s.again = s.again, false
			s.frame = 0
		}
		return true
	}}
	return explore.Model[bellState]{
		Threads: []explore.Thread[bellState]{ringer(0), ringer(1), frame},
		Invariant: func(s bellState) error {
			if s.bad {
				return errors.New("Submit of a queued task")
			}
			return nil
		},
		Final: func(s bellState) error {
			if s.seen != 15 || s.word != 0 {
				return errors.New("a ring was not heard")
			}
			return nil
		},
	}
}

func TestS25_EachRingIsHeard(t *testing.T) {
	try(t, bellModel, "answer by load and store", "always a submit")
}
