package workers

import (
	"errors"
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
