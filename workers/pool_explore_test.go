//go:build explore

package workers

import (
	"math"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
)

// bare returns a pool without workers, of which the jobs of Low belong to the background class. Only the lanes of the
// priorities have queues, as to make them takes longer than most schedules.
func bare(priorities ...deadline.Priority) *Pool {
	p := new(Pool)
	p.opt.Workers = -1
	p.opt.forced.spares = maxSpares
	p.machine.opt, p.machine.virtual = &p.opt, true
	p.follow.machine, p.follow.quiet, p.follow.class = &p.machine, &p.quiet, &p.classes[ordinary]
	p.follow.next.Store(math.MaxInt64) // it depends on the machine, and starts a goroutine
	p.failures.kinds = &p.kinds
	for i := range p.classes {
		c := &p.classes[i]
		c.pool, c.low = p, i == background
		c.hire = func(i int) { p.hire(c, i) }
		c.unstaffed.Store(new(park.NewEvent()))
	}
	for at := range p.lanes {
		p.lanes[at].at, p.lanes[at].class, p.lanes[at].quiet = at, &p.classes[ordinary], &p.quiet
	}
	p.lanes[deadline.Low.Lane()].class = &p.classes[background]
	for _, prio := range priorities {
		l := &p.lanes[prio.Lane()]
		l.init(l.at, l.class, l.quiet, 0)
		l.class.lanes = append(l.class.lanes, l.at)
	}
	each := func(ok func(l *lane) bool) bool {
		for _, prio := range priorities {
			if ok(&p.lanes[prio.Lane()]) {
				return true
			}
		}
		return false
	}
	p.anyQueued = func() bool { return each((*lane).queued) }
	p.anyOrphan = func(all bool) bool { return each(func(l *lane) bool { return l.orphaned(all) }) }
	p.reap = func() {
		for _, prio := range priorities {
			p.reapLane(&p.lanes[prio.Lane()])
		}
	}
	p.release = func() {}
	return p
}

// A crew is a pool with one lane, of which the program has the workers' goroutines.
type crew struct {
	pool   *Pool
	class  *class
	lane   *lane
	starts [3]atomic.Bool // the worker has been given a goroutine
	main   func(w *Worker)
}

// newCrew returns the program's crew of n workers, which have goroutines.
func newCrew(p *explore.Program, prio deadline.Priority, n int) *crew {
	c := &crew{pool: bare(prio), main: (*Worker).work}
	c.lane = &c.pool.lanes[prio.Lane()]
	c.class = c.lane.class
	c.pool.launch = func(w *Worker) { c.starts[w.index].Store(true) }
	c.pool.dismiss = func() {
		c.pool.reap()
		c.pool.sendHome()
	}
	c.class.base.Store(int32(n))
	c.class.staff(n)
	p.Cleanup(func() {
		for i := range c.class.used.Load() {
			c.worker(int(i)).nested.c.Close() // whoever left in the midst of a job has not done so
		}
	})
	return c
}

func (c *crew) worker(i int) *Worker { return c.class.slots[i].Load() }

// work is the goroutines of a worker, one after the other, until the pool has ended.
func (c *crew) work(i int) {
	for {
		switch {
		case c.starts[i].CompareAndSwap(true, false):
			c.main(c.worker(i))
		case c.pool.ended.Load():
			return
		default:
			explore.Yield()
		}
	}
}

// end makes the workers leave, which have nothing to do any more.
func (c *crew) end() {
	c.pool.state.Store(gone)
	c.pool.sendHome()
}

// A clerk is a worker that looks into one lane only, so that schedules are short.
type clerk struct {
	searcher
	search, leaving func() bool
}

func (k *clerk) Search() bool  { return k.search() }
func (k *clerk) Leaving() bool { return k.leaving() }
func (k *clerk) Settle()       {}
func (k *clerk) Asleep()       {}
func (k *clerk) Awake()        {}

// sit puts the clerk in its worker's place.
func (k *clerk) sit(c *class) {
	parker, kind := park.New(park.Chan, false)
	k.sleeper.Join(&c.sleep, k.index, k, parker, kind)
}

// findOrSleep takes something, or returns false if the clerk is to leave.
func (k *clerk) findOrSleep() bool { return !k.leaving() && (k.search() || k.sleeper.Sleep()) }
