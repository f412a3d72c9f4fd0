package scheduler_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/scheduler"
)

// closeOffState: a posted function waits in the queue; it is cancelled, and given another priority, while the frame
// goroutine closes (S39). Each of the three may sweep.
type closeOffState struct {
	w      closeOffWord
	linked bool
	closed bool
	fn     bool // the item has it

	pc int8             // of Close
	r  [3]closeOffSweep // the frame goroutine, who cancels, and who changes the priority

	canceled, off bool // by Cancel, by Close
	events, named int8
}

type closeOffWord struct{ ready, run, kill, inbox bool }

type closeOffSweep struct {
	pc    int8
	w     closeOffWord // as loaded
	holds bool         // it reads or writes the function
}

// The steps of who asks for something, and of a sweep.
const (
	offLoad = iota
	offAsk
	offPush
	offLook // closed.Load()
	offTake
	offWord // swept
	offFn
	offFlag
	offOver
)

// sweep is Swap(nil) and swept: for an item that is in the inbox, and was read before.
func (s *closeOffState) sweep(r *closeOffSweep, mutant string) bool {
	switch r.pc {
	case offTake:
		r.pc = offOver
		if s.linked {
			s.linked, r.pc = false, offWord
		}
	case offWord:
		r.w, r.pc = s.w, offFlag
		if !s.w.ready && !s.w.run || mutant == "whatever is swept is let go of" {
			r.holds, r.pc = true, offFn
		}
	case offFn: // it.fn = nil
		s.fn, r.holds, r.pc = false, false, offFlag
	case offFlag: // CompareAndSwap(w, w&^flagInbox)
		if s.w != r.w {
			r.pc = offWord
			break
		}
		s.w.inbox = false
		r.pc = offOver
		r.w = closeOffWord{}
	default:
		return false
	}
	return true
}

// ask is cancel, or setPriority.
func (s *closeOffState) ask(r *closeOffSweep, cancel bool, mutant string) bool {
	switch r.pc {
	case offLoad:
		r.w, r.pc = s.w, offAsk
		if !s.w.ready && (cancel || !s.w.run) {
			r.pc = offOver
		}
	case offAsk:
		if s.w != r.w {
			r.pc = offLoad
			break
		}
		if cancel {
			s.w.ready, s.w.kill, s.canceled = false, true, true
		}
		s.w.inbox = true
		r.pc = offPush
		if r.w.inbox {
			r.pc = offOver
		}
	case offPush:
		s.linked = true
		r.pc = offLook
	case offLook:
		r.pc = offOver
		if s.closed {
			r.pc = offTake
		}
	default:
		return s.sweep(r, mutant)
	}
	return true
}

func (s *closeOffState) close(mutant string) bool {
	const shut, swept, claim, tell, told, end, cancel, over = 0, 1, 2, 3, 4, 5, 6, 7
	pc, r := &s.pc, &s.r[0]
	switch *pc {
	case shut: // closed.Store(true)
		s.closed = true
		*pc, r.pc = swept, offTake
	case swept:
		if !s.sweep(r, mutant) {
			*pc = claim
			if mutant == "told of before it is claimed" {
				*pc = tell
			}
		}
	case claim:
		*pc = tell
		if s.w.ready {
			s.w.ready, s.w.run = false, true
			if mutant == "ended before it is told of" {
				s.w.run, s.off = false, true
			}
		} else if mutant != "looked at though another canceled it" {
			s.events++ // without a name
			*pc = cancel
		}
	case tell: // codeOf(it.fn)
		r.holds = true
		*pc = told
	case told: // it.fn = nil
		s.events++
		s.named++
		s.fn = s.fn && mutant == "not let go of"
		r.holds = false
		if *pc = end; mutant == "told of before it is claimed" {
			*pc = cancel
		}
	case end:
		if s.w.run {
			s.off = true
		}
		s.w.run, s.w.kill = false, false
		*pc = over
	case cancel: // what somebody else has cancelled: nothing to do
		if s.w.ready {
			s.w.ready, s.off = false, true
		}
		*pc = over
	default:
		return false
	}
	return true
}

func closeOffModel(mutant string) explore.Model[closeOffState] {
	return explore.Model[closeOffState]{
		Init: closeOffState{fn: true, w: closeOffWord{ready: true}},
		Threads: []explore.Thread[closeOffState]{
			{Name: "close", Step: func(s *closeOffState) bool { return s.close(mutant) }},
			{Name: "cancel", Step: func(s *closeOffState) bool { return s.ask(&s.r[1], true, mutant) }},
			{Name: "priority", Step: func(s *closeOffState) bool { return s.ask(&s.r[2], false, mutant) }},
		},
		Invariant: func(s closeOffState) error {
			n := 0
			for _, r := range s.r {
				if r.holds {
					n++
				}
			}
			if n > 1 {
				return errors.New("two have the function")
			}
			return nil
		},
		Final: func(s closeOffState) error {
			if s.fn || s.w.inbox || s.linked {
				return errors.New("the function, or a message, is left behind")
			}
			if s.canceled == s.off || s.events != 1 || s.off && s.named == 0 {
				return fmt.Errorf("Cancel: %v, Close: %v, events: %d, of them with a name: %d", s.canceled, s.off,
					s.events, s.named)
			}
			return nil
		},
	}
}

func TestS39_OneAtATimeHasTheFunction(t *testing.T) {
	try(t, closeOffModel, "told of before it is claimed", "ended before it is told of", "not let go of",
		"whatever is swept is let go of", "looked at though another canceled it")
}

// For the race detector: while Close tells of one function, the others are cancelled.
func TestCloseTellsOfWhatIsCanceledMeanwhile(t *testing.T) {
	for range 200 {
		canceled, begun, ended := map[uint64]bool{}, make(chan bool), make(chan bool)
		tell := func(e scheduler.Event) {
			canceled[e.ID] = true
			if len(canceled) == 1 {
				close(begun)
			}
		}
		s := scheduler.New(scheduler.Options{OnEvent: on(scheduler.Canceled, tell)})
		var handles [16]scheduler.Handle
		for i := range handles {
			handles[i] = s.After(deadline.Normal, time.Hour, func() { t.Error("ran") })
		}
		s.RunUntil(deadline.Deadline{})
		go func() {
			<-begun
			for i := range handles {
				h := handles[len(handles)-1-i]
				h.SetPriority(deadline.Low)
				h.Cancel()
			}
			close(ended)
		}()
		s.Close()
		<-ended
		if st := s.Stats(); len(canceled) != len(handles) || st.Canceled != uint64(len(handles)) {
			t.Fatalf("%d events and %d in Stats of %d that were canceled", len(canceled), st.Canceled, len(handles))
		}
	}
}

// The protocols of the package comment, written a second time as step machines: every interleaving is
// tried, and for each protocol mutants that must fail. A step is one atomic operation of the code, which
// the comments name.

// try explores the model as it is in the code, and each mutant, which must fail.
func try[S comparable](t *testing.T, model func(mutant string) explore.Model[S], mutants ...string) {
	t.Helper()
	explore.Try(t, "", mutants, model)
}

// closeState: somebody pushes while the frame goroutine closes (S8).
type closeState struct {
	closed             bool
	inbox, got, wasted int8
	p                  [2]int8
	closer             int8
}

func closeModel(mutant string) explore.Model[closeState] {
	producer := func(i int) explore.Thread[closeState] {
		return explore.Thread[closeState]{Name: fmt.Sprint("producer", i), Step: func(s *closeState) bool {
			switch s.p[i] {
			case 0: // Post: closed.Load()
				s.p[i] = 1
				if s.closed {
					s.wasted++
					s.p[i] = 9
				}
			case 1:
				s.inbox++
				s.p[i] = 2
			case 2: // push: closed.Load()
				s.p[i] = 9
				if s.closed && mutant != "no second look" {
					s.p[i] = 3
				}
			case 3: // sweep
				s.got, s.inbox = s.got+s.inbox, 0
				s.p[i] = 9
			default:
				return false
			}
			return true
		}}
	}
	closer := explore.Thread[closeState]{Name: "close", Step: func(s *closeState) bool {
		step := s.closer
		if mutant == "sweep, then close" && step < 2 {
			step = 1 - step
		}
		switch step {
		case 0:
			s.closed = true
		case 1:
			s.got, s.inbox = s.got+s.inbox, 0
		default:
			return false
		}
		s.closer++
		return true
	}}
	return explore.Model[closeState]{
		Threads: []explore.Thread[closeState]{producer(0), producer(1), closer},
		Final: func(s closeState) error {
			if s.got+s.wasted != 2 {
				return errors.New("a submission is in the inbox for ever")
			}
			return nil
		},
	}
}

func TestS8_NothingIsLeftInAClosedInbox(t *testing.T) {
	try(t, closeModel, "no second look", "sweep, then close")
}

// sweepState: two goroutines ask for a drawing of a closed scheduler (S1, S8). Each pushes the one item, takes the
// inbox, and sweeps what it took, which the other one pushes again as soon as flagInbox is clear.
type sweepState struct {
	flag   bool
	linked int8
	p      [2]struct{ pc, asked int8 }
}

// The steps of a sweep, in which a goroutine writes what it took.
const sweepFn, sweepFlag, sweepLate = 4, 5, 6

func sweepModel(mutant string) explore.Model[sweepState] {
	requester := func(i int) explore.Thread[sweepState] {
		return explore.Thread[sweepState]{Name: fmt.Sprint("requester", i), Step: func(s *sweepState) bool {
			p := &s.p[i]
			switch p.pc {
			case 0: // CompareAndSwap(w, w|flagInbox)
				if p.asked == 2 {
					return false
				}
				p.asked++
				if !s.flag {
					s.flag = true
					p.pc = 1
				}
			case 1: // push: CompareAndSwap(old, it)
				s.linked++
				p.pc = 2
			case 2: // Swap(nil)
				p.pc = 0
				if s.linked > 0 {
					s.linked--
					p.pc = sweepFn
					if mutant == "let go after the flag" {
						p.pc = sweepFlag
					}
				}
			case sweepFn: // it.next = nil, it.fn = nil
				p.pc = sweepFlag
			case sweepFlag: // CompareAndSwap(w, w&^flagInbox)
				s.flag = false
				p.pc = 0
				if mutant == "let go after the flag" {
					p.pc = sweepLate
				}
			case sweepLate: // it.fn = nil
				p.pc = 0
			}
			return true
		}}
	}
	return explore.Model[sweepState]{
		Threads: []explore.Thread[sweepState]{requester(0), requester(1)},
		Invariant: func(s sweepState) error {
			holders := 0
			for _, p := range s.p {
				if p.pc == 1 || p.pc >= sweepFn {
					holders++
				}
			}
			if holders > 1 || s.linked > 1 || s.linked > 0 && holders > 0 {
				return errors.New("two have the item's link")
			}
			return nil
		},
		Final: func(s sweepState) error {
			if s.flag || s.linked > 0 {
				return errors.New("a request is in the inbox for ever")
			}
			return nil
		},
	}
}

func TestS1S8_WhatIsSweptIsLetGoOfFirst(t *testing.T) { try(t, sweepModel, "let go after the flag") }
