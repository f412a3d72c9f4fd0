package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// K1 and K2 as a model: one job, too long, is there or comes; two workers look for it, put it back and go to sleep
// while the time before the fork ends. W1 and W2 are as in the package comment, without searchers: whoever finds
// somebody idle posts.

type reserveMutant int

const (
	reserveSound reserveMutant = iota
	silentEnd                  // the end does not notify
	endLate                    // notifies, and then stores zero
	silentReturn               // who puts back does not look at at again
	lookAtOnce                 // looks at at before it puts back
	neverBarred                // the lane is not barred
	barOutlasts                // a bar counts when at is zero too
)

type reserveState struct {
	at, barred bool
	entries    int8
	ran        int8
	idle       [2]bool
	token      [2]bool
	pc         [4]int8 // worker 0, worker 1, the end, the submitter
	sawNone    [2]bool
	sweeps     int8 // how often somebody took in vain
}

func (s *reserveState) post() {
	for i := range s.idle {
		if s.idle[i] {
			s.token[i] = true
			return
		}
	}
}

// reserveWorker looks at pc 0, takes at 1, puts back at 2 to 4, enters idle at 5, looks again at 6, sleeps at 8.
// If busy, worker 0 has an endless job to run after it has put the long one back.
func reserveWorker(i int, m reserveMutant, busy bool) func(s *reserveState) bool {
	return func(s *reserveState) bool {
		pc := &s.pc[i]
		switch *pc {
		case 0, 6: // bars; then takes, as one step of the queue's
			again := *pc
			if s.barred && (s.at || m == barOutlasts) || s.entries == 0 {
				*pc = again + 5 // 5 or 11
				if again == 6 {
					*pc = 8
				}
				return true
			}
			s.entries--
			s.idle[i] = false // an idle one leaves the set before it runs anything
			*pc = 1
		case 1:
			if !s.at {
				s.ran++
				*pc = 0
				return true
			}
			s.sawNone[i] = false
			*pc = 2
		case 2:
			s.barred = m != neverBarred
			if m == lookAtOnce {
				s.sawNone[i] = !s.at
			}
			*pc = 3
		case 3:
			s.entries++
			if s.sweeps < 20 {
				s.sweeps++
			}
			*pc = 4
		case 4:
			none := !s.at
			if m == lookAtOnce {
				none = s.sawNone[i]
			}
			if none && m != silentReturn {
				s.post()
			}
			*pc = 5
			if busy && i == 0 {
				*pc = 20
			}
		case 5:
			s.idle[i] = true
			*pc = 6
		case 8:
			if !s.token[i] {
				return false
			}
			s.token[i], s.idle[i] = false, false
			*pc = 0
		default:
			return false
		}
		return true
	}
}

func reserveEnd(m reserveMutant) func(s *reserveState) bool {
	return func(s *reserveState) bool {
		pc := &s.pc[2]
		*pc++
		switch {
		case *pc == 1 && m != endLate || *pc == 2 && m == endLate:
			s.at = false
		case *pc == 1 || *pc == 2:
			if m != silentEnd {
				s.post()
			}
		default:
			return false
		}
		return true
	}
}

func reserveSubmit(s *reserveState) bool {
	pc := &s.pc[3]
	*pc++
	switch *pc {
	case 1:
		s.entries++
	case 2:
		s.post()
	default:
		return false
	}
	return true
}

func TestModelAReserveStrandsNothing(t *testing.T) {
	model := func(m reserveMutant, busy bool) explore.Model[reserveState] {
		return explore.Model[reserveState]{
			Init: reserveState{at: true},
			Threads: []explore.Thread[reserveState]{
				{Name: "worker 0", Step: reserveWorker(0, m, busy)},
				{Name: "worker 1", Step: reserveWorker(1, m, busy)},
				{Name: "end", Step: reserveEnd(m)}, {Name: "submit", Step: reserveSubmit},
			},
			Invariant: func(s reserveState) error {
				if s.sweeps > 4 {
					return errors.New("the workers hand the job to and fro")
				}
				return nil
			},
			Final: func(s reserveState) error {
				if s.ran != 1 {
					return errors.New("the job is stranded")
				}
				return nil
			},
		}
	}
	mutants := []reserveMutant{silentEnd, endLate, silentReturn, lookAtOnce, neverBarred, barOutlasts}
	explore.TryIn(t, reserveSound, mutants, model, false, true)
}
