package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A graph of one node that is bound to a worker, run three times (G6): the job that the next run prepares is the one
// that the worker has just finished, and the waiter that it enlists is the one that the worker is calling.
type arriveState struct {
	state       int8 // of the job: 0 finished, 1 bound, 2 running
	inbox, bell bool
	enlisted    bool
	left, ran   int8
	caller, w   int8
	runs        int8
}

type arriveMutant int

const (
	arriveSound arriveMutant = iota
	endInJob                 // the node ends within its job
	bellEarly                // the bell is rung before left is lowered
	lateWaiter               // the waiter is enlisted after the delivery, without a second look
	resetLate                // left is set after the delivery
)

func arriveModel(m arriveMutant) explore.Model[arriveState] {
	const runs = 3
	prepare := func(s *arriveState) bool {
		if s.state != 0 {
			s.caller = 90
			return true
		}
		s.state = 1
		s.caller++
		return true
	}
	return explore.Model[arriveState]{
		Threads: []explore.Thread[arriveState]{
			{Name: "caller", Step: func(s *arriveState) bool {
				switch s.caller {
				case 0:
					if s.runs == runs {
						return false
					}
					s.left = map[bool]int8{true: 0, false: 1}[m == resetLate]
					s.caller = 1
				case 1:
					return prepare(s)
				case 2:
					s.enlisted = m != lateWaiter
					s.caller = 3
				case 3:
					s.inbox = true
					s.caller = 4
				case 4:
					if m == lateWaiter {
						s.enlisted = true
					}
					if m == resetLate {
						s.left = 1
					}
					s.caller = 5
				case 5: // left
					s.caller = 6
					if s.left == 0 {
						s.runs++
						s.caller = 0
					}
				case 6:
					if !s.bell {
						return false
					}
					s.bell = false
					s.caller = 5
				default:
					return false
				}
				return true
			}},
			{Name: "worker", Step: func(s *arriveState) bool {
				switch s.w {
				case 0: // claim
					if !s.inbox {
						return false
					}
					s.inbox = false
					s.state = 2
					s.w = 1
				case 1: // the function
					s.ran++
					s.w = 2
					if m == endInJob {
						s.left--
						s.w = 10
					}
				case 10:
					s.bell = true
					s.w = 2
				case 2: // conclude
					s.state = 0
					s.w = 3
				case 3: // takeWaiters
					s.w = 0
					if s.enlisted && m != endInJob {
						s.w = 4
					}
					s.enlisted = false
				case 4: // arrive
					if m == bellEarly {
						s.bell = true
					} else {
						s.left--
					}
					s.w = 5
				case 5:
					if m == bellEarly {
						s.left--
					} else {
						s.bell = true
					}
					s.w = 0
				}
				return true
			}},
		},
		Invariant: func(s arriveState) error {
			if s.caller == 90 {
				return errors.New("a run prepares a job that has not finished")
			}
			if s.left < 0 {
				return errors.New("more ends than nodes")
			}
			return nil
		},
		Final: func(s arriveState) error {
			if s.runs != runs || s.ran != runs {
				return fmt.Errorf("%d runs, the node ran %d times, and nobody moves", s.runs, s.ran)
			}
			return nil
		}}
}

func TestModelABoundNodeIsUsedAgain(t *testing.T) {
	if _, err := explore.Run(arriveModel(arriveSound)); err != nil {
		t.Error(err)
	}
	for m, name := range map[arriveMutant]string{
		endInJob: "a node that ends within its job", bellEarly: "a bell before left", lateWaiter: "a late waiter",
		resetLate: "a late count",
	} {
		if _, err := explore.Run(arriveModel(m)); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
