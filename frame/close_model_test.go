package frame

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// F31 and F32 as a model: frames with a slice in the shadow, which may still be away when they are over, somebody who
// calls Stop at any time, and then two who call Close and one who calls Report. The baton is left out, as
// shadow_model_test.go has it; deferred calls of tasks take two steps, between which F4 and F8 can be seen to fail.
type endState struct {
	busy, away, closing, closed bool // the gate

	owed, drained, unwound, done bool

	own       bool // the frame's own work runs
	swaps     bool // the host is between Slice and Begin: beside it the slice in the shadow may run, and no more
	draining  int8 // deferred calls of the tasks that the slice drains
	unwinding int8 // and of those that only the host may unwind
	drains    int8
	unwinds   int8
	reading   bool // Report reads what the host's scheduler has counted

	over   bool // the frames are
	calls  int8 // of the host that are still to come
	host   pc
	shadow pc
	stop   bool
	people [3]pc
	lied   bool    // a Close has returned, and something runs or is still to run
	moved  [2]bool // it has errMoved to return
}

type endMutant int

const (
	endSound    endMutant = iota
	endHasty              // who finds that another one unwinds does not wait
	endTwice              // owed is loaded and then stored
	endLate               // it is set when drained is closed already
	endUnminded           // a call of the frame goroutine does not wait for drained
	endEarly              // Close does not wait for done
	endOnShadow           // the shadow unwinds what is the host's
	endFirst              // unwound is closed before it is
	endForgets            // errMoved takes owed away
)

// What somebody is at in Close, in close or in over.
const (
	endAsk pc = 10 + iota
	endOthers
	endWaits // for done
	endDrain
	endDrained
	endOwes
	endHosts // and then closeHost
	endTellsDrained
	endTellsDone
	endOver
	endLooks // closeHost
	endClaims
	endUnwinds
	endUnwound
	endAwaits
	endReads
	endRead
	endReturns
)

// An endCaller is on its way through close.go and ending.go. home says that it is the frame goroutine.
type endCaller struct {
	pc       *pc
	onShadow bool
	home     bool
	report   bool
	moved    *bool // of who calls Close
}

// claims is the gate's change, for who has changed its bits.
func (s *endState) claims() bool {
	if s.closing && !s.closed && !s.busy && !s.away {
		s.closed = true
		return true
	}
	return false
}

func (s *endState) goOn(c endCaller, m endMutant, locked bool) bool {
	at := c.pc
	switch *at {
	case endAsk:
		s.closing = true
		if *at = endOthers; s.claims() {
			*at = endDrain
		}
	case endOthers:
		switch *at = endReturns; {
		case m == endEarly && s.closed:
			*at = endLooks
		case s.closed || s.away && !s.busy:
			*at = endWaits
		default:
			*at = endReturns + 1 // it was a Stop
		}
	case endWaits:
		if !s.done {
			return false
		}
		*at = endLooks
	case endDrain:
		s.draining++
		s.drains++
		*at = endDrained
	case endDrained:
		s.draining--
		if *at = endOwes; m == endLate {
			*at = endTellsDrained
		}
	case endOwes:
		s.owed = true
		if *at = endHosts; m == endLate {
			*at = endTellsDone
		}
	case endHosts:
		*at = endTellsDrained
		if !c.onShadow || m == endOnShadow {
			*at = endLooks
		}
	case endTellsDrained:
		s.drained = true
		if *at = endTellsDone; m == endLate {
			*at = endOwes
		}
	case endTellsDone:
		s.done = true
		*at = endReturns
	case endOver:
		if !s.drained && m != endUnminded {
			return false
		}
		*at = endLooks
	case endLooks:
		switch *at = endClaims; {
		case !s.owed && m == endHasty:
			s.closedHost(c)
		case !s.owed:
			*at = endAwaits
		case locked && !c.home:
			if c.moved != nil {
				*c.moved = true
			}
			s.owed = m != endForgets
			s.closedHost(c)
		}
	case endClaims:
		switch *at = endUnwinds; {
		case m == endTwice:
			s.owed = false
		case s.owed:
			s.owed = false
		case m == endHasty:
			s.closedHost(c)
		default:
			*at = endAwaits
		}
		if m == endFirst {
			s.unwound = true
		}
	case endUnwinds:
		s.unwinding++
		s.unwinds++
		*at = endUnwound
	case endUnwound:
		s.unwinding--
		s.unwound = true
		s.closedHost(c)
	case endAwaits:
		if !s.unwound {
			return false
		}
		s.closedHost(c)
	case endReads:
		s.reading = true
		*at = endRead
	case endRead:
		s.reading = false
		*at = endReturns + 1
	case endReturns:
		if c.moved != nil {
			ended := s.done && s.drains == 1 && s.draining == 0
			s.lied = s.lied || !ended || !*c.moved && (s.unwinds != 1 || s.unwinding > 0)
		}
		*at = endReturns + 1
	default:
		return false
	}
	return true
}

// closedHost is where closeHost returns to.
func (s *endState) closedHost(c endCaller) {
	switch {
	case !s.drained && s.closed && !c.report: // within close
		*c.pc = endTellsDrained
	case c.report:
		*c.pc = endReads
	default:
		*c.pc = endReturns
	}
}

// frames is the host: a call, which may wait for the slice in the shadow, own work, and a Slice.
func (s *endState) frames(m endMutant, locked bool) bool {
	const call, take, leave, own, worked, slice = 0, 1, 2, 3, 4, 5
	switch s.host {
	case call:
		if s.swaps = false; s.calls == 0 {
			s.over, s.host = true, endReturns+1
			break
		}
		s.calls--
		if s.host = take; s.closed {
			s.host = endOver
			break
		}
		s.busy = true
	case take:
		if s.away {
			return false
		}
		s.host = leave
	case leave:
		s.busy = false
		if s.host = own; s.claims() {
			s.host = endDrain
		}
	case own:
		s.own, s.host = true, worked
	case worked:
		s.own, s.host = false, slice
	case slice:
		s.swaps = true
		if s.host = call; !s.closed {
			s.away = !s.closing // else Slice does nothing
		}
	case endReturns:
		s.host = own
	default:
		return s.goOn(endCaller{pc: &s.host, home: true}, m, locked)
	}
	return true
}

// slices is the shadow, whose slices end when they like.
func (s *endState) slices(m endMutant, locked bool) bool {
	if s.shadow != 0 {
		return s.goOn(endCaller{pc: &s.shadow, onShadow: true}, m, locked)
	}
	if !s.away {
		return false
	}
	if s.away = false; s.claims() {
		s.shadow = endDrain
	}
	return true
}

// ends is one who comes when the frames are over.
func (s *endState) ends(i int, m endMutant, locked bool) bool {
	at := &s.people[i]
	if *at != 0 {
		c := endCaller{pc: at, report: i == 2, home: locked && i == 0}
		if !c.report {
			c.moved = &s.moved[i]
		}
		return s.goOn(c, m, locked)
	}
	if !s.over || i == 2 && !s.closed {
		return false
	}
	if *at = endAsk; i == 2 {
		*at = endOver
	}
	return true
}

func endModel(m endMutant, locked bool) explore.Model[endState] {
	threads := []explore.Thread[endState]{
		{Name: "frames", Step: func(s *endState) bool { return s.frames(m, locked) }},
		{Name: "shadow", Step: func(s *endState) bool { return s.slices(m, locked) }},
		{Name: "stop", Step: func(s *endState) bool {
			moves := !s.stop
			s.stop, s.closing = true, true
			return moves
		}},
	}
	people := []string{"close", "another", "report"}
	if locked { // a Report elsewhere is then for after the Close at home
		people = people[:2]
	}
	for i, name := range people {
		threads = append(threads, explore.Thread[endState]{
			Name: name, Step: func(s *endState) bool { return s.ends(i, m, locked) },
		})
	}
	return explore.Model[endState]{
		Init:    endState{calls: 2, away: true, swaps: true},
		Threads: threads,
		Invariant: func(s endState) error {
			switch {
			case s.own && s.draining+s.unwinding > 0:
				return errors.New("F4: a deferred call of a task runs beside the frame's own work")
			case s.swaps && s.unwinding > 0:
				return errors.New("a deferred call of a task of the host's runs beside the host")
			case s.drains > 1 || s.unwinds > 1:
				return errors.New("closed twice")
			case s.reading && s.unwinding > 0:
				return errors.New("a Report reads what is being closed")
			case s.lied:
				return errors.New("F8: Close has returned, and not everything has ended")
			}
			return nil
		},
		Final: func(s endState) error {
			for i := range people {
				if at := s.people[i]; at != endReturns+1 {
					return errors.New("somebody waits")
				}
			}
			if !s.done || s.unwinds != 1 {
				return errors.New("not everything has ended")
			}
			return nil
		},
	}
}

func TestModelCloseReturnsWhenEverythingHasEnded(t *testing.T) {
	explore.TryIn(t, endSound, explore.Span(endHasty, endForgets), endModel, false, true)
}
