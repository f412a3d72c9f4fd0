//go:build explore

package flow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// An element is one of AsCompleted's. Its end calls what Notify was called with.
type element struct{ end func() }

func (e *element) Notify(f func()) { e.end = f }

// One or two goroutines end the elements. A goroutine that ends two does so in their order. Another goroutine awaits
// each element, as a coroutine does whose waker is used again after a wait that was called (S18). In two cases one more
// goroutine ends a wait by a timeout (AC1 to AC3).
func TestExploreEachIndexComesOnce(t *testing.T) {
	for _, c := range []struct {
		ends        [2]int
		timeout     bool
		preemptions int
	}{{[2]int{2, 1}, false, 3}, {[2]int{2, 0}, true, 3}, {[2]int{1, 1}, true, 3}} {
		t.Run(fmt.Sprint(c.ends, " ends, timeout ", c.timeout), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				elements := make([]*element, c.ends[0]+c.ends[1])
				for i := range elements {
					elements[i] = new(element)
				}
				next := AsCompleted(elements...)
				p.Go("first", func() {
					for _, e := range elements[:c.ends[0]] {
						e.end()
					}
				})
				if c.ends[1] > 0 {
					p.Go("second", func() {
						for _, e := range elements[c.ends[0]:] {
							e.end()
						}
					})
				}
				var late atomic.Bool
				if c.timeout {
					p.Go("timer", func() { late.Store(true) })
				}
				came := make([]int, 0, len(elements))
				p.Go("waiter", func() {
					waker, limit := new(atomic.Bool), c.timeout
					for len(came) < len(elements) {
						w := waker
						next.Notify(func() { w.Store(true) })
						for !w.Load() && (!limit || !late.Load()) {
							explore.Yield()
						}
						if !w.Load() {
							waker, limit = new(atomic.Bool), false // given up
							continue
						}
						w.Store(false)
						i, _ := next.Result()
						came = append(came, i)
					}
				})
				p.End(func() error {
					for i := range elements {
						if n := slices.Index(came, i); n < 0 || slices.Contains(came[n+1:], i) {
							return fmt.Errorf("the indices came in the order %v", came)
						}
					}
					if c.ends[0] == 2 && slices.Index(came, 0) > slices.Index(came, 1) {
						return fmt.Errorf("the indices came in the order %v", came)
					}
					return nil
				})
			})
		})
	}
}
