//go:build explore

package workers

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// GOMAXPROCS becomes one, which a frame notices, and then two, while the program only submits. A job blocks twice (E4).
// The timer comes whenever it is set and something has happened. So if nobody looks, the worker that is wanted in the
// end does not come, and the timer's goroutine waits for good.
func TestExploreSomebodyLooksWhereNobodyWorks(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		crew := newCrew(p, deadline.Normal, 1)
		pool, c, f := crew.pool, crew.class, &crew.pool.follow
		pool.opt.Workers = 0
		var procs, happened, over atomic.Int32
		var set atomic.Bool
		var look func()
		f.survey = func() {}
		f.wanted = func() int { return int(procs.Load()) - 1 }
		f.after = func(_ time.Duration, f func()) {
			if look = f; set.Swap(true) {
				p.Fail("there are two timers")
			}
		}
		procs.Store(2)
		act := func(name string, acts ...func()) {
			p.Go(name, func() {
				for _, f := range acts {
					f()
					happened.Add(1)
				}
				over.Add(1)
			})
		}
		act("program", func() { procs.Store(1) }, f.adapt, func() { procs.Store(2) })
		act("job", func() { c.addSpare() }, c.dropSpare, func() { c.addSpare() }, c.dropSpare)
		p.Go("timer", func() {
			seen := int32(-1)
			for {
				end, now := over.Load() == 2, happened.Load()
				if end && c.base.Load() == 1 {
					return
				}
				if now == seen || !set.Load() {
					explore.Yield()
					continue
				}
				seen = now
				set.Store(false)
				look()
			}
		})
		p.End(func() error {
			if n := c.want.Load(); n != 1 {
				return fmt.Errorf("%d workers are wanted", n)
			}
			return nil
		})
	})
}
