package workers

import (
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	short := []explore.Patch{
		{File: "tuning.go", Old: "const joinSpins = 100", New: "const joinSpins = 0"},
		// A goroutine that the program does not have would end the context at any time.
		{File: "job_context.go", Old: "go l.cancel(ErrCanceled)", New: "l.cancel(ErrCanceled)"},
	}
	explore.Programs(t, short, slices.Concat(
		poolMutants(), jobMutants(), futureMutants(), contextMutants(), groupMutants(),
		ioMutants(), endMutants(), workerMutants())...)
}

func jobMutants() []explore.Patch {
	const state, tell = "job_state.go", "job_tell.go"
	return slices.Concat(
		explore.By("TestExploreEveryWaiterIsCalledOnce",
			explore.Patch{Name: "J1: the waiters are taken before the state is stored", File: tell,
				Old: "	j.set(finished)\n	// Either",
				New: "	j.wake()\n	j.set(finished)\n	if true {\n		return\n	}\n	// Either"},
			explore.Patch{Name: "J1, J7: a waiter does not look at the state when it has been added", File: tell,
				Old: "	if j.at() == finished {\n		j.wake()\n	}", New: ""},
			explore.Patch{Name: "J1: two take the same waiters", File: tell,
				Old: "for w := j.waiters.Swap(nil); w != nil; {",
				New: "taken := j.waiters.Load()\n	j.waiters.Store(nil)\n	for w := taken; w != nil; {"}),
		explore.By("TestExploreALookDelaysNobodyForEver",
			explore.Patch{Name: "J2: a look is a claim that is taken back", File: state,
				Old: "CompareAndSwap(c.queuedFor(), uintptr(looking))",
				New: "CompareAndSwap(c.queuedFor(), uintptr(active))"},
			explore.Patch{Name: "J2: Cancel takes a look for a run", File: "job.go",
				Old: "		case looking:\n			atomic.Gosched()\n", New: ""},
			explore.Patch{Name: "J2: a waiter that finds a look sleeps", File: "job_wait.go",
				Old: "		atomic.Gosched()\n		return latch.LookAgain, park.Event{}",
				New: "		atomic.Gosched()\n		return latch.MustSleep, park.Event{}"},
			explore.Patch{Name: "J2: a waiter whose claim fails sleeps", File: "caller_here.go",
				Old: "	if !j.claim() {\n		return true", New: "	if !j.claim() {\n		return false"},
			explore.Patch{Name: "J2: the entry is visible before the job is queued", File: "find_lane.go",
				Old: "		it.job().unlook(false) ", New: "		defer it.job().unlook(false) "}),
		explore.By("TestExploreAJobIsRunByWhomItWasSubmittedTo",
			explore.Patch{Name: "J4: an entry's claim names no class", File: state,
				Old: "CompareAndSwap(c.queuedFor(), uintptr(active))",
				New: "CompareAndSwap(j.state.Load(), uintptr(active))"}),
		explore.By("TestExploreANoticeIsOfItsRun",
			explore.Patch{Name: "J7: runs are not counted", File: state,
				Old: "		j.countRun()\n", New: ""},
			explore.Patch{Name: "J7: a run is counted when the job is not finished any more", File: state,
				Old: "	if s == finished {\n		j.countRun()\n	}\n",
				New: "	if s == finished {\n		j.set(settling)\n" +
					"		j.countRun()\n		j.set(s)\n	}\n"},
			explore.Patch{Name: "J7: the first run is counted, too", File: state,
				Old: "	if s == finished {\n		j.countRun()", New: "	if true {\n		j.countRun()"},
			explore.Patch{Name: "J7: a notice that is called does not compare the numbers", File: tell,
				Old: "if w.job != nil && w.job.at() != finished && w.job.run.Load() == w.run {",
				New: "if false {"},
			explore.Patch{Name: "J7: a notice that is called for nothing is not added again", File: tell,
				Old: "		w.addNotice()\n		return\n	}\n	w.f()",
				New: "		return\n	}\n	w.f()"},
			explore.Patch{Name: "J7: a notice that has been added does not look at the number again", File: tell,
				Old: "	if j.run.Load() != run {\n		j.wake()\n	}", New: "	_ = run"}))
}
