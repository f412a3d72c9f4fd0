package scheduler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/testkit"
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
	woken  chan struct{}

	asked, told atomic.Int64 // of Notify
	frame       atomic.Int32 // how many tasks run
	door        flow.Semaphore
	within      int            // how many are in the door
	wg          sync.WaitGroup // goroutines that are nobody's
	later       sync.WaitGroup // those that end what coroutines await

	mu     sync.Mutex
	all    []*deed
	done   []openDone
	faults []string
	made   []*scheduler.Group

	// Of events, the frame goroutine's.
	open   map[uint64]bool // lives; false if it has ended
	timers uint64          // of coroutines, that have ended
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
}

// coroutine is what a coroutine does.
func (c *strangers) coroutine(d *deed, co *scheduler.Co) {
	d.begun.Add(1)
	defer d.ended.Add(1)
	r := c.rng()
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
				c.fail("Await returns %d", v)
			}
		case 4: // one that is older than this, so that no circle comes about
			if e := c.deeds[r.IntN(len(c.deeds))].Load(); e != nil && e.task != nil && e.id < d.id && e.co {
				if err := co.Wait(e.task); e.task.State() < scheduler.Done {
					c.fail("Wait returns %v for %d, which is %v", err, e.id, e.task.State())
				}
			}
		case 5:
			c.alone(func() { c.act(r); c.pace(r) })
		case 6:
			co.ShouldYield()
		case 7:
			c.enter(r, co)
		case 8:
			fs := []*future{{}, {}}
			next := flow.AsCompleted(fs...)
			c.later.Go(func() { fs[1].finish(7, nil) })
			if i, err := scheduler.AwaitTimeout(co, next, 200*time.Microsecond); err == nil && i != 1 {
				c.fail("AsCompleted gives %d", i)
			}
		}
	}
}

// enter is with the door, of which two may be at once.
func (c *strangers) enter(r *rand.Rand, co *scheduler.Co) {
	c.door.Acquire(co)
	defer c.door.Release()
	if c.within++; c.within > 2 {
		c.fail("%d are in the door", c.within)
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
	if c.left.Add(-1) < 0 {
		return
	}
	prio := deadline.Priorities()[r.IntN(deadline.NumPriorities)]
	g := c.groups[r.IntN(len(c.groups))].Load()
	switch r.IntN(9) {
	case 0, 1:
		d := c.deed()
		run := func() { c.run(d) }
		switch n := r.IntN(6); n {
		case 0, 1:
			d.handle = g.Post(prio, run)
		case 2:
			d.handle = g.Once(scheduler.Phase(r.IntN(scheduler.NumPhases)), run)
		case 3:
			d.alone, d.handle = true, c.s.After(prio, time.Duration(r.IntN(300))*time.Microsecond, run)
		default:
			d.alone, d.handle = true, c.s.Post(prio, run)
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
	}
}

func newStrangers(seed uint64) *strangers {
	c := &strangers{seed: seed, woken: make(chan struct{}, 1), door: flow.Semaphore{Limit: 2}}
	c.open = map[uint64]bool{}
	c.s = scheduler.New(scheduler.Options{
		OnEvent: c.see,
		OnPanic: func(p *scheduler.PanicError) {
			if p.Value != any("on purpose") && p.Value != error(scheduler.ErrGoexit) {
				c.fail("%v\n%s", p, p.Stack)
			}
		},
		Wake: func() {
			select {
			case c.woken <- struct{}{}:
			default:
			}
		},
	})
	c.left.Store(2000)
	for i := range c.groups {
		c.newGroup(i, c.s.NewGroup)
	}
	return c
}

// play has strangers come and go beside a frame goroutine, which closes the scheduler in their midst or when all are
// gone and nothing is left to do.
func (c *strangers) play() {
	r := c.rng()
	closeAt := 1000
	if r.IntN(3) == 0 {
		closeAt = r.IntN(30)
	}
	gone := make(chan struct{})
	for range 4 {
		c.wg.Go(func() {
			for r := c.rng(); c.left.Load() > 0 && !c.closed.Load(); {
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
				d := c.deed()
				d.handle = c.s.Post(deadline.Immediate, func() {
					d.begun.Add(1)
					c.s.Close()
					d.ended.Add(1)
				})
			} else {
				c.s.Close()
			}
		}
		c.s.RunUntil(deadline.In(time.Duration(50+r.IntN(300)) * time.Microsecond))
		if r.IntN(10) == 0 {
			c.s.Shift(time.Duration(r.IntN(20)) * time.Microsecond)
		}
		if i > 100_000 {
			c.fail("there always is something to do: %+v", c.s.Stats())
			return
		}
		if c.pace(r); c.left.Load() <= 0 { // the menu is closed, at last
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
				c.fail("a lost wake-up: %+v", c.s.Stats())
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
	n := 60
	if testing.Short() || testkit.UnderRace || runtime.GOOS == "js" {
		n = 15
	}
	for i := range n {
		seed := rand.Uint64()
		c := newStrangers(seed)
		onThread(i%2 == 0, c.play)
		if len(c.faults) > 0 {
			first := c.faults[:min(len(c.faults), 5)]
			t.Fatalf("seed %d, %d faults: %s", seed, len(c.faults), strings.Join(first, "\n"))
		}
	}
}
