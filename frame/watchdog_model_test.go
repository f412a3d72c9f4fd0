package frame

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// K2 and K3 as a model: three frames, any of which may hang, and the looks of the timer, which comes whenever it is
// set. A frame that hangs must be told of, once. Times are left out: a second look at a frame is late enough, unless
// the frame is still in begin, which takes microseconds.
type watchState struct {
	since               int8 // the frame under way, from 1; 0 is none
	calls, armed, timer bool
	frame, pc           int8 // of the frame goroutine
	hangs               bool // and there it stays
	look                int8 // the pc of a look
	at, suspect         int8
	told                [4]int8
}

type watchMutant int

const (
	watchSound   watchMutant = iota
	watchForgets             // the timer rests without a look at what has begun meanwhile
	watchKeeps               // and does not ask the next frame to set it
	watchLate                // a frame looks whether it is to set the timer before it says that it has begun
	watchStays               // a timer that rests counts as set
	watchTwice               // what has been told of is looked at again when the timer is to rest
)

// goOn is begin, called and end.
func (s *watchState) goOn(m watchMutant) bool {
	const begin, asked, called, arm, set, end = 0, 1, 2, 3, 4, 5
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
		s.calls, s.pc = false, arm
	case arm:
		s.pc = end
		if !s.armed {
			s.armed, s.pc = true, set
		}
	case set:
		s.timer, s.pc = true, end
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
	if s.hangs || s.pc != 5 {
		return false
	}
	s.hangs = true
	return true
}

// wakes is look and rest.
func (s *watchState) wakes(m watchMutant) bool {
	const asleep, looks, asks, judges, disarm, ask, again, arm, set = 0, 1, 2, 3, 4, 5, 6, 7, 8
	switch s.look {
	case asleep:
		if !s.timer {
			return false
		}
		s.timer, s.look = false, looks
	case looks:
		s.at = s.since
		if s.look = asks; s.at == 0 {
			s.look = disarm
		}
	case asks:
		s.calls, s.look = true, judges
	case judges:
		if s.at != s.suspect || s.since == s.at && s.pc != 5 {
			s.suspect, s.timer, s.look = s.at, true, asleep
			break
		}
		if s.since == s.at {
			s.told[s.at]++
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
	case arm:
		s.look = asleep
		if !s.armed {
			s.armed, s.look = true, set
		}
	case set:
		s.timer, s.look = true, asleep
	}
	return true
}

func watchModel(m watchMutant) explore.Model[watchState] {
	return explore.Model[watchState]{
		Init: watchState{calls: true},
		Threads: []explore.Thread[watchState]{
			{Name: "frames", Step: func(s *watchState) bool { return s.goOn(m) }},
			{Name: "hang", Step: (*watchState).hang},
			{Name: "timer", Step: func(s *watchState) bool { return s.wakes(m) }},
		},
		Invariant: func(s watchState) error {
			for i, n := range s.told {
				if n > 1 {
					return fmt.Errorf("frame %d is told of %d times", i, n)
				}
			}
			return nil
		},
		Final: func(s watchState) error {
			if s.hangs && s.told[s.frame] != 1 {
				return fmt.Errorf("frame %d hangs, and nobody tells", s.frame)
			}
			return nil
		},
	}
}

func TestModelTheWatchdogTellsOfEachHangOnce(t *testing.T) {
	stats, err := explore.Run(watchModel(watchSound))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", stats)
	for m := watchForgets; m <= watchTwice; m++ {
		if _, err := explore.Run(watchModel(m)); err == nil {
			t.Errorf("mutant %d lives", m)
		}
	}
}
