//go:build explore

package workers

import (
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/latch"
)

// A job ends while two goroutines ask to be called then (J1).
func TestExploreEveryWaiterIsCalledOnce(t *testing.T) {
	explore.Explore(t, 4, func(p *explore.Program) {
		j := &Job{Func: func(*Worker) {}}
		j.prepare(bare())
		p.Go("worker", func() {
			j.claim()
			j.finish(nil)
		})
		var called [2]int
		for i := range called {
			p.Go(fmt.Sprint("waiter", i), func() {
				j.notify(func() {
					if called[i]++; !j.Finished() {
						p.Fail("called before the end")
					}
				})
			})
		}
		p.End(func() error {
			if called != [2]int{1, 1} {
				return fmt.Errorf("called %v", called)
			}
			return nil
		})
	})
}

// A job that is queued for one class is canceled, or run, and submitted to another class (J4). The first class has an
// entry of the job until then, and each class claims what is queued for it.
func TestExploreAJobIsRunByWhomItWasSubmittedTo(t *testing.T) {
	explore.Explore(t, 4, func(p *explore.Program) {
		pool := bare(deadline.Normal, deadline.Low)
		j := &Job{Func: func(*Worker) {}}
		j.prepare(pool)
		var entry atomic.Bool // of the second class
		var ran [2]int
		canceled, second := false, false
		run := func(c int) {
			if !j.claimFrom(&pool.classes[c]) {
				return
			}
			ran[c]++
			if second != (c == background) {
				p.Fail("class %d has the job, submitted to the other", c)
			}
			j.finish(nil)
		}
		p.Go("owner", func() {
			for canceled = j.Cancel(); !canceled && !j.Finished(); {
				explore.Yield()
			}
			j.Priority, second = deadline.Low, true
			j.prepare(pool)
			entry.Store(true)
		})
		p.Go("first", func() { run(ordinary) })
		p.Go("second", func() {
			for !entry.Load() {
				entry.Await()
			}
			run(background)
		})
		p.End(func() error {
			if first := ran[ordinary] == 1; first == canceled || ran[background] != 1 {
				return fmt.Errorf("ran %v, canceled %v", ran, canceled)
			}
			return nil
		})
	})
}

// A job is submitted again each time that it has finished, and the last run does not end (J7). The end of each run
// comes late. One goroutine calls Notify at any moment. In the second case another one does so, and then ends the first
// run.
func TestExploreANoticeIsOfItsRun(t *testing.T) {
	for _, c := range []struct {
		runs, preemptions int
		another           bool
	}{{3, 2, false}, {2, 2, true}} {
		t.Run(fmt.Sprint(c.runs, " runs"), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				pool := bare()
				j := &Job{Func: func(*Worker) {}}
				var begun, submitted atomic.Int32 // calls of Submit
				calls, last := 0, 0
				p.Go("owner", func() {
					for run := range c.runs {
						for run > 0 && !j.Finished() {
							explore.Yield()
						}
						begun.Add(1)
						j.prepare(pool)
						j.claim()
						submitted.Add(1)
					}
				})
				for run := range c.runs - 1 {
					p.Go(fmt.Sprint("end", run), func() {
						if c.another {
							j.Notify(func() {})
						}
						for int(submitted.Load()) <= run {
							submitted.Await()
						}
						j.finish(nil)
					})
				}
				p.Go("notifier", func() {
					present := submitted.Load()
					j.Notify(func() {
						if calls++; !j.Finished() && begun.Load() == max(present, 1) {
							p.Fail("called before the end of run %d", present)
						}
					})
					last = int(begun.Load())
				})
				p.End(func() error {
					if calls > 1 || calls == 0 && last < c.runs {
						return fmt.Errorf("called %d times, %d runs when Notify returned", calls, last)
					}
					return nil
				})
			})
		})
	}
}

// look does what RunUntil does with a job that does not fit.
func look(p *Pool) {
	at := deadline.Normal.Lane()
	if it, ok := p.lanes[at].pop(); ok && it.job().lookFrom(p.lanes[at].class) {
		p.lanes.putOlder(at, it)
	}
}

// RunUntil takes a job out, finds the job too long, and puts it back, while another goroutine waits for the job, or
// cancels it (J2). Nobody else runs the job, so the wait may never sleep. In the last case a worker comes by.
func TestExploreALookDelaysNobodyForEver(t *testing.T) {
	t.Run("RunUntil", func(t *testing.T) {
		explore.Explore(t, 1, func(p *explore.Program) {
			all, ran := deadline.Priorities(), 0
			pool := bare(all[:]...)
			j := &Job{Cost: 2 * time.Hour, Func: func(*Worker) { ran++ }}
			pool.Submit(j)
			p.Go("waiter", func() {
				if err := j.Wait(nil); err != nil || ran != 1 {
					p.Fail("Wait has returned %v, and the job has run %d times", err, ran)
				}
			})
			p.Go("RunUntil", func() {
				if pool.RunUntil(deadline.In(time.Hour)) != 0 {
					p.Fail("a job runs that does not fit")
				}
			})
		})
	})
	t.Run("look", func(t *testing.T) {
		explore.Explore(t, 3, func(p *explore.Program) {
			pool, ran := bare(deadline.Normal), 0
			j := &Job{Func: func(*Worker) { ran++ }}
			pool.Submit(j)
			p.Go("waiter", func() {
				for v := latch.LookAgain; v != latch.WaitOver; {
					if v, _ = j.lookAtJob(nil); v == latch.MustSleep || v == latch.WaitOver && ran != 1 {
						p.Fail("the wait sleeps, or the job has run %d times", ran)
					}
				}
			})
			p.Go("look", func() { look(pool) })
		})
	})
	t.Run("canceler", func(t *testing.T) {
		explore.Explore(t, 3, func(p *explore.Program) {
			pool := bare(deadline.Normal)
			j := &Job{Func: func(*Worker) {}}
			pool.Submit(j)
			p.Go("canceler", func() {
				if !j.Cancel() {
					p.Fail("a job that does not run cannot be canceled")
				}
			})
			p.Go("look", func() { look(pool) })
		})
	})
	t.Run("worker", func(t *testing.T) {
		explore.Explore(t, 3, func(p *explore.Program) {
			pool := bare(deadline.Normal)
			l := &pool.lanes[deadline.Normal.Lane()]
			j := &Job{Func: func(*Worker) {}}
			pool.Submit(j)
			p.Go("look", func() { look(pool) })
			p.Go("worker", func() {
				for !j.Finished() {
					if it, ok := l.pop(); !ok {
						explore.Yield()
					} else if it.job().claimFrom(l.class) {
						it.job().finish(nil)
					}
				}
			})
		})
	})
}
