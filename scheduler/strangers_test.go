package scheduler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// A deed is a function that somebody has given to the scheduler.
type deed struct {
	begun, ended, canceled atomic.Int32
	task                   *scheduler.Task
	handle                 scheduler.Handle
	id                     int64
	co                     bool // a coroutine
	alone                  bool // of no group
}

func (d *deed) state() scheduler.State {
	if d.task != nil {
		return d.task.State()
	}
	return d.handle.State()
}

func (d *deed) cancel() bool {
	if d.task != nil {
		return d.task.Cancel()
	}
	return d.handle.Cancel()
}

type openDone struct {
	whose string
	done  <-chan struct{}
}

// strangers is a scheduler that some goroutines, and what they post, use at once.
type strangers struct {
	s      *scheduler.Scheduler
	seed   uint64
	serial atomic.Int64
	left   atomic.Int64
	closed atomic.Bool

	deeds  [32]atomic.Pointer[deed] // that others know of
	groups [3]atomic.Pointer[scheduler.Group]
	bounds []*flow.Bound
	latest *flow.Latest[int, int64]
	pulses []pulser
	rate   flow.RateLimit

	called, ran [2]atomic.Int64 // of pulses: Call or Flush was called, the function ran
	posted      [4]atomic.Int64 // of Latest: the newest value of each key, if one goroutine alone posts it
	asked, told atomic.Int64    // of Notify
	rated       atomic.Int64    // functions of RateLimit that were accepted less those that ran
	frame       atomic.Int32    // how many tasks run
	wg          sync.WaitGroup  // goroutines that are nobody's
	later       sync.WaitGroup  // those that end what coroutines await

	mu     sync.Mutex
	all    []*deed
	done   []openDone
	faults []string
}

func (c *strangers) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *strangers) rng() *rand.Rand { return rand.New(rand.NewPCG(c.seed, uint64(c.serial.Add(1)))) }

func (c *strangers) deed() *deed {
	d := &deed{id: c.serial.Add(1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, d)
	return d
}

// share lets others know of d, once it is submitted.
func (c *strangers) share(r *rand.Rand, d *deed) { c.deeds[r.IntN(len(c.deeds))].Store(d) }

func (c *strangers) await(whose string, done <-chan struct{}) {
	if done != nil {
		c.mu.Lock()
		c.done = append(c.done, openDone{whose, done})
		c.mu.Unlock()
	}
}

// alone runs f, which the frame goroutine runs and nobody else at the same time.
func (c *strangers) alone(f func()) {
	if c.frame.Add(1) != 1 {
		c.fail("two tasks at once")
	}
	defer c.frame.Add(-1)
	f()
}

// run is what a function does.
func (c *strangers) run(d *deed) {
	if d.canceled.Load() > 0 {
		c.fail("%d runs after Cancel has returned true", d.id)
	}
	if d.begun.Add(1) > 1 {
		c.fail("%d runs twice", d.id)
	}
	defer d.ended.Add(1)
	r := c.rng()
	c.alone(func() {
		for range r.IntN(3) {
			c.act(r, true)
		}
		switch r.IntN(24) {
		case 0:
			panic("on purpose")
		case 1:
			runtime.Goexit()
		}
	})
}

// coroutine is what a coroutine does.
func (c *strangers) coroutine(d *deed, co *scheduler.Co) {
	d.begun.Add(1)
	defer d.ended.Add(1)
	r := c.rng()
	for range r.IntN(4) {
		switch r.IntN(7) {
		case 0:
			co.Yield()
		case 1:
			co.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
		case 2:
			co.NextFrame()
		case 3:
			f := &future{}
			c.later.Go(func() { f.finish(7, nil) })
			v, err := scheduler.AwaitTimeout[int](co, f, time.Duration(r.IntN(200))*time.Microsecond)
			if err == nil && v != 7 {
				c.fail("Await returns %d", v)
			}
		case 4: // one that is older than this, so that no circle comes about
			if e := c.deeds[r.IntN(len(c.deeds))].Load(); e != nil && e.task != nil && e.id < d.id && e.co {
				if err := co.Wait(e.task); e.task.State() < scheduler.Done {
					c.fail("Wait returns %v for %d, which is %v", err, e.id, e.task.State())
				}
			}
		case 5:
			c.alone(func() { c.act(r, true) })
		case 6:
			co.ShouldYield()
		}
	}
}

func (c *strangers) act(r *rand.Rand, inside bool) {
	if c.left.Add(-1) < 0 {
		return
	}
	prio := deadline.Priorities()[r.IntN(5)]
	g := c.groups[r.IntN(len(c.groups))].Load()
	switch r.IntN(14) {
	case 0, 1:
		d := c.deed()
		if r.IntN(2) == 0 {
			d.handle = g.Post(prio, func() { c.run(d) })
		} else {
			d.alone, d.handle = true, c.s.Post(prio, func() { c.run(d) })
		}
		c.share(r, d)
	case 2:
		d := c.deed()
		d.task = &scheduler.Task{Priority: prio, Func: func() { c.run(d) }}
		d.task.Delay = time.Duration(r.IntN(3)) * 100 * time.Microsecond
		if r.IntN(2) == 0 {
			d.task.Group = g
		}
		c.s.Submit(d.task)
		c.await("a task", d.task.Done())
		c.share(r, d)
	case 3, 4:
		d := c.deed()
		d.co = true
		d.task = &scheduler.Task{Priority: prio, Co: func(co *scheduler.Co) { c.coroutine(d, co) }}
		if r.IntN(2) == 0 {
			d.task.Group = g
		}
		c.s.Submit(d.task)
		c.await("a task", d.task.Done())
		c.share(r, d)
	case 5, 6:
		if d := c.deeds[r.IntN(len(c.deeds))].Load(); d != nil && d.cancel() && !d.co {
			if d.canceled.Add(1) > 1 || d.begun.Load() > 0 {
				c.fail("Cancel of %d returns true, which was canceled %d times and has run %d times", d.id,
					d.canceled.Load(), d.begun.Load())
			}
		}
	case 7:
		if d := c.deeds[r.IntN(len(c.deeds))].Load(); d != nil && d.task != nil {
			d.task.SetPriority(prio)
		} else if d != nil {
			d.handle.SetPriority(prio)
		}
	case 8:
		c.actOnGroup(r, g)
	case 9, 10:
		c.bounded(r, prio, inside)
	case 11:
		k := r.IntN(len(c.posted))
		if r.IntN(5) == 0 {
			c.latest.Cancel(k)
		} else {
			_ = c.latest.Post(k, c.posted[k].Add(1))
		}
	case 12:
		i := r.IntN(2)
		if r.IntN(3) == 0 {
			c.pulses[i].Flush()
		} else {
			c.called[i].Add(1)
			c.pulses[i].Call()
		}
	case 13:
		if _, err := c.rate.Post(prio, func() { c.rated.Add(-1) }); err == nil {
			c.rated.Add(1)
		}
	}
}

func (c *strangers) actOnGroup(r *rand.Rand, g *scheduler.Group) {
	switch r.IntN(5) {
	case 0:
		c.groups[r.IntN(len(c.groups))].Store(c.s.NewGroup("another"))
		g.Cancel()
	case 1:
		g.SetPriority(deadline.Priorities()[r.IntN(5)])
	case 2:
		c.await("a group", g.Done())
	default:
		c.asked.Add(1)
		g.Notify(func() { c.told.Add(1) })
	}
}

func (c *strangers) bounded(r *rand.Rand, prio deadline.Priority, inside bool) {
	full := r.IntN(len(c.bounds))
	d := &deed{id: c.serial.Add(1)}
	f := func() {
		if d.begun.Add(1) > 1 {
			c.fail("a function of a Bound runs twice")
		}
	}
	if inside || r.IntN(2) == 0 {
		err := c.bounds[full].Post(prio, f)
		if err != nil && flow.Full(full) != flow.Reject && !c.closed.Load() {
			c.fail("Post of a Bound that does %d: %v", full, err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(300))*time.Microsecond)
	defer cancel()
	if err := c.bounds[full].PostWait(ctx, prio, f); err != nil && ctx.Err() == nil && !c.closed.Load() {
		c.fail("PostWait: %v", err)
	}
}
