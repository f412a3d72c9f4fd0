package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// pulseCancelState: one goroutine calls a pulse three times, another one cancels once (S38). The bell is that of S25.
// Time is left out: a timer may expire whenever something is owed, and a period without a trailing edge never ends.
type pulseCancelState struct {
	cancel, call bool // the bell's word
	look         bool // its task is queued
	open, owed   bool // edges
	queued       bool // the run

	pc    int8                        // of the frame goroutine
	hears struct{ cancel, call bool } // what look has answered
	c     struct{ pc, calls int8 }
	k     struct {
		pc   int8
		rang bool // into a word that was 0
	}

	before   int8 // the calls that had rung when the Cancel did
	begun    bool // the function has, since
	returned bool // the Cancel has
	later    bool // a call has begun after that
	bad      string
}

func (s *pulseCancelState) begin() {
	s.begun = true
	if s.returned && s.c.calls <= s.before {
		s.bad = "the function begins after Cancel, and there was no call"
	}
}

// pulseCancelFrame returns what the frame goroutine may do next, in any order.
func pulseCancelFrame(trailing bool, mutant string) []explore.Thread[pulseCancelState] {
	const idle, first, second, due, claimed = 0, 1, 2, 3, 4
	forget, hear := int8(first), int8(second)
	if mutant == "hear, then forget" {
		forget, hear = second, first
	}
	return []explore.Thread[pulseCancelState]{
		{Name: "look", Step: func(s *pulseCancelState) bool {
			w := &s.hears
			switch {
			case s.pc == idle && s.look: // answer
				w.cancel, w.call = s.cancel, s.call
				s.look, s.cancel, s.call = false, false, false
				s.pc = first
				return true
			case s.pc == forget:
				s.open, s.owed = s.open && !w.cancel, s.owed && !w.cancel
				s.queued = s.queued && (!w.cancel || mutant == "the run is left")
			case s.pc == hear && w.call && trailing:
				s.owed = true
			case s.pc == hear && w.call && !s.open:
				s.open, s.queued = true, true
			case s.pc != hear:
				return false
			}
			if s.pc++; s.pc > second {
				s.pc, w.cancel, w.call = idle, false, false
			}
			return true
		}},
		{Name: "expire", Step: func(s *pulseCancelState) bool {
			switch {
			case s.pc == idle && s.owed && !s.cancel && !s.call: // bell.word.Load()
				s.pc = due
			case s.pc == due:
				s.owed, s.queued, s.pc = false, true, idle
			default:
				return false
			}
			return true
		}},
		{Name: "run", Step: func(s *pulseCancelState) bool {
			switch {
			case s.pc == idle && s.queued: // claim
				s.queued, s.pc = false, claimed
				if mutant == "no look at the word" {
					s.pc = idle
					s.begin()
				}
			case s.pc == claimed: // bell.word.Load()
				if s.pc = idle; !s.cancel {
					s.begin()
				}
			default:
				return false
			}
			return true
		}},
	}
}

func pulseCancelModel(trailing bool) func(mutant string) explore.Model[pulseCancelState] {
	return func(mutant string) explore.Model[pulseCancelState] {
		steps := strings.Fields("ring submit")
		switch mutant {
		case "canceled by Cancel, too", "canceled by Cancel, and no look at the word":
			steps = append(steps, "cancel")
		}
		if mutant == "canceled by Cancel, and no look at the word" {
			mutant = "no look at the word"
		}
		caller := explore.Thread[pulseCancelState]{Name: "call", Step: func(s *pulseCancelState) bool {
			c := &s.c
			switch {
			case c.pc == 0 && c.calls == 3:
				return false
			case c.pc == 0: // ring
				s.later = s.later || s.returned
				c.calls++
				if !s.call && !s.cancel {
					c.pc = 1
				}
				s.call = true
			default:
				s.look, c.pc = true, 0
			}
			return true
		}}
		canceler := explore.Thread[pulseCancelState]{Name: "cancel", Step: func(s *pulseCancelState) bool {
			k := &s.k
			if int(k.pc) == len(steps) {
				return false
			}
			switch steps[k.pc] {
			case "ring":
				k.rang = !s.call && !s.cancel
				s.cancel, s.call = true, false
				s.before, s.begun = s.c.calls, false
			case "submit":
				s.look = s.look || k.rang
			case "cancel":
				s.queued = false
			}
			k.pc++
			s.returned = int(k.pc) == len(steps)
			return true
		}}
		return explore.Model[pulseCancelState]{
			Threads: append(pulseCancelFrame(trailing, mutant), caller, canceler),
			Invariant: func(s pulseCancelState) error {
				if s.bad != "" {
					return errors.New(s.bad)
				}
				return nil
			},
			Final: func(s pulseCancelState) error {
				if s.later && !s.begun {
					return errors.New("a call after Cancel has no run, and there was none since that")
				}
				return nil
			},
		}
	}
}

func TestS38_ACancelTakesBackNoLaterCall(t *testing.T) {
	mutants := []string{"no look at the word", "canceled by Cancel, and no look at the word", "hear, then forget",
		"the run is left"}
	try(t, pulseCancelModel(true), mutants...)
	try(t, pulseCancelModel(false), append(mutants, "canceled by Cancel, too")...)
}

// The clock of the scheduler is where somebody comes in between: look has answered, and has yet to queue the run. Who
// called meanwhile has yet to submit look.
func TestCancelWhileTheRunIsQueued(t *testing.T) {
	between := func() {}
	s := scheduler.New(scheduler.Options{Clock: func() deadline.Instant { between(); return 1 }})
	defer s.Close()
	ran := 0
	th := flow.NewThrottle(s, flow.ThrottleOptions{Wait: ms, NoTrailing: true}, func() { ran++ })
	th.Call()
	rest := func() {}
	between = func() {
		if flow.InLook(th) {
			between = func() {}
			rest = flow.CallLate(th)
			th.Cancel()
		}
	}
	s.RunUntil(deadline.Deadline{})
	if ran > 0 {
		t.Error("the function ran after Cancel, and there was no call")
	}
	rest()
	s.RunUntil(deadline.Deadline{})
	th.Call()
	s.RunUntil(deadline.Deadline{})
	if ran != 1 {
		t.Errorf("%d runs for one call after Cancel", ran)
	}
}

// Wake is where somebody comes in between: Cancel has rung, and look has answered, and queued a run for a later call,
// before it goes on.
func TestACallBeforeCancelReturns(t *testing.T) {
	between := func() {}
	s := scheduler.New(scheduler.Options{Wake: func() { between() }})
	defer s.Close()
	ran := 0
	o := flow.ThrottleOptions{Wait: time.Hour, NoTrailing: true}
	th := flow.NewThrottle(s, o, func() { ran++ })
	between = func() {
		between = func() {}
		s.RunUntil(deadline.Deadline{})
		th.Call()
		s.RunUntil(deadline.At(0)) // look, and no more
	}
	th.Cancel()
	s.RunUntil(deadline.Deadline{})
	th.Call()
	s.RunUntil(deadline.Deadline{})
	if ran != 1 {
		t.Errorf("%d runs after Cancel, for two calls in one period", ran)
	}
}
