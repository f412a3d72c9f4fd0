package scheduler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

// A stranger is the task or posted function behind a Deed.
type stranger struct {
	task   *scheduler.Task
	handle scheduler.Handle
	co     bool // a coroutine
	alone  bool // of no group
}

func (d *stranger) String() string {
	switch {
	case d.co:
		return "coroutine"
	case d.task != nil:
		return "task"
	}
	return "function"
}

func (d *stranger) state() scheduler.State {
	if d.task != nil {
		return d.task.State()
	}
	return d.handle.State()
}

func (d *stranger) cancel() bool {
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
	testkit.Cast
	s      *scheduler.Scheduler
	thread bool // the frame goroutine is locked to its thread
	closed atomic.Bool

	groups [3]atomic.Pointer[scheduler.Group]
	woken  chan struct{}

	asked, told atomic.Int64 // of Notify
	door        flow.Semaphore
	within      int            // how many are in the door
	wg          sync.WaitGroup // goroutines that are nobody's
	later       sync.WaitGroup // those that end what coroutines await

	mu   sync.Mutex
	done []openDone
	made []*scheduler.Group

	// Of events, the frame goroutine's.
	open   map[uint64]bool // generations; false if it has ended
	timers uint64          // of coroutines, that have ended
}

// deed notes a function that is going to be submitted.
func (c *strangers) deed(st *stranger) *testkit.Deed {
	d := c.Deed(st)
	d.Cancel, d.Mild = st.cancel, st.co
	return d
}

func (c *strangers) await(whose string, done <-chan struct{}) {
	if done != nil {
		c.mu.Lock()
		c.done = append(c.done, openDone{whose, done})
		c.mu.Unlock()
	}
}

// run is what a function does.
func (c *strangers) run(d *testkit.Deed) {
	d.Run(&c.Cast, func() {
		r := c.Rand()
		c.Alone(d, func() {
			for range r.IntN(3) {
				c.act(r)
				c.pace(r)
			}
			switch r.IntN(24) {
			case 0:
				panic("on purpose")
			case 1:
				runtime.Goexit()
			}
		})
	})
}

// coroutine is what a coroutine does.
func (c *strangers) coroutine(d *testkit.Deed, co *scheduler.Co) {
	r := c.Rand()
	for range r.IntN(4) {
		switch r.IntN(9) {
		case 0:
			co.Yield()
		case 1:
			co.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
		case 2:
			co.NextFrame()
		case 3:
			f := &future{}
			c.later.Go(func() { f.finish(7, nil) })
			d := time.Duration(r.IntN(200)) * time.Microsecond
			v, err := scheduler.AwaitTimeout[int](co, f, d) // its timer tells play that there is something to do
			if r.IntN(2) == 0 {
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				v, err = flow.AwaitContext(ctx, co, &future{}) // which nobody finishes
			}
			if err == nil && v != 7 {
				c.Fail("Await returns %d", v)
			}
		case 4: // one that is older than this, so that no circle comes about
			if e := c.Known(r); e != nil && e.Mild && e.ID < d.ID {
				task := e.Of.(*stranger).task
				if err := co.Wait(task); task.State() < scheduler.Done {
					c.Fail("Wait returns %v for %v, which is %v", err, e, task.State())
				}
			}
		case 5:
			c.Alone(d, func() { c.act(r); c.pace(r) })
		case 6:
			co.ShouldYield()
		case 7:
			c.enter(r, co)
		case 8:
			fs := []*future{{}, {}}
			next := flow.AsCompleted(fs...)
			c.later.Go(func() { fs[1].finish(7, nil) })
			if i, err := scheduler.AwaitTimeout(co, next, 200*time.Microsecond); err == nil && i != 1 {
				c.Fail("AsCompleted gives %d", i)
			}
		}
	}
}

// enter is with the door, of which two may be at once.
func (c *strangers) enter(r *rand.Rand, co *scheduler.Co) {
	c.door.Acquire(co)
	defer c.door.Release()
	if c.within++; c.within > 2 {
		c.Fail("%d are in the door", c.within)
	}
	defer func() { c.within-- }()
	switch r.IntN(4) {
	case 0:
		co.NextFrame()
	case 1:
		co.Sleep(ms)
	case 2:
		co.Yield()
	}
}

func (c *strangers) act(r *rand.Rand) {
	if c.Left.Add(-1) < 0 {
		return
	}
	prio := deadline.Priorities()[r.IntN(deadline.NumPriorities)]
	g := c.groups[r.IntN(len(c.groups))].Load()
	switch r.IntN(9) {
	case 0, 1:
		st := &stranger{}
		d := c.deed(st)
		run := func() { c.run(d) }
		switch n := r.IntN(6); n {
		case 0, 1:
			st.handle = g.Post(prio, run)
		case 2:
			st.handle = g.Once(scheduler.Phase(r.IntN(scheduler.NumPhases)), run)
		case 3:
			st.alone, st.handle = true, c.s.After(prio, time.Duration(r.IntN(300))*time.Microsecond, run)
		default:
			st.alone, st.handle = true, c.s.Post(prio, run)
		}
		c.Share(r, d)
	case 2:
		st := &stranger{task: &scheduler.Task{Priority: prio}}
		d := c.deed(st)
		st.task.Func = func() { c.run(d) }
		st.task.Delay = time.Duration(r.IntN(3)) * 100 * time.Microsecond
		c.submit(r, d, g)
	case 3, 4:
		st := &stranger{task: &scheduler.Task{Priority: prio}, co: true}
		d := c.deed(st)
		st.task.Co = func(co *scheduler.Co) { d.Run(&c.Cast, func() { c.coroutine(d, co) }) }
		c.submit(r, d, g)
	case 5, 6:
		c.CancelKnown(r)
	case 7:
		if d := c.Known(r); d != nil {
			if st := d.Of.(*stranger); st.task != nil {
				st.task.SetPriority(prio)
			} else {
				st.handle.SetPriority(prio)
			}
		}
	case 8:
		c.actOnGroup(r, g)
	}
}

// submit submits the task of d, every other one into g.
func (c *strangers) submit(r *rand.Rand, d *testkit.Deed, g *scheduler.Group) {
	task := d.Of.(*stranger).task
	if r.IntN(2) == 0 {
		task.Group = g
	}
	c.s.Submit(task)
	c.await("a task", task.Done())
	c.Share(r, d)
}

func newStrangers(seed uint64) *strangers {
	c := &strangers{thread: seed%2 == 0, woken: make(chan struct{}, 1), door: flow.Semaphore{Limit: 2}}
	c.Seed = seed
	c.open = map[uint64]bool{}
	c.s = scheduler.New(scheduler.Options{
		OnEvent: c.see,
		OnPanic: func(p *scheduler.PanicError) {
			if p.Value != any("on purpose") && p.Value != error(scheduler.ErrGoexit) {
				c.Fail("%v\n%s", p, p.Stack)
			}
		},
		Wake: func() {
			select {
			case c.woken <- struct{}{}:
			default:
			}
		},
	})
	c.Left.Store(2000)
	for i := range c.groups {
		c.newGroup(i, c.s.NewGroup)
	}
	return c
}

// play has strangers come and go beside a frame goroutine, which closes the scheduler in their midst or when all are
// gone and nothing is left to do.
func (c *strangers) play() {
	r := c.Rand()
	closeAt := 1000
	if r.IntN(3) == 0 {
		closeAt = r.IntN(30)
	}
	gone := make(chan struct{})
	for range 4 {
		c.wg.Go(func() {
			for r := c.Rand(); c.Left.Load() > 0 && !c.closed.Load(); {
				if c.act(r); r.IntN(20) == 0 {
					time.Sleep(time.Duration(r.IntN(100)) * time.Microsecond)
				}
			}
		})
	}
	go func() { c.wg.Wait(); close(gone) }()
	for i, quiet := 0, 0; quiet < 2; i++ {
		c.s.BeginFrame(deadline.Now())
		if i == closeAt {
			c.closed.Store(true)
			if r.IntN(2) == 0 {
				st := &stranger{}
				d := c.deed(st)
				st.handle = c.s.Post(deadline.Immediate, func() { d.Run(&c.Cast, c.s.Close) })
			} else {
				c.s.Close()
			}
		}
		c.s.RunUntil(deadline.In(time.Duration(50+r.IntN(300)) * time.Microsecond))
		if r.IntN(10) == 0 {
			c.s.Shift(time.Duration(r.IntN(20)) * time.Microsecond)
		}
		if i > 100_000 {
			c.Fail("there always is something to do: %+v", c.s.Stats())
			return
		}
		if c.pace(r); c.Left.Load() <= 0 { // the menu is closed, at last
			c.mu.Lock()
			for _, g := range c.made {
				g.Resume()
			}
			c.mu.Unlock()
		}
		at, ok := c.s.Next()
		wait := time.Minute
		if ok {
			wait = max(at.Sub(deadline.Now()), 0)
		}
		select { // the host sleeps until Next or Wake, and for nothing else
		case <-c.woken:
		case <-gone:
			if c.later.Wait(); !ok {
				quiet++
			}
			time.Sleep(min(wait, time.Millisecond))
		case <-time.After(wait):
			if !ok {
				c.Fail("a lost wake-up: %+v", c.s.Stats())
				return
			}
		}
	}
	c.check()
	inTime := !c.closed.Swap(true) // who posts while Close runs may lose an item of the arena
	c.s.Close()
	c.checkClosed(inTime)
	c.checkEnds()
}

// Goroutines, and the functions that they post, do at random all that any goroutine may do. They know each other's
// tasks and groups, but not what becomes of them. Nothing is lost, nothing runs twice, no wake-up is missed.
func TestStrangers(t *testing.T) {
	testkit.RandomPrograms(t, 60, testkit.Fresh, func(seed uint64) testkit.RandomProgram {
		return newStrangers(seed)
	})
}

func (c *strangers) String() string { return fmt.Sprintf("locked to its thread %v", c.thread) }

func (c *strangers) Run(t *testing.T) []string {
	onThread(c.thread, c.play)
	return c.Faults()
}
