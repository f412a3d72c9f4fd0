//go:build explore

package sleep

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
)

// A crowd is the workers of a set, and items, which are all the work there is.
type crowd struct {
	set     Set
	visible atomic.Int32
	taken   atomic.Int32
	shut    atomic.Bool
	members [2]member
}

// A member is a Worker and a parker.
type member struct {
	*crowd
	Sleeper
	token  atomic.Bool
	many   bool // it takes all that is visible, and runs the first
	hidden int32
	leaves bool
}

func newCrowd(many bool) *crowd {
	c := new(crowd)
	for i := range c.members {
		m := &c.members[i]
		m.crowd, m.many = c, many
		m.Join(&c.set, i, m, (*token)(m), park.Chan)
	}
	return c
}

type token member

func (k *token) Post()  { k.token.Store(true) }
func (k *token) Close() {}
func (k *token) Wait() {
	for !k.token.CompareAndSwap(true, false) {
		k.token.Await()
	}
}

func (c *crowd) publish(n int32) {
	c.visible.Add(n)
	c.set.Notify()
}

func (m *member) Search() bool {
	for n := m.visible.Load(); n > 0; n = m.visible.Load() {
		rest := n - 1
		if m.many {
			rest = 0
		}
		if m.visible.CompareAndSwap(n, rest) {
			m.hidden = n - 1 - rest
			return true
		}
	}
	return false
}

func (m *member) More(most int) int { return min(most, int(m.visible.Load())) }
func (m *member) Leaving() bool     { return m.leaves || m.shut.Load() }
func (m *member) Settle()           {}
func (m *member) Asleep()           {}
func (m *member) Awake()            {}

// until waits for the n-th item to be taken.
func (c *crowd) until(n int32) {
	for c.taken.Load() < n {
		c.taken.Await()
	}
}

// Publishers make items visible, one at a time, and notify. The jobs end when all items have been taken, so an item
// beside a worker that sleeps for good is a deadlock.
func TestExploreNoWakeUpIsLost(t *testing.T) {
	for _, c := range []struct{ publishers, items, preemptions int }{{1, 2, 3}, {2, 1, 2}} {
		t.Run(fmt.Sprint(c.publishers, " times ", c.items), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				w := newCrowd(false)
				for i := range w.members {
					p.Go(fmt.Sprint("worker", i), func() {
						w.members[i].Sleep()
						w.taken.Add(1)
						w.until(2)
					})
				}
				for i := range c.publishers {
					p.Go(fmt.Sprint("publisher", i), func() {
						for range c.items {
							w.publish(1)
						}
					})
				}
			})
		})
	}
}

// Of three items the second and the third become visible at once. A worker takes all that is visible, publishes all but
// the first, and runs the first (M1). The first job ends at once, the others when all items have been taken.
func TestExploreBatchesLoseNoWakeUp(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		w := newCrowd(true)
		for i := range w.members {
			m := &w.members[i]
			p.Go(fmt.Sprint("worker", i), func() {
				for job := int32(0); job < 2; {
					if !m.Search() {
						m.Sleep()
					}
					if m.hidden > 0 {
						m.publish(m.hidden) // before the job: M1
					}
					if job = m.taken.Add(1); job > 1 {
						m.until(3)
					}
				}
			})
		}
		p.Go("publisher", func() {
			w.publish(1)
			w.publish(2)
		})
	})
}

// One worker leaves as soon as it finds nothing, and the other when all is over: who runs the item posts to all.
func TestExploreAWorkerLeavesNoWorkBehind(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		w := newCrowd(false)
		w.members[0].leaves = true
		for i := range w.members {
			p.Go(fmt.Sprint("worker", i), func() {
				if w.members[i].Sleep() {
					w.shut.Store(true)
					w.set.PostAll()
				}
			})
		}
		p.Go("publisher", func() { w.publish(1) })
	})
}

// The goroutine that sends a wake-up stops for good before it has posted (W5). Who is the last to have published
// notifies once more, without a stop, and the worker takes both items.
func TestExploreNobodyReliesOnAPostInTheMiddle(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		w := newCrowd(false)
		m := &w.members[0]
		var stopped atomic.Bool
		m.OnWake = func() {
			if !stopped.Swap(true) {
				panic(p)
			}
		}
		p.Go("worker", func() {
			m.Sleep()
			m.Sleep()
		})
		for i := range 2 {
			p.Go(fmt.Sprint("publisher", i), func() {
				func() {
					defer func() {
						if v := recover(); v != nil && v != any(p) {
							panic(v)
						}
					}()
					w.publish(1)
				}()
				if w.taken.Add(1) == 2 {
					stopped.Store(true)
					w.set.Notify()
				}
			})
		}
	})
}
