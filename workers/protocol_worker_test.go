package workers

import (
	"slices"

	"github.com/frameslice/frameslice/internal/explore"
)

// workerMutants are those of the protocols of a worker: its class, its forks, its lanes, its thread and its end.
func workerMutants() []explore.Patch {
	return slices.Concat(forkMutants(), classMutants(), capMutants(), waitMutants(), lowMutants(), siftMutants(),
		outMutants())
}

func forkMutants() []explore.Patch {
	const fork, wake = "fork.go", "wake.go"
	return explore.By("TestExploreJoinersWakeForForks",
		explore.Patch{Name: "F1: a joiner says that it sleeps when it has looked again", File: fork,
			Old: "	c.joining.Or(bit)                  // F1\n	if fork, ok = w.robThief(j); !ok {\n",
			New: "	if fork, ok = w.robThief(j); !ok {\n		c.joining.Or(bit)\n"},
		explore.Patch{Name: "F1: a joiner does not look again at the thief's forks", File: fork,
			Old: "if fork, ok = w.robThief(j); !ok {\n		w.sleeper", New: "if true {\n		w.sleeper"},
		explore.Patch{Name: "F1: a joiner says over whose fork it sleeps when it has looked again", File: fork,
			Old: "	w.awaits.Store(j.thief.Load() - 1) // unknownThief, if no thief has stored its index yet\n" +
				"	c.joining.Or(bit)                  // F1\n	if fork, ok = w.robThief(j); !ok {\n",
			New: "	known := j.thief.Load() - 1\n	c.joining.Or(bit)\n" +
				"	if fork, ok = w.robThief(j); !ok {\n		w.awaits.Store(known)\n"},
		explore.Patch{Name: "F2: a thief looks for joiners before its forks are shared", File: fork,
			Old: "	w.forks.PublishHalf()\n	c.wakeForForks(w.index) // F2\n",
			New: "	c.wakeForForks(w.index)\n	w.forks.PublishHalf()\n"},
		explore.Patch{Name: "F2: a joiner is taken out of joining and not woken", File: wake,
			Old: "			c.post(w)\n", New: ""},
		explore.Patch{Name: "F2: a joiner is not woken that does not know its thief", File: wake,
			Old: "(at == thief || at == unknownThief)", New: "at == thief"},
		explore.Patch{Name: "F3: a joiner adds one waiter", File: fork,
			Old: "if rung == nil || rung.Load() {", New: "if rung == nil {"},
		explore.Patch{Name: "F3: a waiter says that it has been called when it has posted", File: fork,
			Old: "		rung.Store(true) // before the worker can look\n		w.class.wakeJoiner(w)\n",
			New: "		w.class.wakeJoiner(w)\n		rung.Store(true)\n"},
		explore.Patch{Name: "F3: a joiner does not look at its fork when it has added its waiter", File: "job_tell.go",
			Old: "	if j.at() == finished {\n		j.wake()\n	}", New: ""},
		explore.Patch{Name: "F4: a thief does not say that it has the fork", File: "find_steal.go",
			Old: "	f.w.stole(j)\n", New: ""})
}

func classMutants() []explore.Patch {
	const class, worker = "class.go", "worker_main.go"
	return slices.Concat(explore.By("TestExploreNobodySleepsOverWhatNobodyBegins",
		explore.Patch{Name: "E2: the event does not come", File: class,
			Old: "c.unstaffed.Swap(new(park.NewEvent())).Set()", New: "c.unstaffed.Swap(new(park.NewEvent()))"},
		explore.Patch{Name: "E2: the event comes before want is zero", File: class,
			Old: "	if before := c.want.Swap(int32(n)); before",
			New: "	defer c.want.Store(int32(n))\n	if before := c.want.Load(); before"},
		explore.Patch{Name: "E2: a goroutine takes the event when it has found want not zero", File: "job_wait.go",
			Old: "		unstaffed = j.lane().class.whenUnstaffed()\n		ran = j.pool.runHere(ctx, j)\n",
			New: "		ran = j.pool.runHere(ctx, j)\n		unstaffed = j.lane().class.whenUnstaffed()\n"},
		explore.Patch{Name: "E2: a goroutine that sleeps does not wait for the event", File: "job_wait.go",
			Old: "	return latch.MustSleep, unstaffed\n",
			New: "	_ = unstaffed\n	return latch.MustSleep, park.Event{}\n"},
	), explore.By("TestExploreLeavingWorkersLeaveNothing",
		explore.Patch{Name: "E3: a worker leaves without a look", File: class,
			Old: "	if n > 0 && (w.ledger", New: "	if false && (w.ledger"},
		explore.Patch{Name: "E3: a worker that has left does not wake those that have stayed", File: worker,
			Old: "		w.class.wakeAll()\n", New: ""},
		explore.Patch{Name: "E3: only the first worker stays", File: class,
			Old: "	if n > 0 && (w.ledger", New: "	if n > 0 && w.index == 0 && (w.ledger"},
		explore.Patch{Name: "E3: a worker looks at what is visible, and then at want", File: worker,
			Old: "	if w.isUnwanted() && w.retire() {\n",
			New: "	w.publishOwn()\n	if n := w.class.visible(1); w.isUnwanted() && (n == 0 || w.retire()) {\n"},
		explore.Patch{Name: "E3: a worker looks before it has published its own", File: worker,
			Old: "	w.publishOwn()\n	if w.mustDrainFirst() {\n		return false // E3\n	}\n",
			New: "	if w.mustDrainFirst() {\n		return false\n	}\n	w.publishOwn()\n"},
	), explore.By("TestExploreAWorkerThatIsWantedAgainIsThere",
		explore.Patch{Name: "E1: a worker looks whether it is wanted before it says that it has left", File: worker,
			Old: "	w.alive.Store(false)\n	wanted := w.class.want.Load()",
			New: "	want := w.class.want.Load()\n	w.alive.Store(false)\n	wanted := want"},
		explore.Patch{Name: "E1: a worker that has left does not look whether it is wanted", File: worker,
			Old: "	if wanted && w.alive", New: "	if false && wanted && w.alive"},
	))
}

func capMutants() []explore.Patch {
	const limit = "class_cap.go"
	return explore.By(`TestExplore(TheCapLeaves|ASmallerClass|AClaimedSlot)\w*`,
		explore.Patch{Name: "H: the limit is one less than all, spares included", File: limit,
			Old: "n := c.base.Load() - 1", New: "n := c.want.Load() - 1"},
		explore.Patch{Name: "H1: a worker that has added itself does not look at the limit again", File: limit,
			Old: "	if now := c.capAt(); now > 0 && n >= now {", New: "	if now := c.capAt(); false && n >= now {"},
		explore.Patch{Name: "H2: a worker that blocks keeps its place", File: limit,
			Old: "lent := loan{w, w.holdsCap}", New: "lent := loan{w, false}"},
		explore.Patch{Name: "H2: a worker that gives its place back wakes nobody", File: limit,
			Old: "	c.wakeForRoom()\n", New: ""},
		explore.Patch{Name: "H2: a worker that continues adds itself when its spare may have left", File: limit,
			Old: "	if l.capped {\n		w.resumeCap() // before the spare may leave\n	}\n" +
				"	w.class.dropSpare()\n",
			New: "	w.class.dropSpare()\n	if l.capped {\n		w.resumeCap()\n	}\n"},
		explore.Patch{Name: "H3: a worker without a place leaves without a look at capped", File: limit,
			Old: "w.class.want.Load() && !w.class.crowded()", New: "w.class.want.Load()"},
		explore.Patch{Name: "H3: a worker looks at capped before it looks for its place", File: limit,
			Old: "return int32(w.index) >= w.class.want.Load() && !w.class.crowded()",
			New: "return !w.class.crowded() && int32(w.index) >= w.class.want.Load()"},
		explore.Patch{Name: "H3: the worker that takes capped back to the limit wakes nobody", File: limit,
			Old: "		c.wakeUnwanted(c.want.Load(), c.used.Load())\n", New: ""},
		explore.Patch{Name: "H2: a worker wakes others for a slot that is not filled", File: "wake.go",
			Old: "l.hasFilled()", New: "l.hasJob()"})
}

func waitMutants() []explore.Patch {
	const waits = "class_waits.go"
	return slices.Concat(explore.By("TestExploreAJobThatComputesDoesNotWait",
		explore.Patch{Name: "WA1: a look reads the number, and then takes the time", File: waits,
			Old: "	before := s.now()\n	computing := s.computing() ",
			New: "	computing := s.computing()\n	before := s.now() "},
		explore.Patch{Name: "WA1: a look counts the jobs, and then reads the number", File: waits,
			Old: "	computing := s.computing() // not under mu, as another reader may take long\n" +
				"	s.mu.Lock()\n	defer s.mu.Unlock()\n" +
				"	s.spared.Store(true) // WA2\n	n := s.count(p, before)\n",
			New: "	s.spared.Store(true)\n	n := s.count(p, before)\n	computing := s.computing()\n" +
				"	s.mu.Lock()\n	defer s.mu.Unlock()\n"},
		explore.Patch{Name: "WA1: a look counts jobs that have begun since", File: waits,
			Old: "if at < before {", New: "if true {"},
		explore.Patch{Name: "WA1: a look counts jobs that have begun at the same time", File: waits,
			Old: "if at < before {", New: "if at <= before {"},
		explore.Patch{Name: "WA1: a worker says that it has begun before it says when", File: waits,
			Old: "	w.waitsFrom.Store(int64(now))\n	w.waiting.Store(int32(w.lane) + 1)\n",
			New: "	w.waiting.Store(int32(w.lane) + 1)\n	w.waitsFrom.Store(int64(now))\n"},
	), explore.By("TestExploreAJobThatWaitsGetsASpare",
		explore.Patch{Name: "WA2: there are spares for jobs that have ended", File: waits,
			Old: "spares := min(left, n.old[i])", New: "spares := left"},
		explore.Patch{Name: "WA2: a worker whose job has ended does not look at the spares", File: waits,
			Old: "s.spared.Load() {", New: "false {"},
		explore.Patch{Name: "WA2: a worker looks at the spares before its job has ended", File: waits,
			Old: "	w.waiting.Store(0)\n	if s := &w.pool.waits; s.spared.Load() {",
			New: "	s := &w.pool.waits\n	spared := s.spared.Load()\n	w.waiting.Store(0)\n	if spared {"},
		explore.Patch{Name: "WA2: a look does not say that it is about to bring spares", File: waits,
			Old: "	s.spared.Store(true) // WA2\n", New: ""},
		explore.Patch{Name: "WA2: a look says so when it has counted the jobs", File: waits,
			Old: "	s.spared.Store(true) // WA2\n	n := s.count(p, before)\n",
			New: "	n := s.count(p, before)\n	s.spared.Store(true)\n"},
		explore.Patch{Name: "WA3: a worker makes a look come, and then says that it has begun", File: waits,
			Old: "	w.waiting.Store(int32(w.lane) + 1)\n	w.pool.waits.arm()",
			New: "	w.pool.waits.arm()\n	w.waiting.Store(int32(w.lane) + 1)"},
		explore.Patch{Name: "WA3: no look comes after the first", File: waits,
			Old: "	if n = s.count(p, before); n.young", New: "	if n.old = [numClasses]int{}; false && n.young"},
		explore.Patch{Name: "WA3: a look counts the jobs before it clears armed", File: waits,
			Old: "	s.armed.Store(false) // WA3\n	if n = s.count(p, before); n.young",
			New: "	n = s.count(p, before)\n	if s.armed.Store(false); n.young"},
		explore.Patch{Name: "WA3: a look does not count again", File: waits,
			Old: "if n = s.count(p, before); n.young", New: "if n.young"},
		explore.Patch{Name: "WA3: a job that has begun since is not under way", File: waits,
			Old: "n.young > 0 || n.old[ordinary]+n.old[background] > 0 && !p.timeWaits()",
			New: "n.young > 0 || n.begun > 0 && !p.timeWaits()"},
		explore.Patch{Name: "WA3: two make a look come", File: waits,
			Old: "if s.armed.CompareAndSwap(false, true) {", New: "if !s.armed.Swap(true) || true {"},
	), explore.By("TestExploreWaitsLeaveOneWorkerForOthers",
		explore.Patch{Name: "WA4: lent does not grow", File: waits,
			Old: "lent := int32(max(min(n, *spares)-others, 0))", New: "lent := int32(0)"},
		explore.Patch{Name: "WA4: lent grows before the spare comes", File: waits,
			Old: "	for ; *spares < n && c", New: "	c.lent.Store(int32(n - others))\n	for ; *spares < n && c"},
		explore.Patch{Name: "WA4: lent counts spares that have been refused", File: waits,
			Old: "min(n, *spares)-others", New: "n-others"},
		explore.Patch{Name: "WA4: lent counts spares that stand in for others", File: waits,
			Old: "min(n, *spares)-others", New: "min(n, *spares)"},
		explore.Patch{Name: "WA4: nobody is told that lent has grown", File: waits,
			Old: "	if c.lent.Swap(lent) < lent {", New: "	if c.lent.Swap(lent); false {"},
		explore.Patch{Name: "WA4: lent falls when the spare may leave", File: waits,
			Old: "	if c.lent.Swap(lent) < lent {",
			New: "	if lent < c.lent.Load() {\n		defer c.lent.Store(lent)\n" +
				"	} else if c.lent.Swap(lent) < lent {"}))
}

func lowMutants() []explore.Patch {
	const worker, run = "worker_main.go", "worker_run.go"
	return slices.Concat(explore.By("TestExploreWhoChangesThreadsKeepsItsJob",
		explore.Patch{Name: "Y1: a goroutine touches the worker when it has started the next one", File: worker,
			Old: "			w.handOver()\n			return\n",
			New: "			w.handOver()\n			w.carried = false\n			return\n"},
		explore.Patch{Name: "Y1: a worker that changes threads forgets what it has taken", File: worker,
			Old: "w.carried, w.clean = true, true", New: "w.clean = true"},
		explore.Patch{Name: "C3: a worker that is wanted stays in a pool that is gone", File: worker,
			Old: " && p.state.Load() != gone\n	if wanted", New: "\n	if wanted"},
		explore.Patch{Name: "Y2: a worker looks at the pool before it deals with what it carries", File: worker,
			Old: "		if w.carried {\n			w.carried = false\n		} else",
			New: "		if w.carried && w.pool.state.Load() != gone {\n" +
				"			w.carried = false\n		} else"},
	), explore.By("TestExploreWhoStandsBackIsNoSearcher",
		explore.Patch{Name: "L3: a worker that searches stands back", File: run,
			Old: "func (w searcher) Search() bool { return w.find.findWork() }",
			New: "func (w searcher) Search() bool {\n	found := w.find.findWork()\n" +
				"	if found {\n		w.waitForFrame()\n	}\n	return found\n}"},
	), explore.By("TestExploreWhoStandsBackHasClaimedNothing",
		explore.Patch{Name: "L3: a worker claims its job before it stands back", File: worker,
			Old: "				w.waitForFrame()\n",
			New: "				w.cur.job().claimFrom(w.class)\n				w.waitForFrame()\n"}))
}

func siftMutants() []explore.Patch {
	const sift = "find_sift.go"
	return explore.By("TestExploreSiftingLosesNoJob",
		explore.Patch{Name: "J6: a sifter looks at a job, and then takes an entry out", File: sift,
			Old: "			if !it.isStale(l.class) {\n",
			New: "			gone := it.isStale(l.class)\n			l.outside.Push(it)\n" +
				"			if it, ok = l.outside.Pop(); ok && !gone {\n"},
		explore.Patch{Name: "J6: a sifter takes out what waits, too", File: sift,
			Old: "			if !it.isStale(l.class) {\n", New: "			if false {\n"},
		explore.Patch{Name: "J6: a submission makes its entry before the job waits", File: "pool.go",
			Old: "	lane := j.prepare(p)\n	if p.state.Load() != running {\n" +
				"		if j.claimFrom(p.lanes[lane].class) { " +
				"// else somebody has canceled j, and submitted it to another pool\n" +
				"			p.failures.refuse(j)\n		}\n		return\n	}\n" +
				"	p.lanes[lane].inject(jobItem(j), false)\n",
			New: "	lane := j.Priority.Lane()\n	p.lanes[lane].push(jobItem(j), false)\n" +
				"	j.prepare(p)\n	p.lanes[lane].class.wakeForWork()\n"},
		explore.Patch{Name: "J6: a sifter does not notify at the end", File: sift,
			Old: "		c.wakeForWork()\n", New: "		_ = c\n"})
}

func outMutants() []explore.Patch {
	const worker, end = "worker_main.go", "end.go"
	const start = "	p.live.Add(1)\n	p.activity.Add(oneMoreActive)\n	if p.state.Load() != gone {\n"
	return explore.By("TestExploreNobodyOutlastsClose",
		explore.Patch{Name: "C3: who starts a worker does not look whether the pool is gone", File: worker,
			Old: start, New: "	p.live.Add(1)\n	p.activity.Add(oneMoreActive)\n	if true {\n"},
		explore.Patch{Name: "C3: who starts a worker looks before it has counted the worker", File: worker,
			Old: start, New: "	open := p.state.Load() != gone\n	p.live.Add(1)\n" +
				"	p.activity.Add(oneMoreActive)\n	if open {\n"},
		explore.Patch{Name: "C3: Close is not counted while it makes the pool gone", File: end,
			Old: "	q.live.Add(1)    // C3\n	first := q.state.Swap(gone) != gone\n	if first {\n" +
				"		q.dismiss()\n	}\n	q.callerLeaves()\n	q.countOut()\n",
			New: "	first := q.state.Swap(gone) != gone\n	if first {\n		q.dismiss()\n	}\n" +
				"	q.callerLeaves()\n	if q.live.Load() == 0 {\n		q.lastOut()\n	}\n"},
		explore.Patch{Name: "C3: Close does not wait for who makes a worker", File: end,
			Old: "	p.follow.Lock() // a resize may be under way\n	for i := range p.classes {\n" +
				"		p.classes[i].setWant(0)\n	}\n	p.follow.Unlock()\n",
			New: "	for i := range p.classes {\n		p.classes[i].setWant(0)\n	}\n"})
}
