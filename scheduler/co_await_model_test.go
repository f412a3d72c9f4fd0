package scheduler_test

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
)

// wakerState: a coroutine awaits something, and then something else (S9). The first wait ends well, or is cancelled,
// and then the second one is that of another task; or Notify panics, and the task awaits something else instead.
type wakerState struct {
	wakers [3]struct{ state, life int8 } // of which a coroutine makes at most two; 0 is none
	keeps  int8                          // coroutine.waker
	made   int8

	pc, wait, w int8 // of the frame goroutine and the coroutine in its turns
	life        int8 // of the task that runs
	held        bool // stateHeld
	kill        bool // flagCancel of life 1
	resume      bool // flagResume
	canceled    bool
	panics      bool // the first Notify
	over        int8 // waits that have come to their end

	fire [3]struct{ pc, w, old, life int8 } // of what a wait is for: Notify has w
	bad  string
}

// The states of a waker, as in the code.
const wakerIdle, wakerArmed, wakerParked, wakerFired, wakerDead = 0, 1, 2, 3, 4

func (s *wakerState) drop() { // dropWaker, by who has the turn: a load, and a swap that alone may change what follows
	if w := s.keeps; w != 0 && s.wakers[w].state != wakerIdle {
		if s.wakers[w].state != wakerFired {
			s.keeps = 0
		}
		s.wakers[w].state = wakerDead
	}
}

// turn is what the frame goroutine does, and the coroutine in its stead.
func (s *wakerState) turn(mutant string) bool {
	const begin, arm, notify, look, hold, park, awaited, parked, resumed, ended = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	at := &s.wakers[s.w]
	returns := func() {
		if s.fire[s.wait].pc == 0 {
			s.bad = "Await returned before what it awaits has finished"
		}
		s.pc = ended
	}
	switch s.pc {
	case begin:
		if s.wait == 2 {
			return false
		}
		s.wait++
		if !s.panics || s.wait == 1 {
			s.life++
		}
		s.w = s.keeps
		reuse := s.w != 0 && (s.wakers[s.w].state == wakerIdle || mutant == "whatever is kept is used again")
		if !reuse {
			s.made++
			s.w, s.keeps = s.made, s.made
		}
		s.pc = arm
	case arm: // w.it, w.life, and state.Store(wakerArmed)
		for _, f := range s.fire {
			if f.pc == 2 && f.w == s.w {
				s.bad = "a waker is written while a finisher is about to read it"
			}
		}
		at.life, at.state = s.life, wakerArmed
		s.pc = notify
	case notify:
		s.fire[s.wait].w = s.w
		s.pc = look
		if s.panics && s.wait == 1 {
			s.over++
			s.w, s.pc = 0, begin
		}
	case look:
		s.pc = hold
		if at.state >= wakerFired {
			s.pc = awaited
		}
	case hold: // release(stateHeld)
		s.held, s.pc = true, park
		if s.life == 1 && s.kill {
			s.held, s.pc = false, ended
		}
	case park: // CompareAndSwap(wakerArmed, wakerParked)
		s.pc = parked
		if at.state == wakerArmed {
			at.state = wakerParked
		} else {
			s.held, s.pc = false, awaited
		}
	case awaited: // CompareAndSwap(wakerFired, wakerIdle)
		if at.state == wakerFired {
			at.state = wakerIdle
		} else {
			s.keeps = 0
		}
		returns()
	case parked: // a message, and unlink
		switch {
		case s.life == 1 && s.kill:
			s.pc = ended
		case s.resume:
			s.pc = resumed
		default:
			return false
		}
		s.held, s.resume = false, false
		s.drop()
	case resumed:
		if s.life == 1 && s.kill {
			s.pc = ended
			break
		}
		if s.keeps == s.w {
			at.state = wakerIdle
		}
		returns()
	case ended: // detach
		if s.keeps != 0 && mutant == "idle after a cancellation" {
			s.wakers[s.keeps].state = wakerIdle
		}
		s.drop()
		s.over++
		s.w, s.pc = 0, begin
	}
	return true
}

// finish is what one says who has finished.
func (s *wakerState) finish(wait int8, mutant string) bool {
	f := &s.fire[wait]
	switch f.pc {
	case 0:
		if f.w == 0 {
			return false
		}
		f.pc = 1
	case 1: // state.Swap(wakerFired)
		f.old, f.pc = s.wakers[f.w].state, 2
		s.wakers[f.w].state = wakerFired
		if f.old != wakerParked {
			f.pc = 4
		}
	case 2: // w.it, w.life
		f.life, f.pc = s.wakers[f.w].life, 3
	case 3: // resume
		if (f.life == s.life || mutant == "whoever waits is resumed") && s.held {
			s.resume = true
		}
		f.pc = 4
	default:
		return false
	}
	return true
}

func wakerModel(mutant string) explore.Model[wakerState] {
	return explore.Model[wakerState]{
		Threads: []explore.Thread[wakerState]{
			{Name: "frame", Step: func(s *wakerState) bool { return s.turn(mutant) }},
			{Name: "finisher1", Step: func(s *wakerState) bool { return s.finish(1, mutant) }},
			{Name: "finisher2", Step: func(s *wakerState) bool { return s.finish(2, mutant) }},
			{Name: "cancel", Step: func(s *wakerState) bool {
				if s.canceled || s.wait != 1 || s.over > 0 || s.panics {
					return false
				}
				s.canceled, s.kill = true, true
				return true
			}},
			{Name: "fate", Step: func(s *wakerState) bool {
				panics := s.wait == 0 && !s.panics
				s.panics = true
				return panics
			}},
		},
		Invariant: func(s wakerState) error {
			if s.bad != "" {
				return errors.New(s.bad)
			}
			return nil
		},
		Final: func(s wakerState) error {
			if s.over != 2 {
				return errors.New("a coroutine waits for ever")
			}
			return nil
		},
	}
}

func TestS9_AWakerIsUsedAgainWhenItIsIdle(t *testing.T) {
	try(t, wakerModel, "whatever is kept is used again", "idle after a cancellation", "whoever waits is resumed")
}

// Who has finished has yet to resume a wait that was cancelled, and its coroutine waits for something else.
func TestALateNoticeOfACanceledAwait(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	first, second := &future{}, &future{}
	await := func(a *future, got *int) *scheduler.Task {
		task := s.Go(deadline.Normal, func(co *scheduler.Co) { *got, _ = scheduler.Await(co, a) })
		s.RunUntil(deadline.Deadline{})
		return task
	}
	var got [2]int
	task := await(first, &got[0])
	rest := scheduler.FireLate(task)
	task.Cancel()
	s.RunUntil(deadline.Deadline{})
	task = await(second, &got[1])
	rest()
	s.RunUntil(deadline.Deadline{})
	if task.State() != scheduler.Suspended {
		t.Errorf("the second wait ended with that of the first: %v", task.State())
	}
	second.finish(2, nil)
	s.RunUntil(deadline.Deadline{})
	if got != [2]int{0, 2} || task.State() != scheduler.Done {
		t.Errorf("%v, %v", got, task.State())
	}
}

// broken keeps what it is to call, and panics.
type broken struct{ f func() }

func (b *broken) Notify(f func())    { b.f = f; panic("broken") }
func (*broken) Result() (int, error) { return 0, nil }

func TestANoticeOfAnAwaitThatPanicked(t *testing.T) {
	s := scheduler.New(scheduler.Options{})
	defer s.Close()
	b, f := &broken{}, &future{}
	got := 0
	task := s.Go(deadline.Normal, func(co *scheduler.Co) {
		func() {
			defer func() { recover() }()
			scheduler.Await(co, b)
		}()
		got, _ = scheduler.Await(co, f)
	})
	s.RunUntil(deadline.Deadline{})
	b.f()
	s.RunUntil(deadline.Deadline{})
	if task.State() != scheduler.Suspended {
		t.Errorf("the wait ended by another one's notice: %v", task.State())
	}
	f.finish(3, nil)
	s.RunUntil(deadline.Deadline{})
	if got != 3 {
		t.Errorf("got %d", got)
	}
}

// untilState: a coroutine parks while what it awaits finishes and while a timer ends the wait (S9, S18).
type untilState struct {
	waker            int8 // as in the code
	held             bool
	messages         int8
	co               int8
	fire, give       int8
	old              int8
	resumed          int8
	result, reusable bool // what the coroutine took away: the result, and the waker for another wait
}

func untilModel(mutant string) explore.Model[untilState] {
	const idle, armed, parked, fired, dead = 0, 1, 2, 3, 4
	hold, park := int8(2), int8(3)
	if mutant == "park, then hold" {
		hold, park = park, hold
	}
	awaited := func(s *untilState) {
		s.resumed++
		s.result = s.waker == fired
		s.reusable = s.result || mutant == "reuse"
		s.co = 9
	}
	return explore.Model[untilState]{
		Threads: []explore.Thread[untilState]{
			{Name: "coroutine", Step: func(s *untilState) bool {
				switch s.co {
				case 0: // arm
					s.waker = armed
				case 1: // a look
					if s.waker >= fired {
						s.co = 8
						return true
					}
				case hold: // release(stateHeld)
					s.held = true
				case park: // CompareAndSwap(wakerArmed, wakerParked)
					if s.waker != armed && mutant != "parked by a store" {
						s.held = false
						s.co = 8
						return true
					}
					s.waker = parked
				case 4: // suspend; unlink, which swaps in wakerDead
					if s.messages == 0 {
						return false
					}
					s.held = false
					s.messages--
					s.resumed++
					s.result = s.waker == fired
					s.reusable = s.result || mutant == "reuse"
					s.waker = dead
					s.co = 8
				case 8:
					if s.resumed == 0 {
						awaited(s)
						return true
					}
				default:
					return false
				}
				s.co++
				return true
			}},
			{Name: "finisher", Step: func(s *untilState) bool {
				switch {
				case s.fire == 0 && s.waker != idle: // Swap(wakerFired)
					s.old = s.waker
					s.waker = fired
				case s.fire == 1:
					if s.old == parked && s.held { // resume
						s.messages++
					}
				default:
					return false
				}
				s.fire++
				return true
			}},
			{Name: "giver", Step: func(s *untilState) bool {
				switch s.give { // the timer's task
				case 0: // CompareAndSwap(wakerParked, wakerDead), while the coroutine is suspended
					if s.co != 4 {
						return false
					}
					if s.waker != parked && mutant != "store" {
						s.give = 9
						return true
					}
					s.waker = dead
				case 1:
					if s.held { // resume
						s.messages++
					}
				default:
					return false
				}
				s.give++
				return true
			}},
		},
		Invariant: func(s untilState) error {
			if s.resumed > 1 || s.messages > 1 {
				return errors.New("resumed twice")
			}
			if s.co == 4 && s.fire > 0 && s.old == armed {
				return errors.New("a coroutine sleeps for what had finished before")
			}
			if s.reusable && s.fire == 0 {
				return errors.New("the waker is used again, and fn is still to be called")
			}
			return nil
		},
		Final: func(s untilState) error {
			if s.resumed != 1 {
				return errors.New("never resumed")
			}
			return nil
		},
	}
}

func TestS9S18_AWaitEndsOnceWhoeverEndsIt(t *testing.T) {
	try(t, untilModel, "park, then hold", "parked by a store", "store", "reuse")
}
