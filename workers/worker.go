package workers

import (
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/costs"
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
	pool    *Pool
	class   *class // nil unless the role is ownRole
	index   int
	sleeper sleep.Sleeper
	way     park.Kind // the kind of its parker

	// The worker's own.
	cur       item        // what it runs
	joined    *loops.Loop // the loop that next found instead of an item
	lane      int         // of cur
	tick      uint32
	urgent    uint32 // jobs since a less urgent lane last went first
	rng       uint32
	victim    int              // where the next search for a victim begins
	overdue   int              // the lane that goes first next time, 0 for none
	bottom    int              // the position of the next less urgent lane that goes first
	aged      deadline.Instant // when it last looked for an overdue lane
	hungry    bool             // counted in hunger
	hunger    *atomic.Int32    // its class's count, or calm
	calm      atomic.Int32     // always zero
	holdsCap  bool
	hasSpare  bool // a spare has its place
	clean     bool // serve returned of its own accord
	robbed    bool // cur was stolen from another worker's deque or batch
	gauges    *costs.Gauges[struct{}]
	book      *book // nil without Options.Profile
	meter     meter
	stretch   uint32         // numbers stretches of untimed jobs, from 1
	untimed   bool           // there are jobs in the stretch
	region    regions.Region // of cur, while a trace is taken
	names     regions.Names
	shown     *kind
	fork      carrier.Carrier // for forks of others that run within Join
	runs      uint64
	wiped     uint64 // runs when forks was wiped last
	stolen    uint64
	busyNS    int64
	until     deadline.Deadline // of the RunUntil that cur runs in
	role      role
	coop      *coop           // of a coopRole
	lowered   bool            // of a visitor: on the thread of a background worker, see low
	alive     atomic.Bool     // it has a goroutine
	host      *Worker         // of a visitor: the worker on whose goroutine it is, or nil
	brief     bool            // the job that it ran last was one of a brief kind
	refills   uint32          // how often it has looked for a batch
	loops     uint32          // how often it was offered a loop before all lanes
	taken     [numLanes]uint8 // takes from each lane, where deques are in use: see fairness
	leftForks uint8           // searches that found forks: see fairness
	streak    uint8           // how many more jobs of its batch again may take
	forkBody  func()          // carryOwn, made once
	forkJob   *Job            // carryOwn runs it
	forkHome  *Worker         // on this worker
	debt      uint64          // the value that runs must reach before it may leave, or 0: E3
	reading   lowprio.Reading // of a background worker
	carried   bool            // cur or joined was taken by another goroutine: Y1

	_      [64]byte
	awaits atomic.Int32 // the index of the thief of the fork over which it sleeps, or unknownThief

	// Stats reads these.
	goid      atomic.Uintptr // where.ID of the goroutine or coroutine on which it is: see moveIn, carry and carryFork
	thread    atomic.Int64   // of a background worker: osthread.ID
	kind      atomic.Pointer[kind]
	started   atomic.Int64 // when what it runs was begun, or 0
	waiting   atomic.Int32 // 1 + the lane of the job that it runs, if that is one of SubmitWaiting, or 0
	clock     atomic.Int64 // when it last read the clock between two jobs, or 0: it sleeps
	statRuns  atomic.Uint64
	statStole atomic.Uint64
	statBusy  atomic.Int64
	told      atomic.Int64  // the greatest WorkerStats.Busy that Stats has told: see busy
	osClass   atomic.Uint32 // osthread.Class

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
	visitorRole             // another goroutine that runs jobs, or a job within a worker's job
	runnerRole              // the same, by a runner
	coopRole                // a job that may yield in RunUntil
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
	if w.pool.guestBook != nil {
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
	case w.role == coopRole:
		return w.coop.shouldYield(w.until)
	case w.class == nil:
		return w.until.Exceeded()
	}
	for _, lane := range w.class.lanes {
		if lane >= w.lane {
			return !w.class.low && w.class.loops.Open() != 0
		}
		l := &w.pool.lanes[lane]
		if !l.empty() || l.extra.Load()&useLocal != 0 && w.class.has(lane) {
			return true
		}
	}
	return false
}
