package sleep

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The sleeping protocol (W1 to W5) as a model: publishers that make one item visible each and notify, workers
// that run sleep's loop. The first jobs end only when there is one for each worker, so a state in which an
// item lies visible while a worker sleeps for good is a deadlock, and the search finds it as a terminal
// state.

const (
	parkWorkers = 2
	parkItems   = 2
)

type parkMutant int

const (
	parkSound        parkMutant = iota
	skipSweep                   // step 3 is left out
	sweepFirst                  // step 3 before step 2
	leaveLate                   // step 1 after step 3
	lossyToken                  // a post to a worker that does not wait yet is lost
	noDuty                      // found does not pass the duty on
	neverReset                  // posted is compared with a constant, not with the epoch
	notifyBeforePush            // W1 the wrong way round
	clearFirst                  // no fault: getUp leaves the idle set before it counts as a searcher
	unmarked                    // no fault: posts are not marked, so there are more of them
)

type parkState struct {
	visible, taken int8
	searching      int8
	idle           [parkWorkers]bool
	epoch, posted  [parkWorkers]int8
	token          [parkWorkers]bool
	waits          [parkWorkers]bool // within Wait, for the lossy token only

	pc        [parkWorkers]int8
	searches  [parkWorkers]bool
	pub       [parkItems]int8 // pc of each publisher
	candidate [parkItems + parkWorkers]int8
	sawEpoch  [parkItems + parkWorkers]int8
}

// canon forgets how large the epochs are: only which of the numbers that somebody holds are equal matters.
func (s *parkState) canon() {
	for w := range parkWorkers {
		var held []int8 // in ascending order, without repetition
		keep := []*int8{&s.epoch[w], &s.posted[w]}
		for who := range s.candidate {
			if s.sawEpoch[who] != 0 && int(s.candidate[who]) == w {
				keep = append(keep, &s.sawEpoch[who])
			}
		}
		for _, p := range keep {
			if at, ok := slices.BinarySearch(held, *p); !ok {
				held = slices.Insert(held, at, *p)
			}
		}
		if held[0] != 0 {
			held = slices.Insert(held, 0, 0) // zero means that none is held
		}
		for _, p := range keep {
			at, _ := slices.BinarySearch(held, *p)
			*p = int8(at)
		}
	}
}

// notifySteps is Set.Notify, one shared access a step; who is the row of locals. It returns the next pc, or
// 5 at the end, where it forgets the locals, so that states which differ in nothing else are one.
func notifySteps(s *parkState, who int, pc int8, m parkMutant) int8 {
	next := notifyStep(s, who, pc, m)
	if next == 5 {
		s.candidate[who], s.sawEpoch[who] = 0, 0
	}
	return next
}

func notifyStep(s *parkState, who int, pc int8, m parkMutant) int8 {
	const done = 5
	switch pc {
	case 0: // idle
		s.candidate[who] = -1
		for i := range parkWorkers {
			if s.idle[i] {
				s.candidate[who] = int8(i)
				return 1
			}
		}
		return done
	case 1:
		if s.searching != 0 {
			return done
		}
		return 2
	case 2:
		s.sawEpoch[who] = s.epoch[s.candidate[who]]
		return 3
	case 3: // posted, and the post
		w := s.candidate[who]
		if m == neverReset {
			if s.posted[w] != 0 {
				return done
			}
		} else if m != unmarked && s.posted[w] == s.sawEpoch[who] {
			return done
		}
		return 4
	case 4:
		w := s.candidate[who]
		if m != lossyToken || s.waits[w] {
			s.token[w] = true
		}
		if m == unmarked {
			return done
		}
		return 6
	case 6:
		s.posted[s.candidate[who]] = s.sawEpoch[who]
		return done
	}
	panic("pc")
}

func parkModel(m parkMutant) explore.Model[parkState] {
	const done = 5
	var threads []explore.Thread[parkState]
	for i := range parkItems {
		threads = append(threads, explore.Thread[parkState]{Name: fmt.Sprint("publish", i),
			Step: func(s *parkState) bool {
				pc := s.pub[i]
				switch {
				case pc == 10:
					return false
				case m == notifyBeforePush:
					// notify at pc 0 to 6, push at 9
					if pc == 9 {
						s.visible++
						s.pub[i] = 10
						return true
					}
					if n := notifySteps(s, i, pc, m); n == done {
						s.pub[i] = 9
					} else {
						s.pub[i] = n
					}
				case pc == 0: // push, then notify at 10+: shift the notifier's pcs by 20
					s.visible++
					s.pub[i] = 20
				default:
					if n := notifySteps(s, i, pc-20, m); n == done {
						s.pub[i] = 10
					} else {
						s.pub[i] = n + 20
					}
				}
				return true
			}})
	}
	for i := range parkWorkers {
		threads = append(threads, explore.Thread[parkState]{Name: fmt.Sprint("worker", i),
			Step: func(s *parkState) bool {
				return parkWorkerStep(s, i, m)
			}})
	}
	for i, th := range threads {
		threads[i].Step = func(s *parkState) bool {
			if !th.Step(s) {
				return false
			}
			s.canon()
			return true
		}
	}
	return explore.Model[parkState]{
		Threads: threads,
		Final: func(s parkState) error {
			if s.visible != 0 || s.taken != parkItems {
				return fmt.Errorf("%d items visible, %d of %d taken, and nobody moves", s.visible, s.taken, parkItems)
			}
			return nil
		},
		Invariant: func(s parkState) error {
			if s.searching < 0 || s.visible < 0 {
				return errors.New("negative count")
			}
			return nil
		},
	}
}

// The worker's program counters.
const (
	wSearch   int8 = iota // become a searcher
	wLinger               // one sweep as a searcher
	wLeave                // step 1
	wEpoch                //
	wIdle                 // step 2
	wSweep                // step 3
	wWait                 // step 4
	wUp1                  // getUp: count
	wUp2                  // getUp: leave the set
	wRetry                // sweep after a wake-up
	wFound                // found: leave the searchers
	wDuty                 // found: notify (40 to 46)
	wRun                  // the job: until all are taken
	wUpFound1             // getUp after step 3 found something
	wUpFound2
	wLate // the late step 1 of leaveLate
)

func parkWorkerStep(s *parkState, i int, m parkMutant) bool {
	pc := &s.pc[i]
	take := func() bool {
		if s.visible == 0 {
			return false
		}
		s.visible--
		s.taken++
		return true
	}
	switch *pc {
	case wSearch:
		if !s.searches[i] {
			s.searching++
			s.searches[i] = true
		}
		*pc = wLinger
	case wLinger:
		if take() {
			*pc = wFound
			return true
		}
		*pc = wLeave
		if m == leaveLate || m == sweepFirst {
			*pc = wEpoch
		}
		if m == sweepFirst {
			*pc = wLeave
		}
	case wLeave:
		s.searching--
		s.searches[i] = false
		*pc = wEpoch
	case wEpoch:
		s.epoch[i]++
		*pc = wIdle
		if m == sweepFirst {
			if take() {
				// found while neither searching nor idle
				s.searching++
				s.searches[i] = true
				*pc = wFound
			}
		}
	case wIdle:
		s.idle[i] = true
		*pc = wSweep
		if m == skipSweep || m == sweepFirst {
			*pc = wWait
			s.waits[i] = true
		}
	case wSweep:
		if take() {
			*pc = wUpFound1
			return true
		}
		*pc = wWait
		if m == leaveLate {
			*pc = wLate
			return true
		}
		s.waits[i] = true
	case wLate:
		s.searching--
		s.searches[i] = false
		s.waits[i] = true
		*pc = wWait
	case wWait:
		if !s.token[i] {
			return false
		}
		s.token[i] = false
		s.waits[i] = false
		*pc = wUp1
	case wUp1, wUpFound1:
		if m == clearFirst {
			s.idle[i] = false
		} else if !s.searches[i] {
			s.searching++
			s.searches[i] = true
		}
		*pc++
		if *pc == wUpFound1+1 {
			*pc = wUpFound2
		}
	case wUp2, wUpFound2:
		if m != clearFirst {
			s.idle[i] = false
		} else if !s.searches[i] {
			s.searching++
			s.searches[i] = true
		}
		if *pc == wUp2 {
			*pc = wRetry
		} else {
			*pc = wFound
		}
	case wRetry:
		if take() {
			*pc = wFound
		} else {
			*pc = wSearch
		}
	case wFound:
		s.searching--
		s.searches[i] = false
		if s.searching == 0 && m != noDuty {
			*pc = wDuty
		} else {
			*pc = wRun
		}
	case wDuty:
		if s.visible == 0 {
			*pc = wRun
		} else {
			*pc = 40
		}
	case wRun:
		// The first jobs wait for one another, so there must be as many workers awake as there are.
		if s.taken < parkWorkers {
			return false
		}
		*pc = wSearch
	default: // 40 to 46: notify
		// A searcher does not look at searching: skip that step.
		n := notifySteps(s, parkItems+i, *pc-40, m)
		if n == 1 {
			n = 2
		}
		if n == 5 {
			*pc = wRun
		} else {
			*pc = n + 40
		}
	}
	return true
}

func TestModelNoWakeUpIsLost(t *testing.T) {
	mutants := []parkMutant{skipSweep, sweepFirst, leaveLate, lossyToken, noDuty, neverReset, notifyBeforePush}
	explore.Try(t, unmarked, mutants, parkModel) // unmarked is no fault, and the smallest
	if !testing.Short() {
		explore.Try(t, parkSound, nil, parkModel)
		explore.Try(t, clearFirst, nil, parkModel) // no fault either
	}
}
