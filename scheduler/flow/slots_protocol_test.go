package flow_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// slotState: one slot, which a task has; two goroutines in wait, one that only tries, and the frame goroutine, which
// runs the tasks (S22).
type slotState struct {
	used    int8
	tasks   int8 // that will give their slot back
	waiting bool
	freed   bool
	turn    bool
	w       [2]int8
	tried   bool
	give    int8
}

func slotModel(mutant string) explore.Model[slotState] {
	waiter := func(i int) explore.Thread[slotState] {
		return explore.Thread[slotState]{Name: fmt.Sprint("waiter", i), Step: func(s *slotState) bool {
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
	taker := explore.Thread[slotState]{Name: "taker", Step: func(s *slotState) bool {
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
	frame := explore.Thread[slotState]{Name: "frame", Step: func(s *slotState) bool {
		switch s.give {
		case 0:
			if s.tasks == 0 {
				return false
			}
			s.tasks--
			s.give = 1
			if mutant == "look before the slot is back" {
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
	return explore.Model[slotState]{
		Init:    slotState{used: 1, tasks: 1},
		Threads: []explore.Thread[slotState]{waiter(0), waiter(1), taker, frame},
		Invariant: func(s slotState) error {
			if s.used < 0 || s.used > 1 || s.tasks > 1 {
				return errors.New("more than one slot")
			}
			return nil
		},
		Final: func(s slotState) error {
			if s.w != [2]int8{7, 7} || s.used != 0 {
				return errors.New("a goroutine waits without end")
			}
			return nil
		},
	}
}

func TestS22_NoSlotIsGivenBackUnseen(t *testing.T) {
	try(t, slotModel, "announce after the try", "turn before the announcement's end",
		"look before the slot is back", "no look")
}
