package workers

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// J7 as a model: a job that is submitted again each time that it has finished, the ends of its runs, which look at
// the waiters late, one who calls Notify at any moment, and another whose Notify may be the first. The last run never
// ends, so that whoever is left to it is seen.
type runNoticeState struct {
	busy    bool // neither fresh nor finished
	begun   int8 // runs that have been submitted
	over    int8 // runs that have stored Finished
	queued  int8 // runs that may end
	number  int8 // Job.run
	counted int8 // the owner has read
	inList  bool
	n       int8 // waiter.run of the notice
	due     int8 // the run whose end the caller of Notify may ask for, 0 if the job had finished
	last    int8 // the runs submitted when Notify returned
	calls   int8
	early   bool

	owner    int8
	ends     [3]int8
	notifier int8
}

type runNoticeMutant int

const (
	runNoticeSound runNoticeMutant = iota
	uncounted                      // runs are not counted
	countedLate                    // they are, but when the job is not Finished any more
	countedFirst                   // the first one, too, of which a Notify before it cannot know
	unnumbered                     // a notice that is called does not compare the numbers
	dropped                        // a notice that is called for nothing does not enlist itself again
	unlooked                       // it does not look at the state after it has
	comparedOnce                   // nor at the number
)

const runNoticeRuns = 3

func (s *runNoticeState) finished() bool { return s.over > 0 && !s.busy }

// Where somebody is in wake, call and enlistNotice; what comes before and after differs.
const (
	runTake = 10 + iota
	runLookAgain
	runCompare
	runEnlist
	runLook
	runNumber
	runCall
	runDone
)

func (s *runNoticeState) wake(pc *int8, m runNoticeMutant) bool {
	switch *pc {
	case runTake:
		*pc = runDone
		if s.inList {
			s.inList = false
			*pc = runLookAgain
		}
	case runLookAgain:
		*pc = runCompare
		if s.finished() || m == unnumbered {
			*pc = runCall
		}
	case runCompare:
		switch {
		case s.number != s.n:
			*pc = runCall
		case m == dropped:
			*pc = runDone
		default:
			*pc = runEnlist
		}
	case runEnlist:
		s.inList = true
		*pc = runLook
		if m == unlooked {
			*pc = runDone
		}
	case runLook:
		*pc = runNumber
		if s.finished() {
			*pc = runTake
		}
		if m == comparedOnce {
			*pc = runDone
		}
	case runNumber:
		*pc = runDone
		if s.number != s.n {
			*pc = runTake
		}
	case runCall:
		s.calls++
		s.early = s.early || s.over < s.due
		*pc = runDone
	default:
		return false
	}
	return true
}

func (s *runNoticeState) end(run int8, m runNoticeMutant) bool {
	switch pc := &s.ends[run]; *pc {
	case 0:
		if s.queued <= run || run == runNoticeRuns-1 {
			return false
		}
		s.busy, s.over = false, run+1
		*pc = 1
	case 1:
		*pc = runDone
		if s.inList {
			*pc = runTake
		}
	default:
		return s.wake(pc, m)
	}
	return true
}

func (s *runNoticeState) submit(m runNoticeMutant) bool {
	const read, count, settle, queue = 0, 1, 2, 3
	switch s.owner {
	case read:
		if s.busy || s.begun == runNoticeRuns {
			return false
		}
		s.begun++
		s.counted = s.number
		if m == uncounted || s.begun == 1 && m != countedFirst {
			s.counted = 0
		}
		if m == countedLate {
			s.busy = true
		}
	case count:
		if s.counted != 0 {
			s.number = s.counted + 1
		}
	case settle:
		s.busy = true
	case queue:
		s.queued = s.begun
	}
	s.owner = (s.owner + 1) % 4
	return true
}

func (s *runNoticeState) notify(m runNoticeMutant) bool {
	const number, first, again, state = 0, 1, 2, 3
	pc := &s.notifier
	switch *pc {
	case number:
		s.due = 1
		if s.begun > 0 {
			s.due = s.queued // Submit has returned, or the one before
		}
		if s.over >= s.queued && s.over > 0 {
			s.due = 0 // finished, or it is being submitted meanwhile
		}
		s.n = s.number
		*pc = state
		if s.n == 0 {
			*pc = first
		}
	case first:
		if s.number == 0 {
			s.number = 1
		}
		*pc = again
	case again:
		s.n = s.number
		*pc = state
	case state:
		*pc = runEnlist
		if s.finished() {
			*pc = runCall
		}
	default:
		if !s.wake(pc, m) {
			return false
		}
	}
	if *pc == runDone {
		s.last = s.begun
	}
	return true
}

func runNoticeModel(m runNoticeMutant) explore.Model[runNoticeState] {
	threads := []explore.Thread[runNoticeState]{
		{Name: "owner", Step: func(s *runNoticeState) bool { return s.submit(m) }},
		{Name: "notify", Step: func(s *runNoticeState) bool { return s.notify(m) }},
		{Name: "another", Step: func(s *runNoticeState) bool {
			first := s.number == 0
			s.number = max(s.number, 1)
			return first
		}},
	}
	for run := range int8(runNoticeRuns) {
		threads = append(threads, explore.Thread[runNoticeState]{
			Name: "end",
			Step: func(s *runNoticeState) bool { return s.end(run, m) },
		})
	}
	return explore.Model[runNoticeState]{
		Threads: threads,
		Invariant: func(s runNoticeState) error {
			if s.early {
				return errors.New("called before the end of the run that was under way")
			}
			if s.calls > 1 {
				return errors.New("called twice")
			}
			return nil
		},
		Final: func(s runNoticeState) error {
			if s.calls == 0 && s.last < runNoticeRuns {
				return errors.New("left to a later run")
			}
			return nil
		},
	}
}

func TestModelANoticeIsOfItsRun(t *testing.T) {
	explore.Try(t, runNoticeSound, explore.Span(uncounted, comparedOnce), runNoticeModel)
}
