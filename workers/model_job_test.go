package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// J4 as a model: a job that was queued for A is canceled, or run, and submitted to B; the entry that A has of it may be
// there still. Each of the two takes its entries out one by one, and claims what its own class is named in.
type movedState struct {
	state   int8       // queued for A, for B, or another state
	entries [2]int8    // in the queue of each
	ran     [2][2]int8 // in each life, by each
	life    int8
	owner   int8
	pc      [2]int8
}

// The mutant claims a job whatever its class.
func movedModel(unnamed bool) explore.Model[movedState] {
	const runs, finished, settles = 3, 4, 5
	threads := []explore.Thread[movedState]{{Name: "owner", Step: func(s *movedState) bool {
		switch s.owner {
		case 0:
			if s.state != 0 && s.state != finished {
				return false // it runs
			}
			s.state = finished // canceled, if it was not run
		case 1:
			s.state, s.life = settles, 1
		case 2:
			s.state = 1
		case 3:
			s.entries[1]++
		default:
			return false
		}
		s.owner++
		return true
	}}}
	for i := range int8(2) {
		const take, claim, run, end = 0, 1, 2, 3
		threads = append(threads, explore.Thread[movedState]{Name: fmt.Sprint("worker", i),
			Step: func(s *movedState) bool {
				pc := &s.pc[i]
				switch *pc {
				case take:
					if s.entries[i] == 0 {
						return false
					}
					s.entries[i]--
					*pc = claim
				case claim:
					*pc = take // the entry is stale
					if s.state == i || unnamed && s.state < 2 {
						s.state, *pc = runs, run
					}
				case run:
					s.ran[s.life][i]++
					*pc = end
				case end:
					s.state, *pc = finished, take
				}
				return true
			}})
	}
	return explore.Model[movedState]{Init: movedState{entries: [2]int8{1, 0}}, Threads: threads,
		Final: func(s movedState) error {
			if s.ran[0][1] != 0 || s.ran[0][0] > 1 || s.ran[1] != [2]int8{0, 1} {
				return fmt.Errorf("it stands at %d and was run %v", s.state, s.ran)
			}
			return nil
		}}
}

func TestModelAMovedJobIsRunByWhomItWasSubmittedTo(t *testing.T) {
	explore.Try(t, false, []bool{true}, movedModel)
}

// Job.finish against Job.notify (J1): each waiter is called, and called once. A mutant does not look again.
type notifyState struct {
	finished bool
	stack    int8 // a bit for each waiter
	called   [2]int8
	pc       [3]int8
	took     [3]int8
}

func notifyModel(noRecheck bool) explore.Model[notifyState] {
	wake := func(s *notifyState, who int) {
		for i := range 2 {
			if s.took[who]&(1<<i) != 0 {
				s.called[i]++
			}
		}
		s.took[who] = 0
	}
	threads := []explore.Thread[notifyState]{{Name: "finish", Step: func(s *notifyState) bool {
		switch s.pc[2] {
		case 0:
			s.finished = true
		case 1:
			if s.stack == 0 {
				s.pc[2] = 9
				return true
			}
		case 2:
			s.took[2], s.stack = s.stack, 0
		case 3:
			wake(s, 2)
			s.pc[2] = 8
		default:
			return false
		}
		s.pc[2]++
		return true
	}}}
	for i := range 2 {
		threads = append(threads, explore.Thread[notifyState]{Name: fmt.Sprint("waiter", i),
			Step: func(s *notifyState) bool {
				pc := &s.pc[i]
				switch *pc {
				case 0:
					if s.finished {
						s.called[i]++
						*pc = 9
						return true
					}
				case 1:
					s.stack |= 1 << i
					if noRecheck {
						*pc = 9
						return true
					}
				case 2:
					if !s.finished {
						*pc = 9
						return true
					}
				case 3:
					s.took[i], s.stack = s.stack, 0
				case 4:
					wake(s, i)
					*pc = 8
				default:
					return false
				}
				*pc++
				return true
			}})
	}
	return explore.Model[notifyState]{Threads: threads, Final: func(s notifyState) error {
		if s.called != [2]int8{1, 1} {
			return fmt.Errorf("called %v", s.called)
		}
		return nil
	}}
}

func TestModelEveryWaiterIsCalledOnce(t *testing.T) {
	explore.Try(t, false, []bool{true}, notifyModel)
}

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
