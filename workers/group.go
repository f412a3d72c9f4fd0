package workers

import (
	"context"
	"math"
	"reflect"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/latch"
	"github.com/frameslice/frameslice/internal/park"
)

// A Group is functions that end together, as with errgroup. It may begin in one place and end in another, perhaps some
// frames later. The functions run on workers, in RunUntil, and in Wait. A frame goroutine must not wait: have a job
// call Wait. Groups may be nested to any depth, on any number of workers. Functions that wait for one another can hang,
// unless they wait within Blocking, or in a Job within Worker.Blocking: see the example.
type Group struct {
	pool   *Pool
	parent poolContext
	ctx    context.Context
	cancel context.CancelCauseFunc
	prio   deadline.Priority
	low    bool // NewGroup was called on the thread of a background worker

	left     atomic.Int64
	stack    atomic.Pointer[groupJob]
	latch    latch.Latch // of the calls of Wait
	first    atomic.Pointer[error]
	panicked atomic.Pointer[PanicError]

	ended atomic.Bool
	err   error // Wait's result, set before ended
}

// The protocol of a Group. Each job is an ordinary job in a lane of the pool, and also in the group's own stack. Only
// the goroutine in Wait takes jobs from the stack. It claims a job like a worker, so the job's entry in the lane does
// no harm.
//
//	WS1  left counts the jobs that have not ended. It is raised before a job is visible, in the stack or in a lane,
//	     and lowered when the job has ended. All that the job spawned has been counted by then. So zero within
//	     Wait means that no job is left. Only a Go on a goroutine of its own could still bring one: WS3.
//	WS2  The sleepers of the latch are woken after a job is in the stack and after left has become zero. Wait looks at
//	     both again when it has enlisted, and when it has been woken (LT1, LT2), so it misses neither.
//	WS3  Only Wait ends the group, by a compare-and-swap of left from zero to groupEnded. A later Go finds a
//	     negative count and panics. Wait waits for the job of an earlier Go.
//
// Rejected: a group as a loop in class.loops, because workers look there first, and a group may be long. Rejected: a
// Wait that runs any queued job, because a short wait then becomes as long as the longest job.

// groupEnded is the value of Group.left when Wait has returned.
const groupEnded = math.MinInt64 / 2

// A groupJob is one function of a Group.
type groupJob struct {
	job   Job
	group *Group
	f     func(ctx context.Context) error
	err   error
	next  *groupJob
}

// NewGroup returns a Group of jobs of priority prio, whose functions get a context that is derived from ctx. The
// context ends with the first error, which is its cause, and with Wait; so Wait must be called. Every function is
// called, also after a panic or an error. A function that a closed pool drops has the error ErrClosed. NewGroup takes
// 1 µs, and each function an allocation and 0.3 µs.
func (p *Pool) NewGroup(ctx context.Context, prio deadline.Priority) *Group {
	laneOf(prio)
	if ctx == nil {
		ctx = context.Background()
	}
	g := &Group{pool: p, prio: prio}
	g.low = p.classes[background].used.Load() > 0 && p.onLowThread()
	g.parent = poolContext{ctx, p}
	g.ctx, g.cancel = context.WithCancelCause(&g.parent)
	return g
}

// Go spawns f with the group's context. It never blocks. The group's functions may call it. It panics after Wait has
// returned.
func (g *Group) Go(f func(ctx context.Context) error) {
	if f == nil {
		panic("workers: Group.Go of a nil function")
	}
	if g.left.Add(1) <= 0 { // WS1
		g.left.Add(-1)
		panic("workers: Go on a Group that has ended")
	}
	p := g.pool
	j := &groupJob{group: g, f: f}
	j.job.Priority = g.prio
	j.job.exec = j
	j.job.prepare(p)
	for {
		j.next = g.stack.Load()
		if g.stack.CompareAndSwap(j.next, j) {
			break
		}
	}
	if p.state.Load() == running {
		p.lanes[g.prio.Lane()].inject(jobItem(&j.job), g.low)
	}
	g.latch.Wake() // WS2
}

// Wait runs the functions that no worker has begun, and returns when all have ended: nil or the first error. It raises
// the first panic of a function, also if there was an error before. A function of the group must not call it. A further
// call returns the same.
func (g *Group) Wait() error {
	_ = await(context.Background(), g.pool, &g.latch, g.lookAtGroup)
	if pe := g.panicked.Load(); pe != nil {
		panic(pe)
	}
	return g.err
}

// lookAtGroup runs the jobs that no worker has begun, and is over when all jobs have ended.
func (g *Group) lookAtGroup() (latch.Verdict, park.Event) {
	switch {
	case g.ended.Load():
		return latch.WaitOver, park.Event{}
	case g.stack.Load() != nil:
		g.runStack()
		return latch.LookAgain, park.Event{}
	case !g.left.CompareAndSwap(0, groupEnded): // WS3
		return latch.MustSleep, park.Event{}
	}
	if first := g.first.Load(); first != nil {
		g.err = *first
	}
	g.cancel(nil)
	g.ended.Store(true)
	g.latch.Wake()
	return latch.WaitOver, park.Event{}
}

// crash keeps the first panic.
func (g *Group) crash(pe *PanicError) {
	g.panicked.CompareAndSwap(nil, pe)
	g.fail(pe)
}

// fail keeps the first error.
func (g *Group) fail(err error) {
	if g.first.CompareAndSwap(nil, &err) {
		g.cancel(err)
	}
}

// runStack runs the jobs in the stack that no worker has begun.
func (g *Group) runStack() {
	p, lane, stale := g.pool, g.prio.Lane(), 0 // stale: entries of jobs that ran here
	cl := p.beginCaller(false)
	cl.w.lowered = cl.w.lowered || g.low
	defer p.endCaller(cl)
	for g.stack.Load() != nil { // what runs here may spawn more
		for j := g.stack.Swap(nil); j != nil; j = j.next {
			if !j.claimOrSee() {
				continue
			}
			if stale++; stale == 64 {
				p.lanes[lane].staleAdded(stale)
				stale = 0
			}
			cl.run(jobItem(&j.job), lane)
		}
	}
	if stale > 0 {
		p.lanes[lane].staleAdded(stale)
	}
}

// claimOrSee claims j, or returns false when another goroutine has. It waits while another goroutine only looks at j
// (J2).
func (j *groupJob) claimOrSee() bool {
	for !j.job.claim() {
		if s := j.job.at(); s != queued && s != looking {
			return false
		}
		atomic.Gosched()
	}
	return true
}

func (j *groupJob) exec(*Worker) { j.err = j.f(j.group.ctx) }

func (j *groupJob) execEnded(err error) {
	g := j.group
	j.f = nil
	pe, crashed := err.(*PanicError) // this job's panic; a PanicError that it returns is an error
	if err == nil {
		err = j.err
	}
	switch {
	case crashed:
		g.crash(pe)
	case err == nil:
	default:
		g.fail(err)
	}
	if g.left.Add(-1) == 0 {
		g.latch.Wake() // WS2
	}
}

func (j *groupJob) entry() uintptr { return reflect.ValueOf(j.f).Pointer() }
