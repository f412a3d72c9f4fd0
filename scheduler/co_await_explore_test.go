//go:build explore

package scheduler

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
)

// A gate is what the coroutines of these programs await.
type gate struct {
	p      *explore.Program
	notice atomic.Pointer[func()] // what Notify was called with
	opened atomic.Bool
	panics bool // Notify, when it has taken what it is to call
}

func (g *gate) Notify(f func()) {
	g.notice.Store(&f)
	if g.panics {
		panic("a gate panics")
	}
}

func (g *gate) Result() (struct{}, error) {
	if !g.opened.Load() {
		g.p.Fail("a wait has ended, and its gate is not open")
	}
	return struct{}{}, nil
}

// open waits for Notify, and calls what it was called with.
func (g *gate) open() {
	f := g.notice.Load()
	for ; f == nil; f = g.notice.Load() {
		g.notice.Await()
	}
	g.opened.Store(true)
	(*f)()
}

// forgo ends an open that waits for a Notify in vain.
func (g *gate) forgo() {
	nothing := func() {}
	g.notice.CompareAndSwap(nil, &nothing)
}

// runToEnd runs slices until the task has ended. It sleeps where nothing is to do, and moves the clock to where there
// will be.
func runToEnd(s *Scheduler, task *Task, wake park.Token, now *deadline.Instant) {
	for task.State() == Queued || task.State() == Suspended {
		at, more := s.Next()
		if !more {
			wake.Wait()
			continue
		}
		*now = max(*now, at)
		s.RunUntil(deadline.Deadline{})
	}
}

// A task awaits a gate, and another one afterwards: in its next generation, or because the first Notify has panicked.
// Or its first generation is canceled at any moment. Another goroutine opens the gates. So its notice of the first gate
// may come while the coroutine, or the next generation, waits for the second one (S9).
func TestExploreAWaitEndsByItsOwnNotice(t *testing.T) {
	for _, how := range []string{"ends", "panics", "is canceled"} {
		t.Run(how, func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				wake, now := park.NewToken(), deadline.Instant(time.Second)
				s := still(p, wake.Post)
				gates, next := [2]gate{{p: p, panics: how == "panics"}, {p: p}}, 0
				await := func(co *Co) {
					g := &gates[next]
					next++
					_, _ = Await(co, g)
				}
				task := &Task{Co: func(co *Co) {
					if how == "panics" {
						func() {
							defer func() { _ = recover() }()
							await(co)
						}()
					}
					await(co)
				}}
				s.Submit(task)
				s.drain(s.now)
				p.Go("opener", func() {
					gates[0].open()
					gates[1].open()
				})
				if how == "is canceled" {
					p.Go("canceler", func() { task.item.cancel(&s.intake, 1, endCanceled) })
				}
				p.Go("host", func() {
					if runToEnd(s, task, wake, &now); how != "panics" {
						gates[0].forgo() // canceled before it has called Notify
						next = 1
						s.Submit(task)
						runToEnd(s, task, wake, &now)
					}
				})
				p.End(func() error {
					if task.State() != Done {
						return errors.New(task.State().String())
					}
					return nil
				})
			})
		})
	}
}

// A coroutine awaits a gate for at most a millisecond, and then another one without a limit. Another goroutine opens
// the gates (S9, S18).
func TestExploreAWaitEndsOnceWhoeverEndsIt(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		wake, now := park.NewToken(), deadline.Instant(time.Second)
		s := still(p, wake.Post)
		s.read = func() deadline.Instant { return now }
		gates := [2]gate{{p: p}, {p: p}}
		task := s.Go(deadline.Normal, func(co *Co) {
			_, _ = AwaitTimeout(co, &gates[0], time.Millisecond)
			_, _ = Await(co, &gates[1])
		})
		s.drain(s.now)
		p.Go("opener", func() {
			gates[0].open()
			gates[1].open()
		})
		p.Go("host", func() { runToEnd(s, task, wake, &now) })
		p.End(func() error {
			if err := task.Err(); err != nil {
				return fmt.Errorf("the task has failed: %w", err)
			}
			return nil
		})
	})
}
