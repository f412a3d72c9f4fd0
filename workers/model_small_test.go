package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Job.finish against Job.notify (J1): each waiter is called, and called once.
type notifyState struct {
	finished bool
	stack    int8 // a bit for each waiter
	called   [2]int8
	pc       [3]int8
	took     [3]int8
}

func notifyModel(noRecheck, recheckFirst bool) explore.Model[notifyState] {
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
					if noRecheck || recheckFirst {
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
	if _, err := explore.Run(notifyModel(false, false)); err != nil {
		t.Error(err)
	}
	if _, err := explore.Run(notifyModel(true, false)); err == nil {
		t.Error("the explorer did not catch a waiter that does not look again")
	}
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
func lookModel(asRunning, once bool) explore.Model[lookState] {
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
				if asRunning {
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
				case once:
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
	if _, err := explore.Run(lookModel(false, false)); err != nil {
		t.Error(err)
	}
	if _, err := explore.Run(lookModel(true, false)); err == nil {
		t.Error("the explorer did not catch a look that is a claim")
	}
	if _, err := explore.Run(lookModel(false, true)); err == nil {
		t.Error("the explorer did not catch a waiter that enlists when its claim fails")
	}
}

// An addition to GOMAXPROCS that is made of swaps (write what should be there; if the swap returns something
// else than was expected, do it again from there) looks sound and is not: a third value, written for a moment
// by one pool, is taken for the truth by another. This is why procs has a lock.
type procsState struct {
	procs                           int8
	pc, expect, base, latest, round [2]int8
}

func TestModelSwapsAreNoAddition(t *testing.T) {
	var threads []explore.Thread[procsState]
	for i, by := range []int8{2, 3} {
		threads = append(threads, explore.Thread[procsState]{Name: fmt.Sprint("pool", i),
			Step: func(s *procsState) bool {
				n := by
				if s.round[i] == 1 {
					n = -by
				}
				switch s.pc[i] {
				case 0:
					if s.round[i] == 2 {
						return false
					}
					s.expect[i], s.base[i], s.pc[i] = s.procs, s.procs, 1
				case 1:
					was := s.procs
					s.latest[i] = s.base[i] + n
					s.procs = s.latest[i]
					if was == s.expect[i] {
						s.pc[i] = 0
						s.round[i]++
						return true
					}
					s.expect[i], s.base[i] = s.latest[i], was
				}
				return true
			}})
	}
	_, err := explore.Run(explore.Model[procsState]{Init: procsState{procs: 10}, Threads: threads,
		Final: func(s procsState) error {
			if s.procs != 10 {
				return fmt.Errorf("GOMAXPROCS is %d, was 10", s.procs)
			}
			return nil
		}})
	if err == nil {
		t.Error("the explorer finds nothing wrong with swaps: the lock of procs can go")
	}
}

// isQuiet (C2): a closer finds the pool quiet only if nothing is queued and nobody has an item. Worker 0 has
// an item, whose job submits another one for worker 1, whose job submits the last one.
type quietState struct {
	submitted        int8
	queue, hands     int8
	restless, epoch  int8
	token            [2]bool
	pc               [2]int8
	closer           int8
	before, befEpoch int8
	declared         bool
}

func quietModel(generation, sweep bool) explore.Model[quietState] {
	worker := func(i int) explore.Thread[quietState] {
		return explore.Thread[quietState]{Name: fmt.Sprint("worker", i), Step: func(s *quietState) bool {
			switch s.pc[i] {
			case 0: // asleep
				if !s.token[i] {
					return false
				}
				s.token[i] = false
				s.pc[i] = 1
			case 1:
				s.restless++
				s.epoch++
				s.pc[i] = 2
			case 2: // look
				s.pc[i] = 6
				if s.queue > 0 {
					s.queue--
					s.hands++
					s.pc[i] = 3
				}
			case 3: // run
				s.pc[i] = 5
				if s.submitted < 2 {
					s.submitted++
					s.queue++
					s.pc[i] = 4
				}
			case 4: // wake the other one
				s.token[1-i] = true
				s.pc[i] = 5
			case 5: // and leave it to that one
				s.hands--
				s.pc[i] = 6
			case 6:
				s.restless--
				s.pc[i] = 0
			}
			return true
		}}
	}
	return explore.Model[quietState]{
		Init: quietState{queue: 1, restless: 1, epoch: 1, pc: [2]int8{2, 0}},
		Threads: []explore.Thread[quietState]{worker(0), worker(1), {Name: "closer", Step: func(s *quietState) bool {
			switch s.closer {
			case 0:
				s.before, s.befEpoch = s.restless, s.epoch
				if s.restless == 0 {
					s.closer = 1
					return true
				}
				return false
			case 1:
				s.closer = 2
				if sweep && s.queue > 0 {
					s.closer = 0
				}
			case 2:
				s.closer = 0
				if s.restless == s.before && (!generation || s.epoch == s.befEpoch) {
					s.declared, s.closer = true, 3
				}
			default:
				return false
			}
			return true
		}}},
		Invariant: func(s quietState) error {
			if s.declared && (s.queue > 0 || s.hands > 0) {
				return errors.New("declared quiet with work left")
			}
			return nil
		},
	}
}

func TestModelQuietMeansQuiet(t *testing.T) {
	if _, err := explore.Run(quietModel(true, true)); err != nil {
		t.Error(err)
	}
	if _, err := explore.Run(quietModel(false, true)); err == nil {
		t.Error("the explorer did not catch a count without a generation")
	}
	if _, err := explore.Run(quietModel(true, false)); err == nil {
		t.Error("the explorer did not catch a closer that does not look into the queues")
	}
}
