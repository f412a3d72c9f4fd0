package par

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// ST1 and ST2 as a model: three calls of Go, and the runs and passes of their jobs, on any number of workers. In one
// case the pool closes meanwhile, and takes no job from a call of Go any more.
type strandState struct {
	head, ready, now int8 // 0, strandHeld or a turn
	next             [strandTurns + 1]int8
	queued, begun    [strandTurns + 1]bool
	submit, run      [strandTurns + 1]struct{ pc, old, now int8 }
	order            [strandTurns]int8 // the turns as they got into the strand
	entered, ran     int8
	running          int8
	closed, dropped  bool
	fault            error
}

const (
	strandTurns = 3
	strandHeld  = int8(strandTurns + 1)
)

type strandMutant int

const (
	strandSound  strandMutant = iota
	strandBlind               // Go stores its turn
	strandLate                // now is stored after the submission
	strandStore               // the turn is ended by a store
	strandTorn                // the list is taken by a load and a store
	strandStack               // the list is not turned round
	strandEarly               // the pass comes before the function
	strandClosed              // a holder that the pool does not take stays the holder
)

func (s *strandState) queue(i int8) {
	if s.queued[i] || s.begun[i] {
		s.fault = errors.New("a job is submitted twice")
	}
	s.queued[i] = true
}

// submits is Go for turn i.
func (s *strandState) submits(i int8, m strandMutant) bool {
	const look, swap, begin, begin2, refused, done = 0, 1, 2, 3, 4, 5
	p := &s.submit[i]
	switch p.pc {
	case look:
		p.old, p.pc = s.head, swap
	case swap:
		if s.head != p.old && m != strandBlind {
			p.pc = look
			break
		}
		if s.head, s.next[i], p.pc = i, p.old, done; p.old == 0 {
			s.head, p.pc = strandHeld, begin
		}
		s.order[s.entered] = i
		s.entered++
	case begin, begin2:
		if (p.pc == begin) != (m == strandLate) {
			s.now = i
		} else if s.closed {
			s.dropped, p.pc = true, refused
			break
		} else {
			s.queue(i)
		}
		if p.pc++; p.pc > begin2 {
			p.pc = done
		}
	case refused:
		if p.pc = done; m != strandClosed {
			s.head = 0
		}
	default:
		return false
	}
	return true
}

// runs is runNow and pass for the job of turn i.
func (s *strandState) runs(i int8, m strandMutant) bool {
	const idle, begin, end, look, giveUp, take, torn, submit, over = 0, 1, 2, 3, 4, 5, 6, 7, 8
	p, first, passed, last := &s.run[i], int8(begin), int8(over), int8(look)
	if m == strandEarly {
		first, passed, last = look, begin, over
	}
	switch p.pc {
	case idle:
		if !s.queued[i] {
			return false
		}
		s.queued[i], s.begun[i], p.now, p.pc = false, true, s.now, first
	case begin:
		if s.running++; s.running > 1 || s.order[s.ran] != p.now {
			s.fault = errors.New("two at a time, out of order, or twice")
		}
		s.ran++
		p.pc = end
	case end:
		s.running--
		p.pc = last
	case look:
		switch {
		case s.ready != 0 && s.ready != strandHeld:
			p.old, p.pc = s.ready, submit
			s.now, s.ready = s.ready, s.next[s.ready]
		case s.head == strandHeld:
			s.now, p.pc = 0, giveUp
		default:
			p.pc = take
		}
	case giveUp:
		if p.pc = take; s.head == strandHeld || m == strandStore {
			s.head, p.pc = 0, passed
		}
	case take, torn:
		if p.pc == take {
			p.old = s.head
			if m == strandTorn {
				p.pc = torn
				break
			}
		}
		s.head, s.ready, p.pc = strandHeld, 0, look
		for t := p.old; t != strandHeld && m != strandStack; {
			s.next[t], s.ready, t = s.ready, t, s.next[t]
		}
		if m == strandStack {
			s.ready = p.old
		}
	case submit:
		s.queue(p.old)
		p.pc = passed
	default:
		return false
	}
	return true
}

func strandModel(m strandMutant, closes bool) explore.Model[strandState] {
	threads := []explore.Thread[strandState]{{Name: "close", Step: func(s *strandState) bool {
		can := closes && !s.closed
		s.closed = true
		return can
	}}}
	for i := int8(1); i <= strandTurns; i++ {
		threads = append(threads,
			explore.Thread[strandState]{Name: "go", Step: func(s *strandState) bool { return s.submits(i, m) }},
			explore.Thread[strandState]{Name: "run", Step: func(s *strandState) bool { return s.runs(i, m) }})
	}
	return explore.Model[strandState]{
		Threads:   threads,
		Invariant: func(s strandState) error { return s.fault },
		Final: func(s strandState) error {
			if s.head != 0 || s.ran != strandTurns && !s.dropped {
				return errors.New("something was left behind")
			}
			return nil
		},
	}
}

func TestModelStrand(t *testing.T) {
	explore.TryIn(t, strandSound, explore.Span(strandBlind, strandClosed), strandModel, false, true)
}
