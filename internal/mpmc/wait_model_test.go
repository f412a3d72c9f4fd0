package mpmc

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The Queue (Q1 to Q7) as a model: goroutines that push and pop, and sleep, on rings of one or two cells; one
// that closes, and one that cancels a wait at any moment. Every value comes out once and in order, nobody
// touches a cell that another has claimed, and at the end nobody sleeps over news.

type queueMutant int

const (
	queueSound     queueMutant = iota
	noRecheck                  // Q4: it sleeps without having tried again
	tellFirst                  // Q5: the look at asleep comes before the turn
	noChain                    // Q5: a push tells poppers only, a pop pushers only
	keepWake                   // Q6: who gives up keeps the wake-up to itself
	closeWakesOne              // Q5: Close wakes one of each side
	endWakesNobody             // Q5: the pop that reaches the end does not say so
	noPayAfter                 // Q7: who lets go of the lock does not look at owed
	lapOff                     // Q1: a push takes the cell of the lap before for free
	fillAfterTurn              // Q2: the cell is written after its turn
	readAfterTurn              // Q3: the cell is read after it was given back
	pushIgnoresBit             // the bit does not make the swap of tail fail
)

// Sides, which are lists.
const (
	pushing = iota
	popping
)

const queueThreads = 3

// everyone is everybody in the model.
const everyone = 9

// The program counters of a goroutine.
const (
	qStart = iota
	qLoadEnd
	qLoadTurn
	qDrained
	qSwap
	qCell
	qTurn
	qLateCell
	qTell
	qTellPoppers
	qTellPoppersTurn
	qTellDrained
	qTellDrainedTail
	qTellPushers
	qTellPushersTurn
	qPay
	qPayLock
	qPayTake
	qPayOne
	qPayUnlock
	qEnterLock
	qEnter
	qWait
	qLeaveLock
	qLeave
	qNext
	qIdle
)

// queueProc is a goroutine: its place, and where it goes from the parts that several places use.
type queueProc struct {
	pc, side, left int8
	at             int8 // the position of its try
	result         int8 // of the try: 0 none, 1 done, 2 nothing to do now, 3 closed
	asleep         [2]bool
	seen           int8 // the position that tell looks at
	pay            int8 // the list that it pays
	n              int8
	entered, again bool // it has a place in a list or had one; it is to enter in front
	handOn         bool
	afterTell      int8
	afterPay       int8
}

type queueState struct {
	turn, cell, user [2]int8
	tail, head       int8
	closed           bool
	asleep           [2]int8
	owed             [2]int8
	lock             [2]bool
	list             [2][queueThreads]int8 // 1 + goroutine, 0 ends
	token            [queueThreads]bool
	p                [queueThreads]queueProc
	given, taken     int8 // successful pushes and pops, in the order of their claims
	cancels          int8
	closing          int8
	closer           queueProc
	wrong            int8
}

type queueModel struct {
	cells  int8
	closes bool // else nobody can see that the queue is closed
	mutant queueMutant
}

// A queueSetup says who does what: pushes and pops of each goroutine, and besides.
type queueSetup struct {
	name    string
	cells   int8
	ops     [queueThreads]int8 // pushes are positive, pops negative
	close   bool
	cancels int8
}

var queueSetups = []queueSetup{
	{"one pushes, one pops, one cell", 1, [3]int8{3, -3, 0}, false, 0},
	{"one pushes, one pops, two cells", 2, [3]int8{4, -4, 0}, false, 0},
	{"two push, closed", 1, [3]int8{1, 2, 0}, true, 0},
	{"two pop, closed", 1, [3]int8{-1, -1, 0}, true, 0},
	{"one pushes, one pops, closed", 1, [3]int8{2, -3, 0}, true, 0},
	{"one pushes, two pop, one is canceled", 1, [3]int8{1, -1, -1}, false, 1},
	{"two push, one pops, one is canceled", 1, [3]int8{1, 1, -1}, false, 1},
	{"one pushes, two pop, two cells", 2, [3]int8{2, -1, -1}, false, 0},
	// The rest are big: about a million states each.
	{"one pushes, two pop, closed", 1, [3]int8{1, -1, -1}, true, 0},
	{"two push, one pops, one cell", 1, [3]int8{1, 1, -2}, false, 0},
}

func (c queueSetup) model(mutant queueMutant) explore.Model[queueState] {
	m := queueModel{c.cells, c.close, mutant}
	var init queueState
	var threads []explore.Thread[queueState]
	for i, n := range c.ops {
		p := &init.p[i]
		p.left, p.pc = n, qLoadEnd
		if n == 0 {
			p.pc = qStart
		}
		name := "pusher"
		if n < 0 {
			p.left, p.side, name = -n, popping, "popper"
		}
		threads = append(threads, explore.Thread[queueState]{Name: fmt.Sprint(name, i),
			Step: func(s *queueState) bool { return s.step(int8(i), m) }})
	}
	if c.close {
		init.closing = 1
		threads = append(threads, explore.Thread[queueState]{Name: "closer",
			Step: func(s *queueState) bool { return s.close(m) }})
	}
	init.cancels = c.cancels
	for i := range int8(queueThreads) {
		if c.cancels > 0 {
			threads = append(threads, explore.Thread[queueState]{Name: fmt.Sprint("cancel", i),
				Step: func(s *queueState) bool { return s.cancel(i) }})
		}
	}
	return explore.Model[queueState]{Init: init, Threads: threads, Final: m.final,
		Invariant: func(s queueState) error {
			switch s.wrong {
			case 1:
				return errors.New("two at one cell")
			case 2:
				return errors.New("a pop got another value than was due")
			case 4:
				return errors.New("a push succeeded after the close")
			}
			return nil
		}}
}

// final looks at a state in which nobody can move.
func (m queueModel) final(s queueState) error {
	if s.tail != s.given || s.head != s.taken {
		return fmt.Errorf("%d pushed and %d popped, but tail %d and head %d", s.given, s.taken, s.tail, s.head)
	}
	for i, p := range s.p {
		switch {
		case p.pc == qStart && p.left == 0:
		case p.pc != qWait:
			return fmt.Errorf("goroutine %d is stuck", i)
		case s.closed:
			return fmt.Errorf("goroutine %d sleeps, but the queue is closed", i)
		case p.side == pushing && s.tail-s.head < m.cells:
			return fmt.Errorf("pusher %d sleeps, but there is room", i)
		case p.side == popping && s.tail != s.head:
			return fmt.Errorf("popper %d sleeps, but there is a value", i)
		}
	}
	return nil
}

func TestModelQueueLosesNoValueAndNoWakeUp(t *testing.T) {
	if testing.Short() {
		t.Skip("a large model, and the same everywhere")
	}
	model := func(m queueMutant, c queueSetup) explore.Model[queueState] { return c.model(m) }
	explore.TryIn(t, queueSound, explore.Span(noRecheck, pushIgnoresBit), model, queueSetups...)
}
