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
