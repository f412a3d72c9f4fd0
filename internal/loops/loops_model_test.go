package loops

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The loop of ParallelFor (WL1, WL2) as a model: a caller that runs two loops with one descriptor, and
// helpers that come and go. Every piece is done once, in its own loop; nobody is within when the caller goes
// on; the caller wakes.

type loopMutant int

const (
	loopSound       loopMutant = iota
	joinClosed                 // WL1: a helper joins whatever the flag says
	parkBlindly                // WL2: the caller sets parked without looking whether anybody is left
	wakeAlways                 // WL2: every last helper of a closed loop sends the token
	forgetToCloseIt            // WL1: the caller waits for the helpers of a loop that is still open
)

const loopPieces = 2

type loopState struct {
	open, closed, parked, token bool
	count                       int8
	gen, next                   int8
	done                        [2][loopPieces]int8
	pc, saw                     int8
	helpers                     [2]struct{ pc, saw, gen, tries int8 }
	wrong                       int8
}

// word is the state word as helpers compare it.
func (s *loopState) word() int8 {
	w := s.count
	if s.closed {
		w += 10
	}
	if s.parked {
		w += 20
	}
	return w
}

func (s *loopState) within() bool { return s.helpers[0].pc >= 3 || s.helpers[1].pc >= 3 }

func loopModel(m loopMutant) explore.Model[loopState] {
	threads := []explore.Thread[loopState]{{Name: "caller", Step: func(s *loopState) bool {
		return s.callerStep(m)
	}}}
	init := loopState{closed: true}
	for i := range 2 {
		init.helpers[i].tries = 2
		threads = append(threads, explore.Thread[loopState]{Name: fmt.Sprint("helper", i),
			Step: func(s *loopState) bool {
				return s.helperStep(i, m)
			}})
	}
	return explore.Model[loopState]{
		Init:    init,
		Threads: threads,
		Invariant: func(s loopState) error {
			switch s.wrong {
			case 1:
				return errors.New("the caller went on with a helper within")
			case 2:
				return errors.New("a helper works in the wrong loop")
			}
			for g := range s.done {
				for _, n := range s.done[g] {
					if n > 1 || int8(g) < s.gen && n != 1 {
						return fmt.Errorf("loop %d: a piece was done %d times", g, n)
					}
				}
			}
			return nil
		},
		Final: func(s loopState) error {
			if s.gen != 2 {
				return errors.New("the caller sleeps for ever")
			}
			return nil
		},
	}
}

func (s *loopState) callerStep(m loopMutant) bool {
	switch s.pc {
	case 0:
		if s.gen == 2 {
			return false
		}
		if s.within() && s.count > 0 {
			s.wrong = 1
		}
		s.next, s.pc = 0, 1
	case 1:
		s.closed, s.parked, s.count = false, false, 0
		s.pc = 2
	case 2:
		s.open, s.pc = true, 3
	case 3:
		s.saw, s.pc = s.next, 4
		if s.saw >= loopPieces {
			s.pc = 6
		}
	case 4:
		s.pc = 3
		if s.next == s.saw {
			s.next++
			s.pc = 5
		}
	case 5:
		s.done[s.gen][s.saw]++
		s.pc = 3
	case 6:
		s.open, s.pc = false, 7
	case 7:
		s.pc = 8
		if s.count == 0 {
			s.pc = 11
		}
		if m == forgetToCloseIt {
			if s.count != 0 {
				return false
			}
			s.pc = 11
			return true
		}
		s.closed = true
	case 8:
		s.saw, s.pc = s.word(), 9
		if s.saw == 10 && m != parkBlindly {
			s.pc = 11
		}
	case 9:
		if s.word() != s.saw && m != parkBlindly {
			s.pc = 8
			return true
		}
		s.parked, s.pc = true, 10
	case 10:
		if !s.token {
			return false
		}
		s.token = false // and parked stays until the next loop opens
		s.pc = 11
	case 11:
		if s.within() {
			s.wrong = 1
		}
		s.gen++
		s.pc, s.saw = 0, 0
	}
	return true
}

func (s *loopState) helperStep(i int, m loopMutant) bool {
	h := &s.helpers[i]
	switch h.pc {
	case 0:
		if h.tries == 0 {
			return false
		}
		if !s.open {
			return false // asleep: it tries when there is something to join
		}
		h.tries--
		h.pc = 1
	case 1:
		h.saw, h.pc = s.word(), 2
		if s.closed && m != joinClosed {
			h.pc = 0
		}
	case 2:
		if s.word() != h.saw {
			h.pc = 1
			return true
		}
		s.count++
		h.gen, h.pc = s.gen, 3
	case 3: // within
		h.saw, h.pc = s.next, 4
		if h.saw >= loopPieces {
			h.pc = 6
		}
	case 4:
		h.pc = 3
		if s.next == h.saw {
			s.next++
			h.pc = 5
		}
	case 5:
		if h.gen != s.gen {
			s.wrong = 2
			return true
		}
		s.done[s.gen][h.saw]++
		h.pc = 3
	case 6:
		s.count--
		h.pc = 0
		if s.word() == 30 || m == wakeAlways && s.word() == 10 {
			s.token = true
		}
		h.saw, h.gen = 0, 0
	}
	return true
}

func TestModelLoopEndsWhenAllHaveLeft(t *testing.T) {
	explore.Try(t, loopSound, explore.Span(joinClosed, forgetToCloseIt), loopModel)
}
