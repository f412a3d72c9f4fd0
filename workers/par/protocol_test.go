package par_test

import (
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

func TestProtocol(t *testing.T) {
	explore.Programs(t, nil, slices.Concat(strandMutants(), graphMutants())...)
}

func strandMutants() []explore.Patch {
	const strand = "strand.go"
	return explore.By("TestExploreAStrandRunsOneFunctionAtATime",
		explore.Patch{Name: "ST1: a call of Go stores its turn", File: strand,
			Old: "if s.head.CompareAndSwap(old, t) { // ST1", New: "if s.head.Store(t); true {"},
		explore.Patch{Name: "ST1: two calls of Go begin", File: strand,
			Old: "if s.head.CompareAndSwap(nil, &held) { // ST1", New: "if s.head.Store(&held); true {"},
		explore.Patch{Name: "ST1: the turn is ended by a store", File: strand,
			Old: "if s.head.CompareAndSwap(&held, nil) {", New: "if s.head.Store(nil); true {"},
		explore.Patch{Name: "ST1: the list is taken by a load and a store", File: strand,
			Old: "		for t := s.head.Swap(&held); t",
			New: "		list := s.head.Load()\n		s.head.Store(&held)\n		for t := list; t"},
		explore.Patch{Name: "ST1: the list is not turned round", File: strand,
			Old: "			t.next, s.ready, t = s.ready, t, t.next\n",
			New: "			if s.ready == nil {\n				s.ready = t\n			}\n" +
				"			next := t.next\n			if next == &held {\n" +
				"				t.next = nil\n			}\n" +
				"			t = next\n"},
		explore.Patch{Name: "ST1: whoever takes the list gives the turn up", File: strand,
			Old: "s.head.Swap(&held)", New: "s.head.Swap(nil)"},
		explore.Patch{Name: "ST2: the pass comes before the function", File: strand,
			Old: "		s.pass(w)\n		if panicked != nil {\n" +
				"			w.Go(t.job.Priority, func() { panic(panicked) })\n		}\n	}()\n	t.f()\n",
			New: "		_ = panicked\n	}()\n	s.pass(w)\n	t.f()\n"},
		explore.Patch{Name: "ST2: now is stored after the submission", File: strand,
			Old: "	s.now = t // ST2\n	s.pool.Submit(&t.job)\n",
			New: "	s.pool.Submit(&t.job)\n	s.now = t\n"},
		explore.Patch{Name: "ST2: the pass stores now after the submission", File: strand,
			Old: "	s.now, s.ready, t.next = t, t.next, nil\n	w.Submit(&t.job) // ST2;",
			New: "	w.Submit(&t.job)\n	s.now, s.ready, t.next = t, t.next, nil //"},
		explore.Patch{Name: "ST2: a function that was passed the turn is also first in line", File: strand,
			Old: "s.now, s.ready, t.next = t, t.next, nil", New: "s.now, s.ready, t.next = t, t, nil"},
		explore.Patch{Name: "a holder that the pool does not take stays the holder", File: strand,
			Old: "		s.head.Store(nil)\n", New: ""},
	)
}

func graphMutants() []explore.Patch {
	const graph = "graph.go"
	return slices.Concat(explore.By("TestExploreANodeRunsOnceAfterItsPredecessors",
		explore.Patch{Name: "WG1: a second run begins with the numbers of the first", File: graph,
			Old: "		n.waits.Store(int32(n.before))\n",
			New: "		if n.waits.Load() == 0 {\n			n.waits.Add(int32(n.before))\n		}\n"},
		explore.Patch{Name: "WG1: all nodes are in the queue", File: graph,
			Old: "		if n.before == 0 {\n", New: "		if true {\n"},
		explore.Patch{Name: "WG2: a node that has failed lowers the numbers, too", File: graph,
			Old: "|| !n.call() {", New: "|| !n.call() && false {"},
		explore.Patch{Name: "WG2: a number is lowered by a load and a store", File: graph,
			Old: "		if s.waits.Add(-1) == 0 {",
			New: "		left := s.waits.Load() - 1\n		if s.waits.Store(left); left == 0 {"},
		explore.Patch{Name: "WG2: two put the same node into the queue", File: graph,
			Old: "if s.waits.Add(-1) == 0 {", New: "if s.waits.Add(-1); s.waits.Load() == 0 {"},
		explore.Patch{Name: "WG2: the numbers are lowered before the node runs", File: graph,
			Old: "	if g.halt.Load() || !n.call() {\n		return\n	}\n",
			New: "	if !g.halt.Load() {\n		defer n.call()\n	}\n"},
	), explore.By("TestExploreALongNodeKeepsNobodyBack",
		explore.Patch{Name: "WG3: a goroutine takes a piece off open before it adds itself", File: graph,
			Old: "	g.within.Add(1) // WG3\n	g.open.Add(int64(lo - hi))\n",
			New: "	g.open.Add(int64(lo - hi))\n	g.within.Add(1)\n"},
		explore.Patch{Name: "WG3: a goroutine ends the loop though others may join", File: graph,
			Old: "if g.open.Load() <= 0 && g.ready", New: "if g.ready"},
		explore.Patch{Name: "WG3: a goroutine ends the loop though it is not alone", File: graph,
			Old: "g.within.CompareAndSwap(1, loopEnded)", New: "g.within.Swap(loopEnded) > 0"},
	), explore.By("TestExploreAHelperThatHasLeftComesBack",
		explore.Patch{Name: "WG3: a goroutine does not take its pieces off open", File: graph,
			Old: "	g.open.Add(int64(lo - hi))\n", New: ""},
		explore.Patch{Name: "WG4: a goroutine looks whether it is alone, and then ends the loop", File: graph,
			Old: "g.within.CompareAndSwap(1, loopEnded) {",
			New: "g.within.Load() == 1 {\n			g.within.Store(loopEnded)"},
		explore.Patch{Name: "WG4: a goroutine that is alone continues", File: graph,
			Old: "g.within.CompareAndSwap(1, loopEnded) {", New: "false {"},
		explore.Patch{Name: "WG4: a goroutine that leaves does not look again", File: graph,
			Old: "!g.ready.Filled() ||", New: "true ||"},
		explore.Patch{Name: "WG4: a goroutine looks again before it takes itself off", File: graph,
			Old: "if g.within.Add(-1); !g.ready.Filled() || g",
			New: "filled := g.ready.Filled()\n			if g.within.Add(-1); !filled || g"},
		explore.Patch{Name: "WG4: a goroutine comes back into a loop that has been ended", File: graph,
			Old: "|| g.within.Add(1) < 0 {", New: "|| g.within.Add(1) == 1<<30 {"},
		explore.Patch{Name: "WG4: the next loop has been ended already", File: graph,
			Old: "			g.within.Store(0)\n", New: ""}))
}
