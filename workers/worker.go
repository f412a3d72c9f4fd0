package workers

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/loops"
	"github.com/frameslice/frameslice/internal/lowprio"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/regions"
	"github.com/frameslice/frameslice/internal/runqueue"
	"github.com/frameslice/frameslice/internal/sleep"
)

// A Worker runs jobs, one at a time. With its Worker a job starts more work fast. Do not keep it after Func, and do not
// pass it to another goroutine.
type Worker struct {
	pool     *Pool
	class    *class // nil unless the role is ownRole
	index    int    // its slot in the class
	role     role
	sleeper  sleep.Sleeper
	way      park.Kind     // the kind of its parker
	hunger   *atomic.Int32 // its class's count, or calm
	calm     atomic.Int32  // always zero
	profiler *profiler     // nil without Options.Profile

	// The worker's own.
	cur        item        // what it runs
	joined     *loops.Loop // the loop that find found instead of an item
	lane       int         // of cur
	find       finder
	ledger     ledger
	nested     nested
	hungry     bool // counted in hunger
	holdsCap   bool
	hasSpare   bool           // a spare has its place
	clean      bool           // serve returned of its own accord
	carried    bool           // cur or joined was taken by another goroutine: Y1
	region     regions.Region // of cur, while a trace is taken
	names      regions.Names
	shown      *kind
	wiped      uint64          // runs when forks was wiped last
	exitAtRuns uint64          // the value that runs must reach before it may leave, or 0: E3
	alive      atomic.Bool     // it has a goroutine
	reading    lowprio.Reading // of a background worker

	// Of a goroutine that is not a worker.
	until       deadline.Deadline // of the RunUntil that cur runs in
	yielder     *yielder          // of a yielderRole
	outerWorker *Worker           // of a caller: the worker on whose goroutine it is, or nil
	lowered     bool              // of a caller: on the thread of a background worker, see low

	_      [64]byte
	awaits atomic.Int32 // the index of the thief of the fork over which it sleeps, or unknownThief

	// Others read these.
	seen      seen
	goid      atomic.Uintptr // where.ID of the goroutine or coroutine on which it is: see moveIn, carry and carryFork
	thread    atomic.Int64   // of a background worker: osthread.ID
	waiting   atomic.Int32   // 1 + the lane of the job that it runs, if that is one of SubmitWaiting, or 0
	waitsFrom atomic.Int64   // when it began that job
	osClass   atomic.Uint32  // osthread.Class

	_      [64]byte
	forks  runqueue.Deque[*Job]
	deques [numLanes]runqueue.Deque[item]
	// batches has the jobs that it has taken from outside, to run next.
	batches [numLanes]runqueue.Batch[item]
}

// A role is what a Worker is for.
type role uint8

const (
	ownRole     role = iota // a worker of the pool
	callerRole              // another goroutine that runs jobs, or a job within a worker's job
	runnerRole              // the same, by a runner
	yielderRole             // a job that may yield in RunUntil
)

// Index returns the worker's number in its class, from 0. It is -1 on a goroutine that is not the pool's, and in a job
// on top of another. So jobs that share an index do not overlap.
func (w *Worker) Index() int {
	if w.class == nil {
		return -1
	}
	return w.index
}

// Go runs f as Pool.Go does, but from within a job, and also while the pool drains. If this worker serves the lane, f
// goes into the worker's own queue, which takes a few ns. The worker mostly takes its newest job first, but older jobs
// get their turn.
func (w *Worker) Go(prio deadline.Priority, f func()) {
	if f == nil {
		panic("workers: Go of a nil function")
	}
	it := funcItem(f)
	if w.pool.callerProfiler != nil {
		it = w.pool.timed(prio, f)
	}
	w.add(laneOf(prio), it)
}

// Submit submits j as Pool.Submit does, but from within a job: see Go.
func (w *Worker) Submit(j *Job) {
	lane := j.prepare(w.pool)
	w.add(lane, jobItem(j))
}

func (w *Worker) add(lane int, it item) {
	l := &w.pool.lanes[lane]
	if l.class != w.class {
		l.inject(it, w.low())
		return
	}
	l.use(useLocal)
	d := &w.deques[lane]
	d.Push(it)
	d.Publish()
	w.class.wakeForWork()
}

// ShouldYield reports whether the job should make room: in a RunUntil by Yield, because the call's time is over, and on
// a worker by returning, because more urgent work waits. For RunUntil only the longest stretch between two calls has to
// fit. It takes up to 30 ns.
func (w *Worker) ShouldYield() bool {
	switch {
	case w.role == yielderRole:
		return w.yielder.shouldYield(w.until)
	case w.class == nil:
		return w.until.Remaining() <= 0
	}
	for _, lane := range w.class.lanes {
		if lane >= w.lane {
			return !w.class.low && w.class.loops.Open() != 0
		}
		if w.pool.lanes[lane].hasJob() {
			return true
		}
	}
	return false
}
