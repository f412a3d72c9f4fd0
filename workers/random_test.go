package workers_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/testkit"
	"github.com/frameslice/frameslice/workers"
)

var randomMode = flag.String("random.mode", "", "bubble or real; empty means both")

// A program is what a seed makes: options of a pool, and goroutines that do acts with it: they submit, fork, wait,
// cancel, close and so on, within jobs that do the same. Jobs fail, panic and call Goexit as well. What each call
// returned, what ran, how often and when is held against what the package promises; nothing is compared with how
// long it took but that a program ends.
type program struct {
	o, o2    workers.Options // of the pool, and of the other one
	outside  [][]*act        // what each goroutine does that is not a job
	procs    int             // GOMAXPROCS
	frames   bool            // there are frames
	runner   bool            // whose goroutine runs jobs by a Runner
	closer   int             // Close is called meanwhile: 0 with a context that is done, 1 with none, 2 with closeFor
	closeAt  time.Duration
	closeFor time.Duration
	inBubble bool // and outside; else only outside
}

func makeProgram(seed uint64) *program {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), budget: 6 + int(seed%5)*8}
	g := &program{o: m.options()}
	if m.IntN(2) == 0 {
		m.only = append(m.only, vJob)
		for range 1 + m.IntN(3) {
			if v := verb(m.IntN(int(numVerbs))); !v.rare() && m.may(v) {
				m.only = append(m.only, v)
			}
		}
	}
	for range 1 + m.IntN(3) {
		var all []*act
		for range 1 + m.IntN(4) {
			all = append(all, m.act(3))
		}
		g.outside = append(g.outside, all)
	}
	g.procs = []int{1, 2, 4}[m.IntN(3)]
	g.frames, g.runner = m.IntN(2) == 0, m.IntN(2) == 0
	g.closer = m.IntN(6)
	g.closeAt = time.Duration(m.IntN(1000)) * time.Microsecond
	g.closeFor = time.Duration(m.IntN(300)) * time.Microsecond
	g.o2 = m.options()
	g.inBubble = *randomMode != "real"
	return g
}

func (g *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v, other %+v on %d frames %v runner %v closer %d at %v for %v\n", g.o, g.o2, g.procs,
		g.frames, g.runner, g.closer, g.closeAt, g.closeFor)
	for i, all := range g.outside {
		fmt.Fprintf(&b, " goroutine %d\n", i)
		for _, a := range all {
			b.WriteString(a.dump("  "))
		}
	}
	return b.String()
}

// once runs g one time, and returns what was wrong.
func (g *program) once(virtual bool) []string {
	c := &course{o: g.o, o2: g.o2, virtual: virtual}
	c.o.OnPanic = func(pe *workers.PanicError) {
		c.gotten.Add(1)
		if b, ok := pe.Value.(*book); !ok || b.act.verb != vGo {
			c.Fail("OnPanic gets %v", pe.Value)
		}
	}
	began := time.Now()
	c.p = workers.New(c.o)
	c.p2 = workers.New(c.o2)
	var outside, rest sync.WaitGroup
	var over atomic.Bool
	framed := make(chan struct{})
	if g.frames {
		rest.Go(func() { g.frame(c, framed, &over) })
		<-framed
	}
	for _, all := range g.outside {
		outside.Go(func() {
			for _, a := range all {
				c.do(spot{}, a)
			}
		})
	}
	if g.closer < 3 {
		rest.Go(func() {
			time.Sleep(g.closeAt)
			if g.closeAt%3 == 0 { // the other pool, too, whose jobs wait for those of this one
				c.closing.Store(true)
				if err := c.p2.Close(background); err != nil {
					c.Fail("the other Close: %v", err)
				}
			}
			ctx, cancel := context.WithTimeout(background, g.closeFor)
			defer cancel()
			if g.closer == 0 {
				cancel()
			}
			c.closing.Store(true)
			if g.closer == 1 {
				ctx = background
			}
			if err := c.p.Close(ctx); err == nil {
				if n := c.running.Load(); n > 0 {
					c.Fail("Close returned while %d run", n)
				}
			} else if g.closer == 1 {
				c.Fail("Close returned %v", err)
			}
		})
	}
	outside.Wait()
	over.Store(true)
	c.closing.Store(true)
	for range 2 {
		rest.Go(func() {
			if err := c.p.Close(background); err != nil {
				c.Fail("the last Close: %v", err)
			}
		})
	}
	rest.Wait()
	if err := c.p2.Close(background); err != nil {
		c.Fail("the other Close: %v", err)
	}
	c.closed.Store(true)
	c.check()
	if took := time.Since(began); virtual && !c.resized.Load() && took > 2*time.Second {
		c.Fail("took %v", took)
	}
	return c.Faults()
}

// frame plays the frame goroutine.
func (g *program) frame(c *course, framed chan struct{}, over *atomic.Bool) {
	s := bridge.Of(c.p).Runner(nil)
	for i := 0; !over.Load(); i++ {
		c.p.BeginFrame()
		if i == 0 {
			close(framed)
		}
		n := atomic.Int64{}
		if i%2 == 0 {
			c.inline.Store(true)
			c.p.ParallelFor(10, 1, func(lo, hi int) { n.Add(int64(hi - lo)) })
			if n.Load() != 10 {
				c.Fail("%d of 10", n.Load())
			}
		}
		if g.runner {
			s.RunUntil(deadline.In(50 * time.Microsecond))
		} else {
			c.p.RunUntil(deadline.In(50 * time.Microsecond))
		}
		c.p.EndFrame()
		bridge.Of(c.p).ExpectFrame(deadline.Now().Add(100*time.Microsecond), 100*time.Microsecond)
		time.Sleep(time.Duration(50+i%7*100) * time.Microsecond)
	}
	s.Close()
}

// check looks at what is left when all is over.
func (c *course) check() {
	var s workers.Stats
	c.p.Stats(&s)
	if n := c.running.Load(); n != 0 {
		c.Fail("%d run at the end", n)
	}
	if c.thrown.Load() != c.gotten.Load() {
		c.Fail("OnPanic was called %d times for %d panics", c.gotten.Load(), c.thrown.Load())
	}
	jobs, unrun, cut := 0, 0, 0
	var which []string
	for _, b := range c.books {
		if b.Begun() != b.Ended() {
			c.Fail("%v began %d times, and ended %d times", b.act, b.Begun(), b.Ended())
		}
		if b.job && b.Begun() > 0 {
			jobs++
		}
		if b.told.Load() != b.wantTold.Load() {
			c.Fail("%v told %d times of %d", b.act, b.told.Load(), b.wantTold.Load())
		}
		if b.err != nil {
			if err, ok := b.err(); ok {
				if err == workers.ErrClosed && b.Begun() == 0 && !b.other {
					unrun++
					which = append(which, b.act.String())
				}
				if err == workers.ErrClosed && b.Begun() == 1 {
					cut++
				}
				c.checkEnd(b, err)
			} else {
				c.Fail("%v has not ended", b.act)
			}
		} else if b.act.verb == vGo && b.Begun() == 0 && !b.other {
			unrun++
			which = append(which, b.act.String())
		}
	}
	if s.Queued != [5]int{} || s.Unserved != 0 {
		c.Fail("still waiting: %v, %d unserved", s.Queued, s.Unserved)
	}
	if uint64(jobs-cut) > s.Run+s.RanByCaller {
		c.Fail("%d jobs have begun, %d of them cut short, %d counted", jobs, cut, s.Run+s.RanByCaller)
	}
	if n := uint64(jobs) + uint64(c.steps.Load()); n != s.Run+s.RanByCaller && !c.inline.Load() {
		c.Fail("%d jobs have begun, %d counted", n, s.Run+s.RanByCaller)
	}
	if uint64(unrun) > s.Dropped {
		c.Fail("%d were not run, %d counted: %v", unrun, s.Dropped, which)
	}
}

// Run runs g in a bubble, where time stands still while anybody runs and a deadlock is found at once, and outside,
// where threads are in each other's way.
func (g *program) Run(t *testing.T) (faults []string) {
	old := runtime.GOMAXPROCS(g.procs)
	defer runtime.GOMAXPROCS(old)
	procs := runtime.GOMAXPROCS(0) // 1 on wasm, whatever g asks for
	if g.inBubble {
		synctest.Test(t, func(*testing.T) { faults = g.once(true) })
		for i := range faults {
			faults[i] = "in the bubble: " + faults[i]
		}
	}
	if *randomMode != "bubble" {
		faults = append(faults, g.once(false)...)
	}
	if n := runtime.GOMAXPROCS(0); n != procs && !strings.Contains(g.String(), " procs ") {
		faults = append(faults, fmt.Sprintf("GOMAXPROCS is %d", n))
	}
	return faults
}

func TestRandomPrograms(t *testing.T) {
	testkit.RandomPrograms(t, 400, testkit.Numbered, func(seed uint64) testkit.RandomProgram {
		return makeProgram(seed)
	})
}
