package workers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// C3 as a model: Close, a helper, which ends as soon as the pool is gone, somebody who delivers to worker 0, which
// has no goroutine, and adapt, which makes worker 1.
type lastOutState struct {
	gone, locked, ended, returned bool
	live, want                    int8
	alive, runs                   [2]bool
	made, closed                  [2]bool // parkers
	closer, helper                int8
	worker                        [2]int8
	starter                       [2]int8
}

type lastOutMutant int

const (
	lastOutSound     lastOutMutant = iota
	lastOutUnlooked                // who starts a worker does not look at the state when it has been counted
	lastOutLooksLate               // it looks before
	lastOutUncounted               // Close is not counted while it makes the pool gone
	lastOutUnlocked                // Close does not wait for who has the lock
)

func (s *lastOutState) leave() {
	if s.live--; s.live == 0 && s.gone {
		s.lastOut()
	}
}

func (s *lastOutState) lastOut() {
	if !s.ended {
		s.ended, s.closed = true, s.made
	}
}

func (s *lastOutState) close(m lastOutMutant) bool {
	switch s.closer {
	case 0:
		if m != lastOutUncounted {
			s.live++
		}
	case 1:
		s.gone = true
	case 2:
		if s.locked && m != lastOutUnlocked {
			return false
		}
		s.want = 0
	case 3:
		if m != lastOutUncounted {
			s.leave()
		} else if s.live == 0 {
			s.lastOut()
		}
	case 4:
		if !s.ended {
			return false
		}
		s.returned = true
	default:
		return false
	}
	s.closer++
	return true
}

// start is what deliver does for worker 0, and adapt, which has the lock, for worker 1.
func (s *lastOutState) start(i int, m lastOutMutant) bool {
	const lock, look, make, take, count, again, launch, done = 0, 1, 2, 3, 4, 5, 6, 7
	pc := &s.starter[i]
	next := *pc + 1
	switch *pc {
	case lock:
		if i == 1 {
			if s.locked {
				return false
			}
			s.locked = true
		}
	case look:
		if s.gone {
			next = done
		}
	case make:
		if i == 1 {
			s.want, s.made[1] = 2, true
		}
	case take:
		if s.alive[i] {
			next = done
		}
		s.alive[i] = true
		if m == lastOutLooksLate && s.gone {
			s.alive[i] = false
			next = done
		}
	case count:
		s.live++
	case again:
		if s.gone && m != lastOutUnlooked && m != lastOutLooksLate {
			s.alive[i] = false
			s.leave()
			next = done
		}
	case launch:
		s.runs[i] = true
	default:
		return false
	}
	if next == done && i == 1 {
		s.locked = false
	}
	*pc = next
	return true
}

func (s *lastOutState) work(i int) bool {
	switch s.worker[i] {
	case 0:
		if !s.runs[i] || !s.gone {
			return false
		}
		s.alive[i] = false
	case 1:
		if int8(i) < s.want && !s.alive[i] {
			s.alive[i] = true
			s.worker[i] = 0
			return true
		}
	case 2:
		s.runs[i] = false
		s.leave()
	default:
		return false
	}
	s.worker[i]++
	return true
}

func lastOutModel(m lastOutMutant) explore.Model[lastOutState] {
	threads := []explore.Thread[lastOutState]{
		{Name: "Close", Step: func(s *lastOutState) bool { return s.close(m) }},
		{Name: "helper", Step: func(s *lastOutState) bool {
			ends := s.gone && s.helper == 0
			if ends {
				s.helper = 1
				s.leave()
			}
			return ends
		}},
	}
	for i, name := range []string{"deliver", "adapt"} {
		threads = append(threads,
			explore.Thread[lastOutState]{Name: name, Step: func(s *lastOutState) bool { return s.start(i, m) }},
			explore.Thread[lastOutState]{Name: "worker", Step: func(s *lastOutState) bool { return s.work(i) }})
	}
	return explore.Model[lastOutState]{
		Init:    lastOutState{live: 1, made: [2]bool{true, false}},
		Threads: threads,
		Invariant: func(s lastOutState) error {
			if s.returned && (s.runs[0] || s.runs[1]) {
				return errors.New("a worker runs when Close has returned")
			}
			return nil
		},
		Final: func(s lastOutState) error {
			if !s.returned || s.live != 0 {
				return errors.New("Close waits for ever")
			}
			if s.made != s.closed {
				return errors.New("a parker is left")
			}
			return nil
		},
	}
}

func TestModelNobodyOutlastsClose(t *testing.T) {
	explore.Try(t, lastOutSound, explore.Span(lastOutUnlooked, lastOutUnlocked), lastOutModel)
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

// A mutant compares the count without a generation, or does not look into the queues.
type quietMutant struct{ noGeneration, noSweep bool }

func quietModel(m quietMutant) explore.Model[quietState] {
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
				if !m.noSweep && s.queue > 0 {
					s.closer = 0
				}
			case 2:
				s.closer = 0
				if s.restless == s.before && (m.noGeneration || s.epoch == s.befEpoch) {
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
	explore.Try(t, quietMutant{}, []quietMutant{{noGeneration: true}, {noSweep: true}}, quietModel)
}

// The look of M4: a worker that has claimed, and a closer that sweeps.
type batchEnd struct {
	hidden, visible, swept int8
	gone                   bool
	worker, closer         int8
}

func batchEndModel(looks bool) explore.Model[batchEnd] {
	return explore.Model[batchEnd]{
		Init: batchEnd{visible: 1},
		Threads: []explore.Thread[batchEnd]{
			{Name: "worker", Step: func(s *batchEnd) bool {
				switch s.worker {
				case 0: // claim
					s.hidden, s.visible = s.visible, 0
				case 1: // publish
					s.visible, s.hidden = s.visible+s.hidden, 0
				case 2: // look
					if s.gone && looks {
						s.swept, s.visible = s.swept+s.visible, 0
					}
				default:
					return false
				}
				s.worker++
				return true
			}},
			{Name: "closer", Step: func(s *batchEnd) bool {
				switch s.closer {
				case 0:
					s.gone = true
				case 1:
					s.swept, s.visible = s.swept+s.visible, 0
				default:
					return false
				}
				s.closer++
				return true
			}},
		},
		Final: func(s batchEnd) error {
			if s.swept != 1 {
				return fmt.Errorf("swept %d times", s.swept)
			}
			return nil
		},
	}
}

func TestModelABatchIsSweptOnce(t *testing.T) {
	explore.Try(t, true, []bool{false}, batchEndModel)
}
