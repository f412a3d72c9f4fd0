package workers

import "github.com/frameslice/frameslice/internal/explore"

func futureMutants() []explore.Patch {
	const future, job, wait = "future.go", "job.go", "job_wait.go"
	return explore.By("TestExploreALinkEndsOnce",
		explore.Patch{Name: "J3: follow is a load and a store", File: future,
			Old: "	if src == nil || !j.leaveApart(looking) {\n		return\n	}\n",
			New: "	if src == nil || j.at() != apart {\n		return\n	}\n	j.set(looking)\n"},
		explore.Patch{Name: "J3: Cancel is a load and a store", File: job,
			Old: "			if j.leaveApart(settling) {\n", New: "			if j.set(settling); true {\n"},
		explore.Patch{Name: "J3: a link is visible before it is queued", File: future,
			Old: "	j.enqueue()\n	l.inject(jobItem(j), low)\n",
			New: "	l.inject(jobItem(j), low)\n	j.enqueue()\n"},
		explore.Patch{Name: "J3: nobody is woken when a link is queued", File: future,
			Old: "	j.latch.Wake()\n", New: ""},
		explore.Patch{Name: "J3: Then does not look at the source when it has added its waiter", File: future,
			Old: "	f.ctx.job.addWaiter(&k.waiter)\n",
			New: "	for w := &k.waiter; ; {\n		w.next = f.ctx.job.waiters.Load()\n" +
				"		if f.ctx.job.waiters.CompareAndSwap(w.next, w) {\n			break\n		}\n	}\n"},
		explore.Patch{Name: "J3: a wait is over when the source has ended", File: wait,
			Old: "				v = latch.MustSleep\n", New: ""},
		explore.Patch{Name: "J3: a wait does not run the source", File: wait,
			Old: "if src := k.source(); src != nil {", New: "if src := k.source(); false {"})
}

func contextMutants() []explore.Patch {
	const context = "job_context.go"
	return explore.By("TestExploreEveryContextEnds",
		explore.Patch{Name: "JC1: live is set twice", File: context,
			Old: "if !c.live.CompareAndSwap(nil, l) {", New: "if c.live.Store(l); false {"},
		explore.Patch{Name: "JC1: a context that was made in vain keeps its place", File: context,
			Old: "			of.asked.Add(-1)\n			l.cancel(nil)\n			l =", New: "			l ="},
		explore.Patch{Name: "JC1: Done returns a context that was made in vain", File: context,
			Old: "			l = c.live.Load()\n", New: ""},
		explore.Patch{Name: "JC2: a cancellation does not look at live", File: context,
			Old: "if l := c.live.Load(); l.Err() == nil {", New: "if l := c.live.Load(); l == nil {"},
		explore.Patch{Name: "JC2: the end of the job does not look at live", File: context,
			Old: "if l := c.live.Load(); l != of.canceled {", New: "if l := c.live.Load(); l == nil {"},
		explore.Patch{Name: "JC2: the end of the job looks at live before it tries to set it", File: context,
			Old: "	if c.live.CompareAndSwap(nil, of.over) {\n		return\n	}\n" +
				"	if l := c.live.Load(); l != of.canceled {",
			New: "	l := c.live.Load()\n	if c.live.CompareAndSwap(nil, of.over) || l == nil {\n" +
				"		return\n	}\n	if l != of.canceled {"},
		explore.Patch{Name: "JC3: Err goes by the pool's life", File: context,
			Old: "	if l := c.live.Load(); l != nil {\n		return l\n	}\n", New: ""})
}

func groupMutants() []explore.Patch {
	const group = "group.go"
	return append(explore.By("TestExploreAGroupEndsWithItsLastFunction",
		explore.Patch{Name: "WS1: a function is counted when it is visible already", File: group,
			Old: "	if g.left.Add(1) <= 0 { // WS1\n		g.left.Add(-1)\n" +
				"		panic(\"workers: Go on a Group that has ended\")\n	}\n",
			New: "	defer g.left.Add(1)\n"},
		explore.Patch{Name: "WS1: the count is lowered before the function spawns", File: group,
			Old: "{ j.err = j.f(j.group.ctx) }",
			New: "{\n	j.group.left.Add(-1)\n	j.err = j.f(j.group.ctx)\n	j.group.left.Add(1)\n}"},
		explore.Patch{Name: "WS2: the sleeper is woken before the count is lowered", File: group,
			Old: "	if g.left.Add(-1) == 0 {\n		g.latch.Wake() // WS2\n	}\n",
			New: "	g.latch.Wake()\n	g.left.Add(-1)\n"},
		explore.Patch{Name: "WS2: nobody is woken at the end", File: group,
			Old: "	if g.left.Add(-1) == 0 {\n", New: "	if g.left.Add(-1); false {\n"},
		explore.Patch{Name: "WS2: nobody is woken for a function that was spawned", File: group,
			Old: "	g.latch.Wake() // WS2\n}\n\n// Wait runs", New: "}\n\n// Wait runs"},
		explore.Patch{Name: "WS2: the sleeper is woken before the function is in the stack", File: group,
			Old: "	for {\n		j.next = g.stack.Load()\n		if g.stack.CompareAndSwap(j.next, j) {\n" +
				"			break\n		}\n	}\n",
			New: "	g.latch.Wake()\n	defer func() {\n		for {\n" +
				"			j.next = g.stack.Load()\n			if g.stack.CompareAndSwap(j.next, j) {\n" +
				"				break\n			}\n		}\n	}()\n"},
		explore.Patch{Name: "the stack is taken by a load and a store", File: group,
			Old: "for j := g.stack.Swap(nil); j != nil; j = j.next {",
			New: "list := g.stack.Load()\n		g.stack.Store(nil)\n" +
				"		for j := list; j != nil; j = j.next {"},
		explore.Patch{Name: "Wait runs what a worker has begun", File: group,
			Old: "if !j.claimOrSee() {", New: "if false {"},
		explore.Patch{Name: "J2: Wait passes over what RunUntil looks at", File: group,
			Old: "s != queued && s != looking", New: "s != queued"},
	), explore.By("TestExploreALateGoIsWaitedForOrPanics",
		explore.Patch{Name: "WS3: the end is a load and a store", File: group,
			Old: "	case !g.left.CompareAndSwap(0, groupEnded): // WS3\n" +
				"		return latch.MustSleep, park.Event{}\n	}\n",
			New: "	case g.left.Load() != 0:\n		return latch.MustSleep, park.Event{}\n	}\n" +
				"	g.left.Store(groupEnded)\n"},
		explore.Patch{Name: "WS3: Go does not see the end", File: group,
			Old: "if g.left.Add(1) <= 0 {", New: "if g.left.Add(1) == 0 {"})...)
}

func ioMutants() []explore.Patch {
	const io = "io.go"
	return explore.By("TestExploreNoFunctionWaitsBesideAPlace",
		explore.Patch{Name: "IO1: a place is taken that another goroutine has taken", File: io,
			Old: "		if !s.places.CompareAndSwap(n, n+1) { // IO1\n			continue\n		}\n",
			New: "		s.places.Add(1)\n"},
		explore.Patch{Name: "IO1: a place is not handed on", File: io,
			Old: "	if j := s.nextIO(); j != nil {\n		s.begin(j)\n		return\n	}\n	s.places",
			New: "	s.places"},
		explore.Patch{Name: "IO2: a submission does not read pushed again", File: io,
			Old: "		if s.pushed.Load() == seen { // IO2\n", New: "		if seen > 0 {\n"},
		explore.Patch{Name: "IO2: nor does the end of a function", File: io,
			Old: "	if s.pushed.Load() != seen { // IO2\n", New: "	if seen == 0 {\n"},
		explore.Patch{Name: "IO2: the end of a function reads pushed after it has looked for a job", File: io,
			Old: "	s.places.Add(-1)\n	if s.pushed",
			New: "	s.places.Add(-1)\n	if seen = s.pushed.Load(); s.pushed"},
		explore.Patch{Name: "IO2: a submission counts its job before it pushes it", File: io,
			Old: "	s.queue.Push(j)\n	s.pushed.Add(1)\n", New: "	s.pushed.Add(1)\n	s.queue.Push(j)\n"},
		explore.Patch{Name: "IO2: a submission begins one function at most", File: io,
			Old: "			s.begin(j)\n			continue\n", New: "			s.begin(j)\n			return\n"},
		explore.Patch{Name: "IO3: who takes a job out of the queue begins it, though it was canceled", File: io,
			Old: "		if !j.leaveApart(active) {\n			continue // IO3",
			New: "		if j.leaveApart(active); false {\n			continue // IO3"},
		explore.Patch{Name: "IO3: a job leaves the state apart by a load and a store", File: "job_state.go",
			Old: "	if !j.move(apart, to) {\n		return false\n	}\n",
			New: "	if j.at() != apart {\n		return false\n	}\n	j.set(to)\n"},
		explore.Patch{Name: "IO4: a place is not counted", File: io,
			Old: "		p.callerEnters() // IO4\n", New: ""},
		explore.Patch{Name: "IO5: a submission does not look whether the pool is gone", File: io,
			Old: "	if p.state.Load() == gone { // IO5\n", New: "	if false {\n"})
}

func endMutants() []explore.Patch {
	const quiet, batch = "quiet.go", "find_batch.go"
	return append(explore.By("TestExploreQuietMeansQuiet",
		explore.Patch{Name: "C2: the count is compared without its generation", File: quiet,
			Old: "return q.activity.Load() == before",
			New: "return uint32(q.activity.Load()) == uint32(before)"},
		explore.Patch{Name: "C2: the count is read once", File: quiet,
			Old: "return q.activity.Load() == before", New: "return true"},
		explore.Patch{Name: "C2: a closer does not look into the queues", File: quiet,
			Old: " || q.anyQueued() {", New: " {"},
	), explore.By("TestExploreABatchIsSweptOnce",
		explore.Patch{Name: "M4: who publishes a batch does not look whether the pool is gone", File: batch,
			Old: "		l.quiet.afterPush()\n	}\n	return it, ok\n",
			New: "	}\n	return it, ok\n"},
		explore.Patch{Name: "M4: who publishes a batch looks before", File: batch,
			Old: "		b.Publish()\n		f.class.wakeForWork()\n		l.quiet.afterPush()\n",
			New: "		l.quiet.afterPush()\n		b.Publish()\n		f.class.wakeForWork()\n"})...)
}
