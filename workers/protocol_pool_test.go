package workers

import (
	"slices"

	"github.com/frameslice/frameslice/internal/explore"
)

// poolMutants are those of the protocols by which runners rest, somebody looks, and Close waits.
func poolMutants() []explore.Patch {
	const (
		inject, rest, runner = "find_lane.go", "rest.go", "caller_runner.go"
		end, endClose, quiet = "end.go", "end_close.go", "quiet.go"
		follow               = "follow.go"
	)
	resting := explore.By("TestExploreNoRunnerRestsBesideAJob",
		explore.Patch{Name: "O1: a submitter looks for runners before its job is visible", File: inject,
			Old: "	l.push(it, fromLow)\n	l.class.wakeForWork()\n	l.quiet.afterPush()\n",
			New: "	l.quiet.afterPush()\n	l.push(it, fromLow)\n	l.class.wakeForWork()\n"},
		explore.Patch{Name: "O1: a submitter looks for no runners", File: quiet,
			Old: "		q.wakeRunners()\n", New: ""},
		explore.Patch{Name: "O1: a runner that is added takes another one's place", File: rest,
			Old: "if q.runners.CompareAndSwap(old, list) {", New: "if q.runners.Store(list); true {"},
		explore.Patch{Name: "O1: a runner is called for a job between turns that is not in its slot", File: "lane.go",
			Old: "l.yielded.Filled()", New: "!l.yielded.Empty()"},
		explore.Patch{Name: "O1: a runner is called for a slot that is not filled", File: inject,
			Old: "(all || !l.served()) && l.hasFilled()", New: "(all || !l.served()) && l.hasJob()"},
		explore.Patch{Name: "O2: a runner looks before it rests", File: runner,
			Old: "	s.rests.Store(true)\n	s.pool.wakeRunners()\n",
			New: "	s.pool.wakeRunners()\n	s.rests.Store(true)\n"},
		explore.Patch{Name: "O2: a runner does not look when it rests", File: runner,
			Old: "	s.pool.wakeRunners()\n", New: ""},
		explore.Patch{Name: "O2: a runner is found only after its look", File: runner,
			Old: "	if s.known.CompareAndSwap(false, true) {\n		s.pool.change",
			New: "	if s.known.CompareAndSwap(false, true) {\n		defer s.pool.change"},
		explore.Patch{Name: "O3: a rest is ended twice", File: rest,
			Old: "s.rests.CompareAndSwap(true, false) {",
			New: "s.known.CompareAndSwap(true, true) {\n			s.rests.Store(false)"},
	)
	looking := explore.By("TestExploreSomebodyLooksWhereNobodyWorks",
		explore.Patch{Name: "E4: the end of Blocking does not see to it that somebody looks", File: "class_cap.go",
			Old: "		p.follow.lookLater() // E4\n", New: ""},
		explore.Patch{Name: "E4: who changes the number of workers makes nobody look", File: follow,
			Old: "		f.lookLater()\n", New: ""},
		explore.Patch{Name: "E4: the timer does not look whether to come again", File: follow,
			Old: "			f.adapt()\n",
			New: "			f.Lock()\n			f.class.resize(f.wanted())\n			f.Unlock()\n"},
		explore.Patch{Name: "E4: the timer says after its look that it is not set any more", File: follow,
			Old: "		f.Lock()\n		f.later = false\n		f.Unlock()\n",
			New: "		defer func() { f.later = false }()\n"},
		explore.Patch{Name: "E4: there are two timers", File: follow,
			Old: "|| f.later {", New: "{"},
	)
	closing := explore.By(`TestExplore(CloseWaits|TheFirstClose|QuietMeans|AQuietPool)\w*`,
		explore.Patch{Name: "C4: a Close that makes the pool gone does not remember that the pool was quiet",
			File: endClose,
			Old:  "			p.onlyClosersLeft.Store(true)\n			p.vanish()\n",
			New:  "			p.vanish()\n"},
		explore.Patch{Name: "C4: a Close within a job waits until the pool is gone", File: endClose,
			Old: "	case p.onlyClosersLeft.Load():\n", New: "	case p.state.Load() == gone:\n"},
		explore.Patch{Name: "C2: a Close that runs a job is not counted", File: endClose,
			Old: "	cl := p.beginCaller(true) " +
				"// before the job is taken, so that no other closer finds the pool quiet\n" +
				"	defer p.endCaller(cl)\n",
			New: "	cl := p.borrowCaller()\n	defer p.returnCaller(cl)\n"},
		explore.Patch{Name: "C4: a Close does not remember that the pool was quiet", File: endClose,
			Old: "		p.onlyClosersLeft.Store(true)\n		p.wakeClosers()", New: "		p.wakeClosers()"},
		explore.Patch{Name: "C4: a Close does not tell the others that the pool was quiet", File: endClose,
			Old: "		p.wakeClosers() // another", New: "		// another"},
		explore.Patch{Name: "C4: a submission that sweeps the queues is not counted", File: quiet,
			Old: "	q.callerEnters()\n	defer q.callerLeaves()\n", New: "	defer q.wakeClosers()\n"},
		explore.Patch{Name: "C4: a Close that ends jobs is not counted", File: end,
			Old: "	q.callerEnters() // C4\n	q.live.Add(1)    // C3\n",
			New: "	q.live.Add(1)\n	defer q.callerEnters()\n"},
		explore.Patch{Name: "C4: nobody is told that a submission has swept the queues", File: quiet,
			Old: "	defer q.callerLeaves()\n	q.reap()\n",
			New: "	q.reap()\n	q.callersInside.Add(-1)\n	q.activity.Add(^uint64(0))\n"},
		explore.Patch{Name: "C4: a Close outside of jobs does not wait for callers", File: quiet,
			Old: "q.ended.Load() && q.callersInside.Load() == 0", New: "q.ended.Load()"},
		explore.Patch{Name: "C4: a Close within a job waits for the others within jobs", File: quiet,
			Old: "> uint32(q.closersInJobs.Load())", New: "> min(1, uint32(q.closersInJobs.Load()))"},
		explore.Patch{Name: "C1: a submission to a pool that drains wakes nobody who waits in Close", File: quiet,
			Old: "	case draining:\n		q.wakeClosers()\n", New: ""},
		explore.Patch{Name: "C4: a Close within a job sweeps for a slot that is not filled", File: endClose,
			Old: "case p.anyOrphan(true):", New: "case p.anyQueued():"},
		explore.Patch{Name: "C1: a submission to a pool that is gone does not sweep", File: quiet,
			Old: "	case gone:\n		q.sweep()\n", New: ""},
		explore.Patch{Name: "C4: nobody is told that a job has ended", File: quiet,
			Old: "	if q.state.Load() != running {\n		q.wakeClosers()\n	}\n", New: ""},
		explore.Patch{Name: "C4: a look for a quiet pool is one look", File: quiet,
			Old: "return q.activity.Load() == before", New: "return true"},
	)
	return slices.Concat(resting, looking, closing)
}
