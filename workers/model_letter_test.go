package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// A worker that leaves against two goroutines that deliver (I3): every item is taken once, by the worker's one
// goroutine at a time, whether it stayed or was started again.
type leaveState struct {
	alive   bool
	inbox   int8
	took    int8
	runs    int8    // goroutines of the worker that are there
	pc      [3]int8 // of the first goroutine, and of those that each deliverer may start
	started [3]bool
	who     [2]int8
}

type leaveMutant int

const (
	leaveSound   leaveMutant = iota
	noLastLook               // depart does not look again
	lookTooEarly             // it looks before it has said that it leaves
	noStart                  // deliver does not look whether there is a goroutine
	startFirst               // deliver looks before it pushes
	plainStart               // it starts one without a compare-and-swap
)

func leaveModel(m leaveMutant) explore.Model[leaveState] {
	const gone = 9
	depart := func(s *leaveState, pc *int8) bool {
		switch *pc {
		case 0: // retire: run what is there
			*pc = 1
			if s.inbox > 0 {
				s.inbox--
				s.took++
				*pc = 0
			}
		case 1:
			*pc = 2
			if m == lookTooEarly && s.inbox > 0 {
				*pc = 0
			}
		case 2:
			s.alive = false
			*pc = 3
			if m == noLastLook || m == lookTooEarly {
				s.runs--
				*pc = gone
			}
		case 3: // the last look
			*pc = 4
			if s.inbox == 0 {
				s.runs--
				*pc = gone
			}
		case 4: // stay, if nobody was quicker
			if !s.alive {
				s.alive = true
				*pc = 0
			} else {
				s.runs--
				*pc = gone
			}
		default:
			return false
		}
		return true
	}
	threads := []explore.Thread[leaveState]{
		{Name: "worker", Step: func(s *leaveState) bool { return depart(s, &s.pc[0]) }},
	}
	for i := range 2 {
		threads = append(threads, explore.Thread[leaveState]{Name: fmt.Sprint("deliver", i),
			Step: func(s *leaveState) bool {
				const start = 5
				pc := &s.who[i]
				switch {
				case *pc >= start:
					if !s.alive || m == plainStart {
						s.alive, s.started[i+1] = true, true
						s.runs++
					}
					*pc -= start
				case *pc == 2:
					return false
				case (*pc == 0) != (m == startFirst):
					s.inbox++
				case !s.alive && m != noStart: // the look
					*pc += start
					return true
				}
				*pc++
				return true
			}})
		threads = append(threads, explore.Thread[leaveState]{Name: fmt.Sprint("started", i),
			Step: func(s *leaveState) bool { return s.started[i+1] && depart(s, &s.pc[i+1]) }})
	}
	return explore.Model[leaveState]{Threads: threads, Init: leaveState{alive: true, runs: 1},
		Invariant: func(s leaveState) error {
			working := 0
			for i, pc := range s.pc {
				if (i == 0 || s.started[i]) && pc <= 2 {
					working++
				}
			}
			if working > 1 {
				return fmt.Errorf("%d goroutines are the worker", working)
			}
			return nil
		},
		Final: func(s leaveState) error {
			if s.inbox != 0 || s.took != 2 || s.alive || s.runs != 0 {
				return fmt.Errorf("%d left, %d taken, alive %v, %d goroutines", s.inbox, s.took, s.alive, s.runs)
			}
			return nil
		}}
}

func TestModelALeavingWorkerTakesItsLetters(t *testing.T) {
	if stats, err := explore.Run(leaveModel(leaveSound)); err != nil {
		t.Error(err)
	} else {
		t.Logf("%+v", stats)
	}
	for m, name := range map[leaveMutant]string{
		noLastLook: "no last look", lookTooEarly: "the last look too early", noStart: "deliver does not start",
		startFirst: "deliver looks before it pushes", plainStart: "a start without a swap",
	} {
		if _, err := explore.Run(leaveModel(m)); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}

// A job that waits on its worker against one that delivers twice (I4): what the waiting one waits for is done by
// the second letter.
type serveState struct {
	serving, knock bool
	inbox, took    int8
	waiter, who    int8
}

type serveMutant int

const (
	serveSound   serveMutant = iota
	lookBefore               // the inbox is looked at before serving is set
	knockBefore              // the knock comes before the push
	lossyKnock               // a knock that nobody waits for is lost
	onceAndSleep             // after a knock one letter is taken, and then it sleeps
)

func serveModel(m serveMutant) explore.Model[serveState] {
	return explore.Model[serveState]{
		Threads: []explore.Thread[serveState]{
			{Name: "waiter", Step: func(s *serveState) bool {
				pc := &s.waiter
				switch *pc {
				case 0:
					s.serving = m != lookBefore
					*pc = 1
				case 1: // look
					switch {
					case s.inbox > 0:
						s.inbox--
						s.took++
						if s.took == 2 {
							*pc = 9 // done
						} else if m == onceAndSleep {
							*pc = 2
						}
					default:
						*pc = 3
					}
				case 3:
					s.serving = true
					*pc = 2
				case 2:
					if !s.knock {
						return false
					}
					s.knock = false
					*pc = 1
				default:
					return false
				}
				return true
			}},
			{Name: "deliver", Step: func(s *serveState) bool {
				if s.who == 4 {
					return false
				}
				if (s.who%2 == 0) != (m == knockBefore) {
					s.inbox++
				} else if s.serving && (m != lossyKnock || s.waiter == 2) {
					s.knock = true
				}
				s.who++
				return true
			}},
		},
		Final: func(s serveState) error {
			if s.waiter != 9 {
				return fmt.Errorf("%d letters, %d taken, and the waiter sleeps", s.inbox, s.took)
			}
			return nil
		}}
}

func TestModelAWaitServesItsWorker(t *testing.T) {
	if _, err := explore.Run(serveModel(serveSound)); err != nil {
		t.Error(err)
	}
	for m, name := range map[serveMutant]string{
		lookBefore: "a look before serving", knockBefore: "a knock before the push", lossyKnock: "a lossy knock",
		onceAndSleep: "one letter for a knock",
	} {
		if _, err := explore.Run(serveModel(m)); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
