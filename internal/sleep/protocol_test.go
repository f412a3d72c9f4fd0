package sleep_test

import (
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	const set, sleeper, caller = "set.go", "sleeper.go", "protocol_explore_test.go"
	const step1, step2, step3 = "		s.searching.Add(-1) // step 1\n",
		"		x.epoch.Add(1)\n		s.idle.Or(x.bit) // step 2\n", "		if w.Search() {  // step 3\n"
	explore.Programs(t, nil,
		explore.Patch{Name: "W1: the caller notifies before it makes work visible", File: caller,
			Old: "	c.visible.Add(n)\n	c.set.Notify()\n", New: "	c.set.Notify()\n	c.visible.Add(n)\n"},
		explore.Patch{Name: "W1: a mark counts for all sleeps", File: set,
			Old: "x.posted.Load() != epoch {", New: "x.posted.Load() == 0 {"},
		explore.Patch{Name: "W2: no last look", File: sleeper, Old: step3, New: "		if false {\n"},
		explore.Patch{Name: "W2: the last look comes before idle", File: sleeper,
			Old: step2 + step3, New: "		found := w.Search()\n" + step2 + "		if found {\n"},
		explore.Patch{Name: "W2: a worker counts as a searcher until its last look is over", File: sleeper,
			Old: step1 + step2 + step3, New: step2 + "		found := w.Search()\n" + step1 + "		if found {\n"},
		explore.Patch{Name: "W2: a worker that was woken stays in idle", File: sleeper,
			Old: "	x.set.idle.And(^x.bit)\n", New: ""},
		explore.Patch{Name: "W3: the last searcher wakes nobody", File: sleeper,
			Old: "n := x.worker.More(2)", New: "n := 0"},
		explore.Patch{Name: "W3: a searcher passes its duty on before it leaves", File: sleeper,
			Old: "	if s.searching.Add(-1) == 0 && s.idle.Load() != 0 {\n		if n := x.worker.More(2); n > 0 {",
			New: "	more := x.worker.More(2)\n" +
				"	if s.searching.Add(-1) == 0 && s.idle.Load() != 0 {\n		if n := more; n > 0 {"},
		explore.Patch{Name: "W3: a worker that leaves for good passes nothing on", File: sleeper,
			Old: "w.More(1) > 0", New: "false"},
		explore.Patch{Name: "W5: the mark comes before the post", File: set,
			Old: "			s.woken.Add(1)\n", New: "			x.posted.Store(epoch)\n"},
		explore.Patch{Name: "the mark is the epoch after the post", File: set,
			Old: "x.posted.Store(epoch)", New: "x.posted.Store(x.epoch.Load())"},
		explore.Patch{Name: "M1: nobody hears of what a worker publishes", File: caller,
			Old: "m.publish(m.hidden)", New: "m.visible.Add(m.hidden)"},
		explore.Patch{Name: "M1: the rest is published after the job", File: caller,
			Old: "m.publish(m.hidden) // before", New: "defer m.publish(m.hidden) // not before"},
	)
}
