package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// U1 and U2: a frame goroutine that expects a frame, which begins, and another, which does not come until a nudger has
// seen it; then Close. The clock may pass due and trail at any time.
type nudgeState struct {
	frame  int8 // pc
	due    int8 // the number of the frame, or 0
	gone   bool
	asked  bool
	token  bool
	pc     int8 // of the nudger
	saw    int8 // the latest frame for which it has napped
	took   bool // and has not cleared asked yet
	ended  bool
	closed bool
}

type nudgeMutant struct{ tokenFirst, neverCleared, clearedLate, noLook, silentClose bool }

func nudgeModel(m nudgeMutant) explore.Model[nudgeState] {
	send := func(s *nudgeState) {
		if !s.asked {
			s.asked, s.token = true, true
		}
	}
	return explore.Model[nudgeState]{
		Init: nudgeState{},
		Threads: []explore.Thread[nudgeState]{{Name: "frame", Step: func(s *nudgeState) bool {
			first, second := func() { s.due = s.frame/3 + 1 }, func() { send(s) }
			if m.tokenFirst {
				first, second = second, first
			}
			switch s.frame {
			case 0, 3: // ExpectFrame
				first()
			case 1, 4:
				second()
			case 2: // BeginFrame
				s.due = 0
			case 5: // the second frame is late until a nudger has seen it
				if s.saw != 2 {
					return false
				}
				s.gone = true
			case 6:
				if !m.silentClose {
					send(s)
				}
				s.closed = true
			default:
				return false
			}
			s.frame++
			return true
		}}, {Name: "nudger", Step: func(s *nudgeState) bool {
			switch s.pc {
			case 0:
				if s.gone {
					s.ended = true
					s.pc = 3
				} else if s.due != 0 && s.due != s.saw {
					s.saw = s.due // a nap
				} else {
					s.pc = 1
				}
				if s.pc == 1 && m.clearedLate && s.took {
					s.pc = 4
				}
			case 1:
				if !s.token {
					return false
				}
				s.token, s.took = false, true
				s.pc = 2
				switch {
				case m.clearedLate:
					s.pc = 0
				case m.noLook:
					s.pc = 4
				}
			case 2:
				s.asked = m.neverCleared
				s.pc = 0
			case 4:
				s.asked, s.took = false, false
				s.pc = 1
			default:
				return false
			}
			return true
		}}},
		Final: func(s nudgeState) error {
			if !s.closed || !s.ended {
				return fmt.Errorf("stuck: the frame at %d, the nudger at %d", s.frame, s.pc)
			}
			return nil
		},
	}
}

func TestModelNoLateFrameIsMissedByANudger(t *testing.T) {
	if _, err := explore.Run(nudgeModel(nudgeMutant{})); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]nudgeMutant{
		"the token before the frame":                {tokenFirst: true},
		"asked for ever":                            {neverCleared: true},
		"asked until after the look":                {clearedLate: true},
		"no look between two tokens":                {noLook: true},
		"no token when the pool has become history": {silentClose: true},
	} {
		if _, err := explore.Run(nudgeModel(m)); err == nil {
			t.Errorf("the explorer did not catch %s", name)
		}
	}
}
