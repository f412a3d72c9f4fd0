package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// RunUntil's look at a job against Job.Wait by the only one who could run it (J2). RunUntil takes the entry,
// looks, finds the job too long and puts it back. The waiter is the only worker, within another job.
type lookState struct {
	state    int8 // 0 queued, 1 running, 2 finished, 3 looking
	entries  int8
	ran      int8
	enlisted bool
	called   bool
	looker   int8
	waiter   int8
}

// asRunning makes a look a claim that is taken back; once makes a waiter whose claim fails enlist.
type lookMutant struct{ asRunning, once bool }

func lookModel(m lookMutant) explore.Model[lookState] {
	const queued, runs, finished, looks = 0, 1, 2, 3
	return explore.Model[lookState]{
		Init: lookState{entries: 1},
		Threads: []explore.Thread[lookState]{{Name: "RunUntil", Step: func(s *lookState) bool {
			switch s.looker {
			case 0:
				s.entries--
				s.looker = 1
			case 1:
				if s.state != queued {
					s.looker = 9 // a stale entry
					return true
				}
				s.state = looks
				if m.asRunning {
					s.state = runs
				}
				s.looker = 2
			case 2:
				s.state = queued
				s.looker = 3
			case 3:
				s.entries++
				s.looker = 9
			default:
				return false
			}
			return true
		}}, {Name: "Wait", Step: func(s *lookState) bool {
			const look, claim, run, end, enlist, again, asleep, done = 0, 1, 2, 3, 4, 5, 6, 9
			switch s.waiter {
			case look:
				switch s.state {
				case queued:
					s.waiter = claim
				case runs:
					s.waiter = enlist
				case finished:
					s.waiter = done
				default:
					return false // Gosched: it moves when something else has
				}
			case claim:
				switch {
				case s.state == queued:
					s.state = runs
					s.waiter = run
				case m.once:
					s.waiter = enlist
				default:
					s.waiter = look
				}
			case run:
				s.ran++
				s.waiter = end
			case end:
				s.state = finished
				s.called = s.enlisted
				s.waiter = look
			case enlist:
				s.enlisted = true
				s.waiter = again
			case again:
				s.waiter = asleep
				if s.state == finished {
					s.called = true
				}
			case asleep:
				if !s.called {
					return false
				}
				s.waiter = look
			default:
				return false
			}
			return true
		}}},
		Final: func(s lookState) error {
			if s.waiter != 9 || s.ran != 1 {
				return fmt.Errorf("the waiter stands at %d, the job ran %d times", s.waiter, s.ran)
			}
			return nil
		},
	}
}

func TestModelALookDelaysNobodyForEver(t *testing.T) {
	explore.Try(t, lookMutant{}, []lookMutant{{asRunning: true}, {once: true}}, lookModel)
}
