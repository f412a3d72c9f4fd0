package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// J6 as a model: a job is submitted twice. A goroutine waits for the job, and so may claim it and leave its entry. A
// worker takes entries, looks at their job (J2), runs the job or puts it back, and sleeps when it finds none (W2). A
// third one sifts.
type siftState struct {
	state   int8
	entries int8 // all of the one job
	sent    int8
	ran     int8
	owner   int8
	waits   int8 // what the waiter has claimed
	pc      [2]int8
	backs   int8 // how often RunUntil has put it back
	keeps   bool // what the sifter has seen
	sifted  int8
	idle    bool // the worker sleeps, or is about to
	token   bool // that ends its sleep
}

type siftMutant int

const (
	siftSound      siftMutant = iota
	siftLookFirst             // the sifter looks at the job, and then takes an entry out
	siftAll                   // it takes out what waits, too
	siftEntryFirst            // the submission makes the entry before the job waits
	siftTellsNone             // the sifter does not notify at the end
)

func siftModel(m siftMutant) explore.Model[siftState] {
	notify := func(s *siftState) {
		if s.idle {
			s.token = true
		}
	}
	const fresh, queued, looks, runs, finished, settles = 0, 1, 2, 3, 4, 5
	return explore.Model[siftState]{
		Threads: []explore.Thread[siftState]{
			{Name: "owner", Step: func(s *siftState) bool {
				switch s.owner % 3 {
				case 0:
					if s.sent == 2 || s.state != fresh && s.state != finished {
						return false
					}
					s.state = settles
					s.sent++
				case 1, 2:
					if (s.owner%3 == 1) != (m == siftEntryFirst) {
						s.state = queued
					} else {
						s.entries++
					}
					if s.owner%3 == 2 {
						notify(s)
					}
				}
				s.owner++
				return true
			}},
			{Name: "waiter", Step: func(s *siftState) bool {
				switch {
				case s.waits == 1:
					s.ran++
					s.state, s.waits = finished, 2
				case s.waits == 0 && s.state == queued:
					s.state, s.waits = runs, 1
				default:
					return false
				}
				return true
			}},
			{Name: "worker", Step: func(s *siftState) bool {
				pc := &s.pc[0]
				switch *pc {
				case 0:
					switch {
					case s.entries > 0:
						s.entries--
						s.idle, s.token = false, false
						*pc = 1
					case !s.idle:
						s.idle = true // and it looks once more (W2)
					default:
						*pc = 5
					}
				case 5: // asleep
					if !s.token {
						return false
					}
					s.idle, s.token = false, false
					*pc = 0
				case 1:
					*pc = 0
					if s.state == queued {
						s.state, *pc = looks, 2
					}
				case 2:
					*pc = 4
					if s.backs == 0 { // as RunUntil, for which it does not fit
						s.backs++
						s.state, *pc = queued, 3
					}
				case 3:
					s.entries++
					*pc = 0
				case 4:
					s.ran++
					s.state, *pc = finished, 0
				}
				return true
			}},
			{Name: "sifter", Step: func(s *siftState) bool {
				pc := &s.pc[1]
				take, look := int8(0), int8(1)
				if m == siftLookFirst {
					take, look = 1, 0
				}
				switch *pc {
				case take:
					if s.entries == 0 || s.sifted == 3 {
						return false
					}
					s.entries--
				case look:
					if m == siftLookFirst && s.sifted == 3 {
						return false
					}
					s.keeps = m != siftAll && (s.state == queued || s.state == looks)
				case 2:
					if s.keeps {
						s.entries++
						if m != siftTellsNone {
							notify(s)
						}
					}
					s.sifted++
					*pc = -1
				}
				*pc++
				return true
			}},
		},
		Final: func(s siftState) error {
			if s.sent != 2 || s.ran != 2 || s.state != finished {
				return fmt.Errorf("sent %d times, run %d times, it stands at %d", s.sent, s.ran, s.state)
			}
			return nil
		}}
}

func TestModelSiftingLosesNoJob(t *testing.T) {
	explore.Try(t, siftSound, explore.Span(siftLookFirst, siftTellsNone), siftModel)
}
