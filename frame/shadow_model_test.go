package frame

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// baton is the model of shadow.go and of what it uses of the gate: one host that makes two frames and then
// closes or just goes away, the shadow, and a task or another goroutine that calls Close at any time or
// never. A drain ends only when it is stopped, as if the tasks were endless and the deadline far away: so a
// lost stop is a deadlock here.
type baton struct {
	busy, away, closing, closed bool // the gate
	give, back                  int8 // the channels
	stop, quit                  bool
	out                         bool // the host's

	host, shadow, other pc
	frames              int8
	taskCloses          bool // the task in this drain will call Close
	closes, schedCloses int8
	tasking, own        bool // a task runs; the frame's own work runs
}

type pc int8

// mutant names what the model does wrong.
type mutant int

const (
	faithful         mutant = iota
	beginDoesNotWait        // Begin does not wait for the baton
	homeDoesNotLook         // the shadow clears away without looking at closing
	closeIgnoresAway        // Close does not mind a slice in the shadow
	homeAfterBack           // the shadow sends the baton back, then clears away
	shadowClearsStop        // the shadow clears stop when it begins
	handDoesNotLook         // hand does not look at closing after it has cleared stop
	leaveDoesNotLook        // the host gives the token back without looking at closing
	stopNotSet              // Begin does not set stop
	lostBaton               // a panic's way out does not send the baton back
)

// change is gate.change for bits that the caller has set in s. looks is what a mutant may leave out.
func change(s *baton, looks, mindsAway bool) (last bool) {
	if looks && s.closing && !s.closed && !s.busy && !(s.away && mindsAway) {
		s.closed = true
		return true
	}
	return false
}

// closing is close and shadow.close for a goroutine that is not the shadow, at step *at from base: it
// returns true while there is something to do.
func closing(s *baton, at *pc, base, end pc) bool {
	switch *at - base {
	case 0:
		s.closes++
		if s.out {
			s.stop = true
			*at = base + 1
		} else {
			*at = base + 2
		}
	case 1:
		if s.back == 0 {
			return false
		}
		s.back--
		s.out = false
		*at = base + 2
	case 2:
		s.quit = true
		s.give++
		*at = base + 3
	case 3:
		if s.back == 0 {
			return false
		}
		s.back--
		*at = end
	}
	return true
}

func batonModel(m mutant) explore.Model[baton] {
	mindsAway := m != closeIgnoresAway
	const (
		enterBegin pc = iota
		take
		wait
		leaveBegin
		work
		workEnd
		enterSlice
		clearStop
		setAway
		look
		send
		leaveSlice
		callClose
		callStop
		ended
		closeHere // to +3
	)
	host := func(s *baton) bool {
		next := func(p pc) bool { s.host = p; return true }
		switch s.host {
		case enterBegin:
			if s.closed {
				return next(work)
			}
			s.busy = true
			return next(take)
		case take:
			if !s.out || m == beginDoesNotWait {
				return next(leaveBegin)
			}
			s.stop = s.stop || m != stopNotSet
			return next(wait)
		case wait:
			if s.back == 0 {
				return false
			}
			s.back--
			s.out = false
			return next(leaveBegin)
		case leaveBegin, leaveSlice:
			s.busy = false
			after := work
			if s.host == leaveSlice {
				after = enterBegin
				if s.frames--; s.frames == 0 {
					after = callClose
				}
			}
			if change(s, m != leaveDoesNotLook, mindsAway) {
				s.frames = 0
				return next(closeHere)
			}
			return next(after)
		case work:
			s.own = true
			return next(workEnd)
		case workEnd:
			s.own = false
			return next(enterSlice)
		case enterSlice:
			if s.closed {
				if s.frames--; s.frames <= 0 {
					return next(callClose)
				}
				return next(enterBegin)
			}
			s.busy = true
			return next(clearStop)
		case clearStop:
			s.stop = false
			return next(setAway)
		case setAway:
			s.away = true
			return next(look)
		case look:
			if s.closing && m != handDoesNotLook {
				s.stop = true
			}
			return next(send)
		case send:
			s.out = true
			s.give++
			return next(leaveSlice)
		case callClose:
			s.closing = true
			if change(s, true, mindsAway) {
				return next(closeHere)
			}
			return next(callStop)
		case callStop:
			s.stop = true
			return next(ended)
		case ended:
			return false
		}
		return closing(s, &s.host, closeHere, ended)
	}

	const (
		receive pc = iota
		begins
		draining
		taskStop
		taskCloseHere // to +3
		drained       = taskCloseHere + 4
		sendBack      = drained + 1
		lateHome      = drained + 2
		gone          = drained + 3
	)
	shadow := func(s *baton) bool {
		next := func(p pc) bool { s.shadow = p; return true }
		switch s.shadow {
		case receive:
			if s.give == 0 {
				return false
			}
			s.give--
			return next(begins)
		case begins:
			if s.quit {
				s.schedCloses++
				return next(sendBack)
			}
			if m == shadowClearsStop {
				s.stop = false
			}
			s.tasking = true
			return next(draining)
		case draining:
			switch {
			case s.taskCloses:
				s.taskCloses, s.closing = false, true
				if change(s, true, mindsAway) {
					return next(taskCloseHere)
				}
				return next(taskStop)
			case s.stop:
				s.tasking = false
				if m == homeAfterBack || m == lostBaton {
					return next(sendBack)
				}
				return next(drained)
			}
			return false
		case taskStop:
			s.stop = true
			return next(draining)
		case drained, lateHome:
			s.away = false
			if change(s, m != homeDoesNotLook, mindsAway) {
				s.closes++
				s.schedCloses++
				s.quit = true
			}
			if s.shadow == lateHome {
				return next(receive)
			}
			return next(sendBack)
		case sendBack:
			quit := s.quit
			if m != lostBaton {
				s.back++
			}
			switch {
			case quit:
				return next(gone)
			case m == homeAfterBack:
				return next(lateHome)
			}
			return next(receive)
		case gone:
			return false
		}
		return closing(s, &s.shadow, taskCloseHere, draining)
	}

	// other decides once, at any time: it calls Close itself, or has the task in the shadow call it, or neither.
	const (
		undecided pc = iota
		otherStop
		otherDone
		otherCloseHere
	)
	other := func(s *baton) bool {
		switch s.other {
		case undecided:
			s.closing = true
			if change(s, true, mindsAway) {
				s.other = otherCloseHere
			} else {
				s.other = otherStop
			}
			return true
		case otherStop:
			s.stop = true
			s.other = otherDone
			return true
		case otherDone:
			return false
		}
		return closing(s, &s.other, otherCloseHere, otherDone)
	}
	byTask := func(s *baton) bool {
		if s.other != undecided || !s.tasking {
			return false
		}
		s.taskCloses, s.other = true, otherDone
		return true
	}
	leaves := func(s *baton) bool {
		if s.host != callClose {
			return false
		}
		s.host = ended
		return true
	}
	never := func(s *baton) bool {
		if s.other != undecided {
			return false
		}
		s.other = otherDone
		return true
	}

	return explore.Model[baton]{
		Init: baton{frames: 2},
		Threads: []explore.Thread[baton]{
			{Name: "host", Step: host}, {Name: "shadow", Step: shadow}, {Name: "close", Step: other},
			{Name: "taskcloses", Step: byTask}, {Name: "nevercloses", Step: never}, {Name: "leaves", Step: leaves},
		},
		Invariant: func(s baton) error {
			switch {
			case s.tasking && s.own:
				return errors.New("a task runs beside the frame's own work")
			case s.give+s.back > 1:
				return errors.New("two batons")
			case s.closes > 1 || s.schedCloses > 1:
				return errors.New("closed twice")
			case s.tasking && s.schedCloses > 0:
				return errors.New("a task runs in a closed scheduler")
			}
			return nil
		},
		Final: func(s baton) error {
			switch {
			case s.host != ended:
				return errors.New("the host is stuck")
			case s.other != otherDone:
				return errors.New("Close is stuck")
			case !s.closing:
				return nil // nobody has closed, and the last slice may be endless
			case s.shadow != gone && s.shadow != receive:
				return errors.New("the shadow is stuck")
			case s.closes != 1 || s.schedCloses != 1:
				return errors.New("not closed")
			}
			return nil
		},
	}
}

func TestBatonModel(t *testing.T) {
	explore.Try(t, faithful, explore.Span(beginDoesNotWait, lostBaton), batonModel)
}
