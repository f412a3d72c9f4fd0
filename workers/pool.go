package workers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
)

// Pin says what binds an ordinary worker to the machine. A worker is always the same goroutine with the same
// index and queues; background workers are always locked to a thread of their own.
type Pin uint8

const (
	// PinNone leaves the goroutine to Go's scheduler, and its thread to the system's. It is the default.
	PinNone Pin = iota
	// PinThread locks each worker to an OS thread. Blocking and waking it then cost two switches of threads
	// more.
	PinThread
	// PinCPU locks each worker to an OS thread and that to one processor, a core of its own as long as there are
	// any, near to where the frame is; where cores are fast and slow, the fast ones first, and background workers
	// may use the slow ones only: see Pool.Topology. Linux, Windows, and FreeBSD on 64-bit processors; elsewhere
	// and where the system refuses, it is PinThread, with a word about it in Stats.
	PinCPU
)

// String returns the name of the way in lower case.
func (k Pin) String() string {
	switch k {
	case PinNone:
		return "none"
	case PinThread:
		return "thread"
	case PinCPU:
		return "cpu"
	}
	return "invalid"
}

// Options configures a Pool. The zero Options is a good choice for a program with a frame.
type Options struct {
	// Workers is how many workers run at the process's own priority. The default (zero) value is
	// GOMAXPROCS-1, so that one P is always left to the frame, without what RaiseProcs added, and it follows
	// GOMAXPROCS up to the number of processors; but not more than keep, with the frame, within a container's CPU
	// quota, which Go rounds up, because whoever uses it up is stopped for several frames. On one P, and in a browser,
	// that is none: jobs then run in RunUntil, Wait, ParallelFor and Close. Negative means none. At most MaxWorkers.
	Workers int

	// Background is how many workers there are besides, each locked to a thread of the lowest OS priority.
	// They take the jobs of the priorities Normal, Low and Idle, and the Workers take only what is more
	// urgent: so a frame never depends on a thread that the system may leave standing, and a job there may be
	// long, because it is the system that interrupts it. The default (zero) value is none; then the Workers
	// take all jobs. Negative means one for each processor, or under a CPU quota, which they use up like everybody,
	// one less than that grants in full, but one at least. At most MaxWorkers. Where threads cannot be
	// lowered there are none, with a word about it in Stats.
	Background int

	// RaiseProcs raises GOMAXPROCS by the number of background workers while the pool is open, so that a
	// goroutine of the frame never waits for a P that a descheduled background thread holds. This is an act
	// on the whole process: it stops the world for some 50 µs at New and Close, and, as any explicit setting
	// does, it ends the Go runtime's own following of changes to the container's CPU limit.
	RaiseProcs bool

	// Restless says that background workers begin jobs at any time, also when a frame is late: see ExpectFrame. The
	// default (zero) value is that they do not.
	Restless bool

	// Bound is how many of the ordinary workers, from the first on, take jobs that are bound to them: see SubmitTo.
	// These are there whatever Workers and GOMAXPROCS say, unless the platform has no threads, and each is locked
	// to an OS thread of its own, whatever Pin says. The default (zero) value is none. At most MaxWorkers.
	Bound int

	// Pin binds ordinary workers. The default (zero) value is PinNone.
	Pin Pin

	// Park is how workers without work sleep. The default (zero) value is ParkAuto. A pool within
	// testing/synctest needs ParkChan.
	Park Park

	// Timeouts say after how long a waiting lane is served ahead of more urgent ones, where workers serve
	// several. Zero fields mean the defaults of deadline.Timeouts.
	Timeouts deadline.Timeouts

	// OnPanic is called with the panic of a function that was passed to Go, on the goroutine that ran it. The
	// default (nil) value lets it crash the process, as the panic of a goroutine does.
	OnPanic func(*PanicError)

	// MaxWaiting is how many submitted jobs may wait at once: what Pool.Go, Pool.Submit, Submit and their like
	// have submitted and nobody has begun. What jobs submit through their Worker does not count and is always
	// taken. The default (zero) value, as a negative one, means no limit. At most 1<<30; each takes 16 bytes.
	MaxWaiting int

	// Overflow is what becomes of a submission when MaxWaiting jobs wait. The default (zero) value is
	// OverflowReject. Without a way to return the error, Go drops the function, and a Job or Future finishes
	// with it.
	Overflow Overflow

	// Spares is how many workers, of each class, may stand in at once for those within Worker.Blocking. The
	// default (zero) value is 8. Negative means none. With them there are at most MaxWorkers.
	Spares int

	// Watchdog is for how long a job may run on a worker before it is reported to OnStuck, once: most often it
	// waits for something without Worker.Blocking. It is noticed within half as much again. The default (zero)
	// value means that nobody watches, which costs nothing; else every job is timed, 50 ns each.
	Watchdog time.Duration

	// OnStuck is called with the label, or the function's name, of a job that has been running for d, on a
	// goroutine of the watchdog, which waits for it; so does Close, which it must not call. The default (nil)
	// value means no watchdog.
	OnStuck func(label string, d time.Duration)

	// Labels says that a goroutine which runs a job has the profiler's label "job" with the job's label, or its
	// function's name, so that a CPU profile can be divided by it. The default (zero) value is not; else a
	// change from one kind of job to another costs some 20 ns.
	Labels bool

	// Insight says that the pool keeps what Pool.Insight tells: counts for each lane and worker, and how long jobs
	// and wake-ups take to begin. The default (zero) value is not, which costs nothing; else some 150 ns for each
	// job, and an allocation for each function that is passed to Go.
	Insight bool

	// FindCycles is for development: jobs that wait for one another in a circle, by Wait of a Job or Future or at
	// the end of a Scope, do not hang: the wait that closes the circle panics and names all of them. The default
	// (zero) value is not to look, which costs nothing; else a wait within a job costs some µs and a lock. Only
	// circles within one pool are found.
	FindCycles bool
}

// The pool's states.
const (
	running  uint32 = iota
	draining        // no intake from outside; what was accepted runs
	gone            // nothing is run any more
)

// The crews.
const (
	ordinary = iota
	background
	numCrews
)

// awoke is what is added to Pool.restless when somebody begins to run jobs: one in the count (the low half)
// and one in the generation (the high half).
const awoke = 1<<32 | 1

// A Pool runs jobs on workers. Create it with New, end it with Close.
type Pool struct {
	opt   Options
	kinds kindTable
	// loopKind is what workers say that they run when they help a ParallelFor.
	loopKind kind
	lanes    [numLanes]lane
	crews    [numCrews]crew
	crewOf   [numLanes]*crew
	// timeout is after how long a waiting lane goes first.
	timeout   [numLanes]time.Duration
	hot       atomic.Bool
	reserve   reserve
	standback standback
	procs     raise

	state    atomic.Uint32
	restless atomic.Uint64 // who may be running jobs, in two halves: see awoke
	insiders atomic.Int32  // how many of them are within Close
	guests   atomic.Int32  // how many of them are not workers: in RunUntil, Wait, Close
	live     atomic.Int32  // goroutines of workers
	ended    chan struct{} // closed by the last one out
	out      atomic.Bool   // it was

	spares  [4]atomic.Pointer[sliced] // without a job
	callers [8]atomic.Pointer[caller]
	lent    atomic.Int32 // callers in use
	passed  atomic.Int64 // since when RunUntil has passed jobs over, 0: it does not; see runPassed
	spots   atomic.Pointer[spot]
	turn    atomic.Pointer[turn] // of Pool.RunUntil; nil while a call has it

	follow struct {
		sync.Mutex // only ever tried by the frame
		next       atomic.Int64
		seen       atomic.Int32 // others() when the number of workers was last made what it should be
		pumped     atomic.Int64 // when RunUntil last found something to run
	}
	site    site
	closers struct { // who waits in Close for a hint that restless may be down to insiders
		sync.Mutex
		wake []chan struct{}
	}
	notes struct {
		sync.Mutex
		text []string
	}

	woken              atomic.Uint64
	byCaller, panicked atomic.Uint64
	dropped            atomic.Uint64
	lost               atomic.Uint64 // of them: accepted before
	limit              *limit        // nil: none
	unwatch            chan struct{} // nil: no watchdog
	cycles             *waitTable    // nil: nobody looks for circles
	// guestBook is of those who run jobs and are not workers. It is nil without Options.Insight.
	guestBook *book
}

// New returns a Pool with its workers started. It panics if a field of o has a value that it cannot have. Call it
// on a goroutine whose thread has no changed affinity or priority: new threads inherit them.
func New(o Options) *Pool {
	o.check()
	procs.pools.Add(1)
	p := &Pool{opt: o, ended: make(chan struct{})}
	p.kinds.init()
	p.loopKind.label = "ParallelFor"
	p.limit = newLimit(o)
	p.cycles = newWaitTable(o)
	p.guestBook = newBook(o)
	p.survey()
	for i := range p.lanes {
		p.lanes[i].init()
	}
	p.follow.next.Store(int64(deadline.Now()))
	low := p.backgroundWanted()
	for i := range p.crews {
		p.crews[i].pool = p
		p.crews[i].low = i == background
		p.crews[i].era.Store(new(make(chan struct{}))) // E2
	}
	for _, prio := range deadline.Priorities() {
		p.timeout[prio.Lane()] = o.Timeouts.Of(prio)
	}
	for l := range numLanes {
		c := &p.crews[ordinary]
		if low > 0 && l >= deadline.Normal.Lane() {
			c = &p.crews[background]
		}
		p.crewOf[l] = c
		c.lanes = append(c.lanes, l)
	}
	p.crews[ordinary].fork = min(2, len(p.crews[ordinary].lanes)-1)
	want := p.workersWanted()
	if o.RaiseProcs {
		p.procs.up(low)
	}
	p.setPlaces()
	p.crews[ordinary].heat.window.Store(int64(hotFirst))
	p.resize(&p.crews[ordinary], want)
	p.resize(&p.crews[background], low)
	p.startWatch()
	return p
}

// threads reports whether this platform has more than one thread for Go code.
const threads = runtime.GOOS != "js" && runtime.GOOS != "wasip1"

// workersWanted returns how many ordinary workers there should be now.
func (p *Pool) workersWanted() int {
	if !threads {
		return 0
	}
	if p.opt.Workers != 0 {
		return max(p.opt.Workers, p.opt.Bound)
	}
	return max(ordinaryFor(p.procs.others(), runtime.NumCPU(), p.granted()), p.opt.Bound)
}

// Go runs f on the pool, in the lane of the priority. Any goroutine; it never blocks, and does not allocate,
// unless Options.MaxWaiting says otherwise. A job on a background worker had better use Worker.Go for an urgent
// lane: see the package comment.
// A panic in f is for OnPanic, or the end of the process. Once Close has been called, f is dropped, and
// counted in Stats.Dropped: work that must not get lost belongs into a Job or a Future, which learn of it.
func (p *Pool) Go(prio deadline.Priority, f func()) {
	if f == nil {
		panic("workers: Go of a nil function")
	}
	l := laneOf(prio)
	if p.state.Load() != running {
		p.dropped.Add(1)
		return
	}
	if p.limit != nil {
		if _, err := p.goBounded(context.Background(), prio, f); err == ErrClosed {
			p.dropped.Add(1)
		} // what was refused for want of room is counted in Stats.Refused
		return
	}
	it := item{fn: f}
	if p.guestBook != nil {
		it = p.timed(prio, f)
	}
	p.inject(l, it, false)
}

// Submit runs j on the pool. Any goroutine may submit it, but one at a time and not before it has finished;
// Submit never blocks, unless Options.MaxWaiting says otherwise, and does not allocate. If the pool is closed, j
// finishes with ErrClosed at once, if it is full perhaps with ErrFull or ErrWouldWait.
func (p *Pool) Submit(j *Job) {
	if p.limit != nil {
		p.submitBounded(j)
		return
	}
	lane := j.prepare(p)
	if p.state.Load() != running {
		p.refuse(j)
		return
	}
	p.inject(lane, item{job: j}, false)
}

func laneOf(prio deadline.Priority) int {
	if !prio.Valid() {
		panic("workers: invalid priority")
	}
	return prio.Lane()
}

// inject makes an item visible and sees to it that somebody looks.
func (p *Pool) inject(at int, it item, fromLow bool) {
	p.lanes[at].push(it, fromLow)
	p.crewOf[at].notify()
	p.noneIfGone()
}

// noneIfGone is called after an item has become visible (C1): the pool may have been closed since the caller
// looked. Either this load sees it, or the closer, which sweeps the queues after it has said so, sees the
// item.
func (p *Pool) noneIfGone() {
	if p.state.Load() == gone {
		p.reap()
	}
}

// runHere runs j on the calling goroutine if that is a good idea (see Job.Wait), and reports whether it did,
// or found that j is not Queued any more: whether to look at its state again.
func (p *Pool) runHere(ctx context.Context, j *Job) bool {
	// Nobody who may be running a job of this pool: then the caller is none of them, and the walk up its stack, some
	// 10 µs after a while of idleness, can be saved.
	nested := uint32(p.restless.Load()) != 0 && withinJob()
	var host *Worker
	if ctx != nil && ctx.Done() != nil && p.crewOf[j.Priority.Lane()].want.Load() > 0 && !nested {
		return false
	}
	if nested {
		host = p.workerHere()
	}
	if !nested || host == nil && !p.inside() { // else it is within a job that is counted
		p.enter()
		defer p.leave()
	}
	if !j.claim() {
		return true
	}
	h := p.borrow()
	defer p.giveBack(h)
	h.w.until = deadline.Deadline{}
	h.w.lowered = nested && p.onLowThread()
	h.w.host = host
	h.run(item{job: j}, j.Priority.Lane())
	return true
}

// onLowThread reports whether the calling goroutine is on the thread of a background worker: its own, or a
// coroutine of it. It takes a system call where there are any.
func (p *Pool) onLowThread() bool {
	c := &p.crews[background]
	n := c.used.Load()
	if n == 0 {
		return false
	}
	id := int64(osthread.ID())
	for k := range n {
		if w := c.slots[k].Load(); w != nil && w.thread.Load() == id {
			return true
		}
	}
	return false
}
