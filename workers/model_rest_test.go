package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Two submitters against two sleepers, each with a runner that rests (O1 to O3): no job is left while everybody sleeps,
// and no runner rings twice for one Set.
type restState struct {
	set    [2]bool
	token  [2]bool
	jobs   int8
	ran    int8
	rings  [2]int8
	sets   [2]int8
	submit [2]int8
	sleep  [2]int8
	found  [2]bool    // a sleeper's look has found a job
	seen   [2][2]bool // a submitter has found the runner set
}

type restMutant int

const (
	restSound        restMutant = iota
	restLookFirst               // the sleeper looks before it sets the runner
	restNoLook                  // it does not look
	restPushLast                // the submitter looks for runners before its job is visible
	restPlain                   // it rings without a compare-and-swap
	restNoRememberer            // a ring is lost if nobody sleeps yet
)

func restModel(m restMutant) explore.Model[restState] {
	ring := func(s *restState, i int) {
		s.rings[i]++
		if m != restNoRememberer || s.sleep[i] == 4 {
			s.token[i] = true
		}
	}
	var threads []explore.Thread[restState]
	for k := range 2 {
		threads = append(threads, explore.Thread[restState]{Name: fmt.Sprint("submitter", k),
			Step: func(s *restState) bool {
				pc := &s.submit[k]
				push, look := int8(0), int8(1)
				if m == restPushLast {
					push, look = 4, 0
				}
				switch {
				case *pc == push:
					s.jobs++
				case *pc >= 5:
					return false
				case *pc-look == 0 || *pc-look == 2:
					i := (*pc - look) / 2
					s.seen[k][i] = s.set[i]
				default:
					i := (*pc - look) / 2
					if s.seen[k][i] && (s.set[i] || m == restPlain) {
						s.set[i] = false
						ring(s, int(i))
					}
				}
				*pc++
				return true
			}})
	}
	for i := range 2 {
		threads = append(threads, explore.Thread[restState]{Name: fmt.Sprint("sleeper", i),
			Step: func(s *restState) bool {
				pc := &s.sleep[i]
				switch *pc {
				case 0: // RunUntil, one job at a time
					if s.jobs > 0 {
						s.jobs--
						s.ran++
						return true
					}
					if m == restLookFirst {
						s.found[i] = s.jobs > 0
					}
				case 1:
					s.set[i] = true
					s.sets[i]++
				case 2:
					if m != restLookFirst {
						s.found[i] = m != restNoLook && s.jobs > 0
					}
				case 3:
					if s.found[i] && s.set[i] {
						s.set[i] = false
						ring(s, i)
					}
				case 4:
					if !s.token[i] {
						return false
					}
					s.token[i] = false
				case 5:
					s.set[i] = false
					*pc = -1
				}
				*pc++
				return true
			}})
	}
	return explore.Model[restState]{Threads: threads,
		Invariant: func(s restState) error {
			for i := range 2 {
				if s.rings[i] > s.sets[i] {
					return fmt.Errorf("runner %d: %d rings, set %d times", i, s.rings[i], s.sets[i])
				}
			}
			return nil
		},
		Final: func(s restState) error {
			if s.jobs != 0 || s.ran != 2 {
				return fmt.Errorf("everybody sleeps, %d jobs wait, %d ran", s.jobs, s.ran)
			}
			return nil
		}}
}

func TestModelRestNobodySleepsOverAJob(t *testing.T) {
	explore.Try(t, restSound, explore.Span(restLookFirst, restNoRememberer), restModel)
}
