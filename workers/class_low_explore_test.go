//go:build explore

package workers

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/lowprio"
	"github.com/frameslice/frameslice/internal/osthread"
)

// A background worker is about to begin a job. Other programs crowd the processors for a while, so the worker may
// continue with another thread (Y1, Y2). Meanwhile the pool becomes gone. The job is run, or ended.
func TestExploreWhoChangesThreadsKeepsItsJob(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		c := newCrew(p, deadline.Low, 1)
		w, m := c.worker(0), &c.pool.machine
		m.crowds = true
		w.osClass.Store(uint32(osthread.Lowest))
		c.starts[0].Store(false)
		c.main = func(w *Worker) {
			w.osClass.Store(uint32(osthread.Ordinary))
			w.work()
		}
		ran := 0
		j := &Job{Priority: deadline.Low, Func: func(*Worker) { ran++ }}
		c.pool.Submit(j)
		p.Go("worker", w.work)
		p.Go("its next goroutine", func() { c.work(0) })
		p.Go("others", func() {
			m.crowd.Until(math.MaxInt64)
			m.crowd.Until(0)
		})
		p.Go("Close", func() { c.pool.vanish() })
		p.End(func() error {
			if n := c.pool.failures.lost.Load(); !j.Finished() || ran+int(n) != 1 {
				return fmt.Errorf("the job ran %d times and was dropped %d times", ran, n)
			}
			return nil
		})
	})
}

// A held crew is one of background workers that stand back for a frame. Each nap ends when the program says so, and the
// frame comes then.
func heldCrew(p *explore.Program, workers int, ends func()) *crew {
	c := newCrew(p, deadline.Low, workers)
	const due = deadline.Instant(time.Hour)
	var late atomic.Bool
	c.pool.frameFirst.Clock = lowprio.Clock{
		Now: func() deadline.Instant {
			if late.Load() {
				return due.Add(time.Second)
			}
			return due
		},
		Nap: func(_, _ time.Duration) {
			ends()
			late.Store(true)
		},
	}
	c.pool.frameFirst.Expect(due, time.Second)
	return c
}

// Two workers stand back, each with a job, and none continues before both do. So a worker that is not woken for the
// second job, because the first worker counts as one that searches, is a deadlock (L3).
func TestExploreWhoStandsBackIsNoSearcher(t *testing.T) {
	explore.Explore(t, 1, func(p *explore.Program) {
		var napping, ran atomic.Int32
		c := heldCrew(p, 2, func() {
			napping.Add(1)
			for napping.Load() < 2 {
				napping.Await()
			}
		})
		for i := range 2 {
			p.Go(fmt.Sprint("worker ", i), func() { c.work(i) })
		}
		p.Go("outside", func() {
			for _, label := range []string{"first", "second"} {
				c.pool.Submit(&Job{Label: label, Priority: deadline.Low, Func: func(*Worker) { ran.Add(1) }})
			}
			for ran.Load() < 2 {
				ran.Await()
			}
			c.end()
		})
	})
}

// A worker stands back with a job for which a goroutine waits, until that goroutine has run the job (L3).
func TestExploreWhoStandsBackHasClaimedNothing(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		ran := 0
		j := &Job{Priority: deadline.Low, Func: func(*Worker) { ran++ }}
		c := heldCrew(p, 1, func() {
			for !j.Finished() {
				explore.Yield()
			}
		})
		c.pool.Submit(j)
		p.Go("worker", func() { c.work(0) })
		p.Go("waiter", func() {
			if err := j.Wait(nil); err != nil {
				p.Fail("Wait has returned %v", err)
			}
			c.end()
		})
		p.End(func() error {
			if ran != 1 {
				return errors.New("the job has not run once")
			}
			return nil
		})
	})
}
