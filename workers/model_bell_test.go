package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Two submitters against two sleepers with a bell each (O1 to O3): no job is left while everybody sleeps, and no bell
// rings twice for one Set.
type bellState struct {
	set    [2]bool
	token  [2]bool
	jobs   int8
	ran    int8
	rings  [2]int8
	sets   [2]int8
	submit [2]int8
	sleep  [2]int8
	found  [2]bool    // a sleeper's look has found a job
	seen   [2][2]bool // a submitter has found the bell set
}

type bellMutant int

const (
	bellSound        bellMutant = iota
	bellLookFirst               // the sleeper looks before it sets the bell
	bellNoLook                  // it does not look
	bellPushLast                // the submitter looks for bells before its job is visible
	bellPlain                   // it rings without a compare-and-swap
	bellNoRememberer            // a ring is lost if nobody sleeps yet
)

func bellModel(m bellMutant) explore.Model[bellState] {
	ring := func(s *bellState, i int) {
		s.rings[i]++
		if m != bellNoRememberer || s.sleep[i] == 4 {
			s.token[i] = true
		}
	}
	var threads []explore.Thread[bellState]
	for k := range 2 {
		threads = append(threads, explore.Thread[bellState]{Name: fmt.Sprint("submitter", k),
			Step: func(s *bellState) bool {
				pc := &s.submit[k]
				push, look := int8(0), int8(1)
				if m == bellPushLast {
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
					if s.seen[k][i] && (s.set[i] || m == bellPlain) {
						s.set[i] = false
						ring(s, int(i))
					}
				}
				*pc++
				return true
			}})
	}
	for i := range 2 {
		threads = append(threads, explore.Thread[bellState]{Name: fmt.Sprint("sleeper", i),
			Step: func(s *bellState) bool {
				pc := &s.sleep[i]
				switch *pc {
				case 0: // RunUntil, one job at a time
					if s.jobs > 0 {
						s.jobs--
						s.ran++
						return true
					}
					if m == bellLookFirst {
						s.found[i] = s.jobs > 0
					}
				case 1:
					s.set[i] = true
					s.sets[i]++
				case 2:
					if m != bellLookFirst {
						s.found[i] = m != bellNoLook && s.jobs > 0
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
	return explore.Model[bellState]{Threads: threads,
		Invariant: func(s bellState) error {
			for i := range 2 {
				if s.rings[i] > s.sets[i] {
					return fmt.Errorf("bell %d: %d rings, set %d times", i, s.rings[i], s.sets[i])
				}
			}
			return nil
		},
		Final: func(s bellState) error {
			if s.jobs != 0 || s.ran != 2 {
				return fmt.Errorf("everybody sleeps, %d jobs wait, %d ran", s.jobs, s.ran)
			}
			return nil
		}}
}

func TestModelNobodySleepsOverAJob(t *testing.T) {
	if stats, err := explore.Run(bellModel(bellSound)); err != nil {
		t.Error(err)
	} else {
		t.Logf("%+v", stats)
	}
	for m, name := range map[bellMutant]string{
		bellLookFirst: "the sleeper looks first", bellNoLook: "the sleeper does not look",
		bellPushLast: "the submitter looks first", bellPlain: "a ring without a swap",
		bellNoRememberer: "a ring that nobody remembers",
	} {
		if _, err := explore.Run(bellModel(m)); err == nil {
			t.Errorf("the explorer did not catch: %s", name)
		}
	}
}
