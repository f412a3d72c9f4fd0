package workers

import (
	"cmp"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/bubble"
	"github.com/frameslice/frameslice/internal/dice"
	"github.com/frameslice/frameslice/internal/lowprio"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/procs"
)

// The pool's states.
const (
	running  uint32 = iota
	draining        // no intake from outside; what was accepted runs
	gone            // nothing is run any more
)

// The classes.
const (
	ordinary = iota
	background
	numClasses
)

// A Pool runs jobs on workers. Create it with New, end it with Close.
type Pool struct {
	door
	opt        Options
	dice       *dice.Dice // nil without a seed
	kinds      kinds
	lanes      lanes
	classes    [numClasses]class
	frameFirst lowprio.Hold
	machine    machine
	follow     follower
	procs      procs.Share
	waits      waits

	quiet
	lives lives
	io    ioSet

	callers  callers
	yielders callers // for jobs that may yield; they have no gauges
	byCaller atomic.Uint64
	pump     pump

	failures failures
	launch   func(w *Worker) // gives a worker a goroutine
	// callerProfiler is that of all goroutines that are not workers. It is nil without Options.Profile.
	callerProfiler *profiler
}

// New returns a Pool with its workers started. It panics if a field of o is invalid. New threads inherit affinity and
// priority from the caller's thread.
func New(o Options) *Pool {
	o.check()
	o.forced.spares = cmp.Or(o.forced.spares, maxSpares)
	p := &Pool{opt: o}
	p.machine.opt, p.machine.virtual = &p.opt, bubble.Here()
	p.door = bridge.New((*internals)(p))
	p.anyQueued, p.anyOrphan = p.lanes.anyQueued, p.lanes.anyOrphan
	p.reap, p.dismiss, p.release, p.runOrphans = p.reapLanes, p.dismissAll, p.releaseAll, p.runAllOrphans
	p.launch = (*Worker).launch
	p.kinds.loop.Label = "ParallelFor"
	p.failures.kinds, p.failures.onPanic = &p.kinds, o.OnPanic
	p.frameFirst.Clock = lowprio.NewClock(p.machine.virtual)
	p.lives.init()
	p.io.init(p, o.IO)
	p.waits.init(p)
	p.callerProfiler = newProfiler(o)
	p.machine.survey()
	p.follow.init(&p.machine, &p.quiet, &p.classes[ordinary])
	low := p.machine.backgroundWanted()
	for i := range p.classes {
		c := &p.classes[i]
		c.pool, c.hire = p, func(i int) { p.hire(c, i) }
		c.low = i == background
		c.loops.Init(&c.sleep)
		c.unstaffed.Store(new(park.NewEvent())) // E2
	}
	for l := range p.lanes {
		c := &p.classes[ordinary]
		if low > 0 && l >= deadline.Normal.Lane() {
			c = &p.classes[background]
		}
		p.lanes[l].init(l, c, &p.quiet, o.forced.timeouts.Of(deadline.Priorities()[l]))
		c.lanes = append(c.lanes, l)
	}
	p.classes[ordinary].fork = min(2, len(p.classes[ordinary].lanes)-1)
	want := p.machine.workersWanted()
	p.classes[ordinary].sleep.SetPlaces(p.machine.mayStayAwake())
	p.classes[ordinary].sleep.SetSpin(spinning)
	p.machine.crowds = low > 0 && p.machine.mayCrowd()
	p.classes[ordinary].resize(want)
	if o.RaiseProcs {
		p.procs.Up(p.machine.raiseFor(want, low, park.Kind(p.classes[ordinary].park.Load())))
	}
	p.classes[background].resize(low)
	return p
}

// Go runs f on the pool, in the lane of the priority. It never blocks, and allocates only with Options.Profile. After
// Close f is dropped, and counted in Stats.Dropped: use a Job or a Future where that matters. If f waits for a file, a
// lock or a channel, it keeps a worker from all other jobs. Pass such work to SubmitIO, or to a Job, which waits within
// Worker.Blocking.
func (p *Pool) Go(prio deadline.Priority, f func()) {
	if f == nil {
		panic("workers: Go of a nil function")
	}
	l := laneOf(prio)
	if p.state.Load() != running {
		p.failures.dropped.Add(1)
		return
	}
	it := funcItem(f)
	if p.callerProfiler != nil {
		it = p.timed(prio, f)
	}
	p.lanes[l].inject(it, false)
}

// Submit runs j on the pool. It must not be called before j has finished. Submit never blocks and does not allocate. A
// closed pool finishes j with ErrClosed at once.
func (p *Pool) Submit(j *Job) {
	lane := j.prepare(p)
	if p.state.Load() != running {
		if j.claimFrom(p.lanes[lane].class) { // else somebody has canceled j, and submitted it to another pool
			p.failures.refuse(j)
		}
		return
	}
	p.lanes[lane].inject(jobItem(j), false)
}

// BeginFrame tells the pool that a frame begins. Until EndFrame, workers that run out of work may stay awake for up to
// 200 µs. The frame goroutine; about 30 ns.
func (p *Pool) BeginFrame() {
	// At most one worker less than there are processors stays awake, as long as that pays: while the frame forks again
	// within the 200 µs.
	p.classes[ordinary].sleep.SetBurst(true)
	p.frameFirst.FrameBegins()
	now := deadline.Now()
	p.machine.quota.Bucket.FrameBegins(now)
	p.follow.followProcs(now)
}

// EndFrame tells the pool that the frame's own work is over. The frame goroutine.
func (p *Pool) EndFrame() { p.classes[ordinary].sleep.SetBurst(false) }
