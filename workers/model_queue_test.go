package workers

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

func (m queueModel) slot(at int8) int8   { return at % m.cells }
func (m queueModel) free(at int8) int8   { return at / m.cells * 2 }
func (m queueModel) filled(at int8) int8 { return at/m.cells*2 + 1 }

// unlink takes goroutine i off a list.
func (s *queueState) unlink(side, i int8) {
	l := &s.list[side]
	for k := range l {
		if l[k] == i+1 {
			copy(l[k:], l[k+1:])
			l[queueThreads-1] = 0
			break
		}
	}
	s.asleep[side]--
}

func (s *queueState) listed(side, i int8) bool {
	for _, x := range s.list[side] {
		if x == i+1 {
			return true
		}
	}
	return false
}

// pay is the steps of pay, which end in p.afterPay.
func (s *queueState) pay(p *queueProc, m queueModel) bool {
	switch p.pc {
	case qPay:
		p.pc = qPayLock
		if s.owed[p.pay] == 0 {
			p.pc = p.afterPay
		}
	case qPayLock: // TryLock
		if s.lock[p.pay] {
			p.pc = p.afterPay
			return true
		}
		s.lock[p.pay] = true
		p.pc = qPayTake
	case qPayTake:
		p.n, s.owed[p.pay] = s.owed[p.pay], 0
		p.pc = qPayOne
		if s.list[p.pay][0] == 0 {
			p.n, p.pc = 0, qPayUnlock
		}
	case qPayOne:
		x := s.list[p.pay][0] - 1
		s.unlink(p.pay, x)
		s.token[x] = true
		if p.n != everyone {
			p.n--
		}
		if p.n == 0 || s.list[p.pay][0] == 0 {
			p.n, p.pc = 0, qPayUnlock
		}
	case qPayUnlock:
		s.lock[p.pay] = false
		p.pc = qPay
		if m.mutant == noPayAfter {
			p.pc = p.afterPay
		}
	}
	return true
}

// owe is the addition to owed and what follows.
func (s *queueState) owe(p *queueProc, side, n, then int8) {
	if n == everyone || s.owed[side] == everyone {
		s.owed[side] = everyone
	} else {
		s.owed[side]++
	}
	p.pay, p.pc, p.afterPay = side, qPay, then
}

// tell is the steps of Q5, which end in p.afterTell.
func (s *queueState) tell(p *queueProc, m queueModel) bool {
	switch p.pc {
	case qTell:
		p.asleep = [2]bool{s.asleep[0] > 0, s.asleep[1] > 0}
		p.pc = qTellPoppers
		if p.asleep == [2]bool{} {
			p.pc = p.afterTell
		}
	case qTellPoppers:
		p.seen, p.pc = s.head, qTellPoppersTurn
	case qTellPoppersTurn:
		p.pc = qTellPushers
		if m.closes {
			p.pc = qTellDrained
		}
		if s.turn[m.slot(p.seen)] == m.filled(p.seen) {
			s.owe(p, popping, 1, qTellPushers)
		}
	case qTellDrained:
		p.seen, p.pc = s.head, qTellDrainedTail
	case qTellDrainedTail:
		p.pc = qTellPushers
		if s.closed && s.tail == p.seen && m.mutant != endWakesNobody {
			s.owe(p, popping, everyone, qTellPushers)
		}
	case qTellPushers:
		p.pc = p.afterTell
		if !s.closed {
			p.seen, p.pc = s.tail, qTellPushersTurn
		}
	case qTellPushersTurn:
		p.pc = p.afterTell
		if s.turn[m.slot(p.seen)] == m.free(p.seen) {
			s.owe(p, pushing, 1, p.afterTell)
		}
	}
	return true
}

// try is the steps of TryPush and TryPop.
func (s *queueState) try(i int8, p *queueProc, m queueModel) {
	slot := m.slot(p.at)
	right := m.free(p.at)
	if p.side == popping {
		right = m.filled(p.at)
	}
	switch p.pc {
	case qLoadEnd:
		p.at, p.pc = s.tail, qLoadTurn
		if p.side == popping {
			p.at = s.head
		} else if s.closed && m.mutant != pushIgnoresBit {
			p.result, p.pc = 3, qNext
		}
	case qLoadTurn:
		switch d := s.turn[slot]; {
		case d == right, m.mutant == lapOff && p.side == pushing && d == right-1:
			p.pc = qSwap
		case d > right:
			p.pc = qLoadEnd
		case p.side == popping && m.closes:
			p.pc = qDrained
		default:
			p.result, p.pc = 2, qNext
		}
	case qDrained:
		p.result, p.pc = 2, qNext
		if s.closed && s.tail == p.at {
			p.result = 3
		}
	case qSwap:
		p.pc = qLoadEnd
		if p.side == popping && s.head == p.at {
			s.head++
			p.pc = qCell
		}
		if p.side == pushing && s.tail == p.at && (!s.closed || m.mutant == pushIgnoresBit) {
			if s.closed {
				s.wrong = 4
			}
			s.tail++
			p.pc = qCell
		}
		if p.pc == qCell {
			if s.user[slot] != 0 {
				s.wrong = 1
			}
			s.user[slot] = i + 1
			if m.mutant == fillAfterTurn && p.side == pushing || m.mutant == readAfterTurn && p.side == popping {
				p.pc = qTurn
			}
			if m.mutant == tellFirst {
				p.pc, p.afterTell = qTell, qCell
			}
		}
	case qCell, qLateCell:
		if p.side == pushing {
			s.cell[slot] = p.at + 1
			s.given++
		} else {
			if s.cell[slot] != p.at+1 {
				s.wrong = 2
			}
			s.cell[slot] = 0
			s.taken++
		}
		if p.pc == qLateCell {
			p.result, p.pc, p.afterTell = 1, qTell, qNext
			return
		}
		p.pc = qTurn
		s.try(i, p, m) // nobody can tell the two apart: the cell is this goroutine's
	case qTurn:
		s.user[slot] = 0
		s.turn[slot] = right + 1
		p.result, p.pc, p.afterTell = 1, qTell, qNext
		switch {
		case m.mutant == fillAfterTurn && p.side == pushing || m.mutant == readAfterTurn && p.side == popping:
			p.pc = qLateCell
		case m.mutant == tellFirst:
			p.pc = qNext
		}
	}
}

// step is one step of goroutine i, and what follows that concerns nobody else.
func (s *queueState) step(i int8, m queueModel) bool {
	if !s.move(i, m) {
		return false
	}
	p := &s.p[i]
	for {
		switch {
		case p.pc == qNext:
			p.next()
		case p.pc == qIdle:
			left := p.left - 1
			if p.result == 3 {
				left = 0
			}
			*p = queueProc{side: p.side, left: left}
		case p.pc == qStart && p.left > 0:
			p.pc = qLoadEnd
		case p.pc == qTellPoppers && (!p.asleep[popping] || m.mutant == noChain && p.side == popping):
			p.pc = qTellPushers
		case p.pc == qTellPushers && (!p.asleep[pushing] || m.mutant == noChain && p.side == pushing):
			p.pc, p.asleep = p.afterTell, [2]bool{}
		default:
			p.forget()
			return true
		}
	}
}

// forget clears what the goroutine will not look at any more, so that states which differ in it are one.
func (p *queueProc) forget() {
	if p.pc < qLoadTurn || p.pc > qLateCell && (p.pc < qTell || p.pc > qPayUnlock || p.afterTell != qCell) {
		p.at = 0
	}
	if p.pc < qPay || p.pc > qPayUnlock {
		p.pay, p.n, p.afterPay = 0, 0, 0
		if p.pc < qTell || p.pc > qTellPushersTurn {
			p.afterTell, p.asleep = 0, [2]bool{}
		}
	}
	if p.pc != qTellPoppersTurn && p.pc != qTellPushersTurn && p.pc != qTellDrainedTail {
		p.seen = 0
	}
}

// next is what follows a try.
func (p *queueProc) next() {
	switch {
	case p.result == 2 && p.entered && !p.again:
		p.pc = qWait
	case p.result == 2:
		p.pc = qEnterLock
	case p.entered:
		p.pc = qLeaveLock
	default:
		p.pc = qIdle
	}
	if p.result != 3 {
		p.result = 0
	}
}

// move is one step of goroutine i.
func (s *queueState) move(i int8, m queueModel) bool {
	p := &s.p[i]
	switch {
	case p.pc >= qLoadEnd && p.pc <= qLateCell:
		s.try(i, p, m)
		return true
	case p.pc >= qTell && p.pc <= qTellPushersTurn:
		return s.tell(p, m)
	case p.pc >= qPay && p.pc <= qPayUnlock:
		return s.pay(p, m)
	}
	switch p.pc {
	case qStart:
		return false
	case qEnterLock, qLeaveLock:
		if s.lock[p.side] {
			return false
		}
		s.lock[p.side] = true
		p.pc++
	case qEnter: // link, count, unlock: what others see of it is the count and the lock
		l := &s.list[p.side]
		if p.again {
			copy(l[1:], l[:queueThreads-1])
			l[0] = i + 1
		} else {
			for k := range l {
				if l[k] == 0 {
					l[k] = i + 1
					break
				}
			}
		}
		s.asleep[p.side]++
		s.lock[p.side] = false
		p.entered, p.again = true, false
		p.pay, p.pc, p.afterPay = p.side, qPay, qLoadEnd
		if m.mutant == noRecheck {
			p.afterPay = qWait
		}
		if m.mutant == noPayAfter {
			p.pc = p.afterPay
		}
	case qWait:
		if !s.token[i] {
			return false
		}
		s.token[i] = false
		p.again, p.pc = true, qLoadEnd
	case qLeave:
		if s.listed(p.side, i) {
			s.unlink(p.side, i)
		} else if s.token[i] {
			s.token[i] = false
			p.handOn = m.mutant != keepWake
		}
		s.lock[p.side] = false
		p.entered = false
		p.pay, p.pc, p.afterPay = p.side, qPay, qIdle
		if p.handOn {
			p.handOn = false
			p.afterPay, p.afterTell = qTell, qIdle
		}
		if m.mutant == noPayAfter {
			p.pc = p.afterPay
		}
	}
	return true
}

// close is one step of the goroutine that closes.
func (s *queueState) close(m queueModel) bool {
	p := &s.closer
	n := int8(everyone)
	if m.mutant == closeWakesOne {
		n = 1
	}
	switch {
	case s.closing == 0:
		return false
	case s.closing == 1:
		s.closed = true
		s.closing, p.pc = 2, qIdle
	case p.pc != qIdle:
		return s.pay(p, m)
	case s.closing == 2:
		s.closing = 3
		s.owe(p, pushing, n, qIdle)
	case s.closing == 3:
		s.closing = 4
		s.owe(p, popping, n, qIdle)
	default:
		*p = queueProc{}
		s.closing = 0
		return true
	}
	return true
}

// cancel ends the wait of the first goroutine that waits, whether or not it has a token: a select may choose
// either.
func (s *queueState) cancel(i int8) bool {
	p := &s.p[i]
	if s.cancels == 0 || p.pc != qWait {
		return false
	}
	s.cancels--
	p.left, p.pc = 1, qLeaveLock
	return true
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

// bigQueueSetups is how many at the end are left out where time is short.
const bigQueueSetups = 2

func someQueueSetups() []queueSetup {
	if testing.Short() {
		return queueSetups[:len(queueSetups)-bigQueueSetups]
	}
	return queueSetups
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

// short is a failure without its states, which are long here.
func short(err error) string {
	var f *explore.Failure
	if errors.As(err, &f) {
		return fmt.Sprint(f.Err, " after ", f.Steps)
	}
	return err.Error()
}

func TestModelQueueLosesNoValueAndNoWakeUp(t *testing.T) {
	if underRace {
		t.Skip("one goroutine, and ten times slower")
	}
	for _, c := range someQueueSetups() {
		stats, err := explore.Run(c.model(queueSound))
		if err != nil {
			t.Errorf("%s: %v", c.name, short(err))
		}
		t.Logf("%s: %+v", c.name, stats)
	}
}

func TestModelQueueMutantsDie(t *testing.T) {
	if underRace {
		t.Skip("one goroutine, and ten times slower")
	}
	for m, name := range map[queueMutant]string{
		noRecheck: "sleep without a second look", tellFirst: "look for sleepers before the turn is set",
		noChain: "wake the other side only", keepWake: "a canceled wait keeps its wake-up",
		closeWakesOne: "Close wakes one", endWakesNobody: "the end is not told",
		noPayAfter: "what is owed when the lock is let go is not paid", lapOff: "the turn is off by a lap",
		fillAfterTurn: "the turn is set before the cell is written",
		readAfterTurn: "the turn is set before the cell is read", pushIgnoresBit: "push after the close",
	} {
		died := false
		for _, c := range queueSetups {
			if _, err := explore.Run(c.model(m)); err != nil {
				if errors.Is(err, explore.ErrTooLarge) {
					t.Fatal(name, short(err))
				}
				died = true
				t.Logf("%s: died of %q", name, c.name)
				break
			}
		}
		if !died {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
