package scheduler_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/scheduler"
	"github.com/frameslice/frameslice/scheduler/flow"
)

func newStrangers(seed uint64) *strangers {
	c := &strangers{seed: seed}
	c.s = scheduler.New(scheduler.Options{OnPanic: func(p *scheduler.PanicError) {
		if p.Value != any("on purpose") && p.Value != error(scheduler.ErrGoexit) {
			c.fail("%v\n%s", p, p.Stack)
		}
	}})
	c.left.Store(2000)
	for i := range c.groups {
		c.groups[i].Store(c.s.NewGroup("g"))
	}
	for full := range flow.CallerRuns + 1 {
		c.bounds = append(c.bounds, flow.NewBound(c.s, flow.BoundOptions{Limit: 2, Full: full}))
	}
	c.latest = flow.NewLatest(c.s, flow.LatestOptions{Keys: 4}, func(k int, v int64) {
		if v > c.posted[k].Load() {
			c.fail("Latest runs value %d of key %d, which nobody has posted", v, k)
		}
	})
	pulse := func(i int) func() { return func() { c.ran[i].Store(c.called[i].Load()) } }
	c.pulses = []pulser{
		flow.NewDebounce(c.s, flow.DebounceOptions{Wait: 100 * time.Microsecond}, pulse(0)),
		flow.NewThrottle(c.s, flow.ThrottleOptions{Wait: 100 * time.Microsecond}, pulse(1)),
	}
	c.rate = flow.RateLimit{Every: 10 * time.Microsecond, Burst: 3, MaxDelay: time.Millisecond, Scheduler: c.s}
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
				c.act(r, false)
			}
		})
	}
	go func() { c.wg.Wait(); close(gone) }()
	for i, alone, quiet := 0, 0, 0; quiet < 2; i++ {
		c.s.BeginFrame(deadline.Now())
		if i == closeAt {
			c.closed.Store(true)
			if r.IntN(2) == 0 {
				c.s.Post(deadline.Immediate, c.s.Close)
			} else {
				c.s.Close()
			}
		}
		c.s.RunUntil(deadline.In(time.Duration(50+r.IntN(300)) * time.Microsecond))
		select {
		case <-gone:
			c.later.Wait()
			if at, ok := c.s.Next(); !ok {
				quiet++
			} else if wait := at.Sub(deadline.Now()); wait > 0 {
				time.Sleep(wait)
			}
			if alone++; alone > 10_000 {
				c.fail("there always is something to do: %+v", c.s.Stats())
				return
			}
		default:
			runtime.Gosched()
		}
	}
	c.check()
	inTime := !c.closed.Swap(true) // who posts while Close runs may lose an item of the arena
	c.s.Close()
	c.checkClosed(inTime)
}

// check looks at what must be so when nothing is left to do, though the scheduler may be closed already.
func (c *strangers) check() {
	for _, d := range c.all {
		st, b, e, canceled := d.state(), d.begun.Load(), d.ended.Load(), d.canceled.Load() > 0
		forgotten := d.task == nil && st == scheduler.Unsubmitted
		switch {
		case st < scheduler.Done && !forgotten:
			c.fail("%d is %v, and nothing is left to do", d.id, st)
		case b != e || st == scheduler.Done && b != 1 || d.alone && b != 1 && !canceled && !c.closed.Load():
			c.fail("%d began %d times, ended %d times, and is %v", d.id, b, e, st)
		case canceled && st != scheduler.Canceled && !forgotten:
			c.fail("%d was canceled, and is %v", d.id, st)
		}
	}
	for _, o := range c.done {
		if !isDone(o.done) {
			c.fail("Done of %s is open, and nothing is left to do; closed: %v", o.whose, c.closed.Load())
		}
	}
	if a, b := c.asked.Load(), c.told.Load(); a != b {
		c.fail("Notify was called %d times, and %d have heard", a, b)
	}
	if c.closed.Load() {
		return
	}
	for i := range c.called {
		if c.called[i].Load() != c.ran[i].Load() {
			c.fail("pulse %d ran at call %d of %d for the last time", i, c.ran[i].Load(), c.called[i].Load())
		}
	}
	if n := c.rated.Load(); n != 0 {
		c.fail("%d functions of RateLimit have not run", n)
	}
	for i, b := range c.bounds {
		for _, p := range deadline.Priorities() {
			if n := b.Len(p); n != 0 {
				c.fail("Bound %d: %d wait", i, n)
			}
		}
	}
	if n := c.latest.Len(); n != 0 {
		c.fail("%d keys of Latest wait", n)
	}
}

func (c *strangers) checkClosed(whole bool) {
	st := c.s.Stats()
	if st.Ready != [5]int{} || st.Delayed != [5]int{} || st.Waiting+st.Frame+st.Idle+st.Coroutines != 0 {
		c.fail("%+v is left of a closed scheduler", st)
	}
	if size, free := scheduler.ArenaSize(c.s); whole && size != free {
		c.fail("%d of %d items are free", free, size)
	}
}

// Goroutines of all kinds, and what they post, do at random what any goroutine may do with whatever they find: the
// strangers of the name know each other's tasks, groups and flows, but not what becomes of them.
func TestStrangers(t *testing.T) {
	n := 60
	if testing.Short() || scheduler.RaceEnabled || runtime.GOOS == "js" {
		n = 15
	}
	for range n {
		seed := rand.Uint64()
		c := newStrangers(seed)
		if c.play(); len(c.faults) > 0 {
			first := c.faults[:min(len(c.faults), 5)]
			t.Fatalf("seed %d, %d faults: %s", seed, len(c.faults), strings.Join(first, "\n"))
		}
	}
}
