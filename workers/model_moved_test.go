package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// J4 as a model: a job that was Queued for A is canceled, or run, and submitted to B; the entry that A has of it may be
// there still. Each of the two takes its entries out one by one.
type movedState struct {
	state   int8
	home    int8       // for whom the job is Queued: 0 is A, 1 is B
	entries [2]int8    // in the queue of each
	ran     [2][2]int8 // in each life, by each
	owner   int8
	pc      [2]int8
}

// The mutants: the second submission makes the job Queued; who finds a job of others makes no entry of it, or makes the
// entry before the job is to be had again.
func movedModel(unmoved, noEntry, entryFirst bool) explore.Model[movedState] {
	const queued, again, looks, runs, finished, settles = 0, 1, 2, 3, 4, 5
	threads := []explore.Thread[movedState]{{Name: "owner", Step: func(s *movedState) bool {
		switch s.owner {
		case 0:
			if s.state != queued && s.state != finished {
				return false // it runs
			}
			s.state = finished // canceled, if it was not run
		case 1:
			s.state, s.home = settles, 1
		case 2:
			s.state = again
			if unmoved {
				s.state = queued
			}
		case 3:
			s.entries[1]++
		default:
			return false
		}
		s.owner++
		return true
	}}}
	for i := range int8(2) {
		const take, claim, look, decide, back, entry, run, end = 0, 1, 2, 3, 4, 5, 6, 7
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
					*pc = look
					if s.state == queued {
						s.state, *pc = runs, run
					}
				case look:
					*pc = take // the entry is stale, or in the hands of who makes another
					if s.state == again {
						s.state, *pc = looks, decide
					}
				case decide:
					switch {
					case s.home == i:
						s.state, *pc = runs, run
					case entryFirst:
						s.entries[s.home]++
						*pc = back
					default:
						*pc = back
					}
				case back:
					s.state, *pc = again, entry
				case entry:
					if !noEntry && !entryFirst {
						s.entries[s.home]++
					}
					*pc = take
				case run:
					s.ran[s.home][i]++
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
	if _, err := explore.Run(movedModel(false, false, false)); err != nil {
		t.Error(err)
	}
	for name, m := range map[string]explore.Model[movedState]{
		"a job that is Queued again for others":            movedModel(true, false, false),
		"a look at a job of others that leaves no entry":   movedModel(false, true, false),
		"an entry that is there before the job can be had": movedModel(false, false, true),
	} {
		if _, err := explore.Run(m); err == nil {
			t.Errorf("the explorer did not catch %s", name)
		}
	}
}
