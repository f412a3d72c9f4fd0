package workers

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const state, tell = "job_state.go", "job_tell.go"
	explore.Programs(t, nil, append(poolMutants(),
		explore.Patch{Name: "J1: the waiters are taken before the state is stored", File: tell,
			Old: "	j.set(finished)\n	// Either",
			New: "	j.wake()\n	j.set(finished)\n	if true {\n		return\n	}\n	// Either"},
		explore.Patch{Name: "J1, J7: a waiter does not look at the state when it has enlisted", File: tell,
			Old: "	if j.at() == finished {\n		j.wake()\n	}", New: ""},
		explore.Patch{Name: "J1: two take the same waiters", File: tell,
			Old: "for w := j.waiters.Swap(nil); w != nil; {",
			New: "taken := j.waiters.Load()\n	j.waiters.Store(nil)\n	for w := taken; w != nil; {"},
		explore.Patch{Name: "J4: an entry's claim names no class", File: state,
			Old: "CompareAndSwap(c.queuedFor(), uintptr(active))",
			New: "CompareAndSwap(j.state.Load(), uintptr(active))"},
		explore.Patch{Name: "J7: runs are not counted", File: state,
			Old: "		j.countRun()\n", New: ""},
		explore.Patch{Name: "J7: a run is counted when the job is not finished any more", File: state,
			Old: "	if s == finished {\n		j.countRun()\n	}\n",
			New: "	if s == finished {\n		j.set(settling)\n		j.countRun()\n		j.set(s)\n	}\n"},
		explore.Patch{Name: "J7: the first run is counted, too", File: state,
			Old: "	if s == finished {\n		j.countRun()", New: "	if true {\n		j.countRun()"},
		explore.Patch{Name: "J7: a notice that is called does not compare the numbers", File: tell,
			Old: "if w.job != nil && w.job.at() != finished && w.job.run.Load() == w.run {", New: "if false {"},
		explore.Patch{Name: "J7: a notice that is called for nothing does not enlist again", File: tell,
			Old: "		w.enlistNotice()\n		return\n	}\n	w.f()", New: "		return\n	}\n	w.f()"},
		explore.Patch{Name: "J7: a notice that has enlisted does not look at the number again", File: tell,
			Old: "	if j.run.Load() != run {\n		j.wake()\n	}", New: "	_ = run"},
	)...)
}
