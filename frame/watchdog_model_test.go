package frame

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// F52 to F54 as a model: three frames, any of which may hang, and the looks of the timer, which comes whenever it is
// set. A frame that hangs must be told of, once. Where the loop is closed, frames go on, as a wrapped game's do, and a
// look that begins then must tell nothing. Times are left out: a second look at a frame is late enough, unless
// the frame is still in begin, which takes microseconds.
type watchState struct {
	since               int8 // the frame under way, from 1; 0 is none
	calls, armed, timer bool
	frame, pc           int8 // of the frame goroutine
	hangs               bool // and there it stays
	look                int8 // the pc of a look
	at, suspect         int8
	told                [4]int8

	closing int8 // the pc of close
	after   int8 // looks that have begun when it had ended
	late    bool // one has told
}

type watchMutant int

const (
	watchSound   watchMutant = iota
	watchForgets             // the timer rests without a look at what has begun meanwhile
	watchKeeps               // and does not ask the next frame to set it
	watchLate                // a frame looks whether it is to set the timer before it says that it has begun
	watchStays               // a timer that rests counts as set
	watchTwice               // what has been told of is looked at again when the timer is to rest
	watchGoesOn              // a look does not ask whether the loop has closed when it sets the timer
	watchOpens               // nor does a frame
)

// goOn is begin, called and end.
func (s *watchState) goOn(m watchMutant) bool {
	const begin, asked, called, end, arm, unless, set = 0, 1, 2, begun, 6, 7, 8
	switch s.pc {
	case begin:
		if s.frame == 3 {
			return false
		}
		s.frame++
		s.pc = asked
		if m == watchLate {
			if s.pc = end; s.calls {
				s.pc = called
			}
			break
		}
		s.since = s.frame
	case asked:
		if s.pc = end; s.calls {
			s.pc = called
		}
	case called:
		if s.closing > 0 && m != watchOpens {
			s.pc = end
			break
		}
		s.calls, s.pc = false, arm
	case arm, unless, set:
		s.arms(&s.pc, arm, end, m == watchOpens)
	case end:
		if m == watchLate && s.since != s.frame {
			s.since = s.frame
			break
		}
		if s.hangs {
			return false
		}
		s.since, s.pc = 0, begin
	}
	return true
}

// hang has the frame that is under way last for ever.
func (s *watchState) hang() bool {
	if s.hangs || s.pc != begun {
		return false
	}
	s.hangs = true
	return true
}

// wakes is look and rest.
func (s *watchState) wakes(m watchMutant) bool {
	const asleep, looks, asks, judges, disarm, ask, again, arm, unless, set = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	switch s.look {
	case asleep:
		if !s.timer {
			return false
		}
		s.timer, s.look = false, looks
		if s.closing == closed {
			s.after++
		}
	case looks:
		s.at = s.since
		if s.look = asks; s.at == 0 {
			s.look = disarm
		}
	case asks:
		s.calls, s.look = true, judges
	case judges:
		if s.at != s.suspect || s.since == s.at && s.pc != begun {
			s.suspect, s.look = s.at, unless
			break
		}
		if s.since == s.at {
			s.told[s.at]++
			s.late = s.late || s.after > 0
		}
		s.look = disarm
	case disarm:
		s.suspect = 0
		s.armed = m == watchStays
		s.look = ask
	case ask:
		s.calls = m != watchKeeps
		if s.look = again; m == watchForgets {
			s.look = asleep
		}
	case again:
		if s.look = asleep; s.since != 0 && (s.since != s.at || m == watchTwice) {
			s.look = arm
		}
	case arm, unless, set:
		s.arms(&s.look, arm, asleep, m == watchGoesOn)
	}
	return true
}

// arms sets the timer for a frame or a look, in three steps from first on, after which pc is done. A mutant does so in
// a closed loop, too.
func (s *watchState) arms(pc *int8, first, done int8, anyway bool) {
	step := *pc - first
	*pc = done
	switch {
	case step == 0 && !s.armed:
		s.armed, *pc = true, first+1
	case step == 1 && (s.closing == 0 || anyway):
		*pc = first + 2
	case step == 2:
		s.timer = true
	}
}

const (
	begun  = 5 // the pc of a frame that is under way
	closed = 3 // close has returned
)

// closes is close.
func (s *watchState) closes() bool {
	switch s.closing {
	case 0: // closed is set
	case 1:
		s.since = 0
	case 2:
		s.timer = false
	default:
		return false
	}
	s.closing++
	return true
}

func watchModel(m watchMutant, closes bool) explore.Model[watchState] {
	return explore.Model[watchState]{
		Init: watchState{calls: true},
		Threads: []explore.Thread[watchState]{
			{Name: "frames", Step: func(s *watchState) bool { return s.goOn(m) }},
			{Name: "hang", Step: (*watchState).hang},
			{Name: "timer", Step: func(s *watchState) bool { return s.wakes(m) }},
			{Name: "close", Step: func(s *watchState) bool { return closes && s.closes() }},
		},
		Invariant: func(s watchState) error {
			if s.late || s.after > 1 {
				return fmt.Errorf("%d looks have begun after close, or told, %v", s.after, s.late)
			}
			for i, n := range s.told {
				if n > 1 {
					return fmt.Errorf("frame %d is told of %d times", i, n)
				}
			}
			return nil
		},
		Final: func(s watchState) error {
			if !closes && s.hangs && s.told[s.frame] != 1 {
				return fmt.Errorf("frame %d hangs, and nobody tells", s.frame)
			}
			return nil
		},
	}
}

func TestModelTheWatchdogTellsOfEachHangOnce(t *testing.T) {
	explore.TryIn(t, watchSound, explore.Span(watchForgets, watchOpens), watchModel, false, true)
}
