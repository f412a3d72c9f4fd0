//go:build explore

package runqueue

import (
	"fmt"
	"slices"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Producers push, and consumers pop, the first of them several items at a time. Rings have two places, a quarter of a
// ring is one place, and there is one spare ring. What is left in the end comes out, too.
func TestExploreInjectorLosesAndDoublesNothing(t *testing.T) {
	for _, c := range []struct {
		pushes, pops []int // of each producer and of each consumer
		preemptions  int
	}{{[]int{6}, []int{3}, 3}, {[]int{2, 2}, []int{3}, 3}, {[]int{5}, []int{2, 2}, 2}, {[]int{2, 1}, []int{2, 2}, 2}} {
		t.Run(fmt.Sprint(c.pushes, c.pops), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				var q Injector[int]
				q.Init()
				got := make([][]int, len(c.pops)+1)
				for i, n := range c.pushes {
					p.Go(fmt.Sprint("producer", i), func() {
						for k := range n {
							q.Push(10*i + k + 1)
						}
					})
				}
				for i, n := range c.pops {
					note := func(it int, ok bool) bool {
						if ok {
							got[i] = append(got[i], it)
						}
						return ok
					}
					p.Go(fmt.Sprint("consumer", i), func() {
						var b Batch[int]
						for range n {
							if i > 0 {
								note(q.Pop())
							} else if note(q.PopMany(&b, 2, true)) {
								b.Publish()
								for note(b.Next()) {
								}
								b.Settle()
							}
						}
					})
				}
				p.End(func() error {
					for it, ok := q.Pop(); ok; it, ok = q.Pop() {
						got[len(c.pops)] = append(got[len(c.pops)], it)
					}
					all := slices.Sorted(slices.Values(slices.Concat(got...)))
					var want []int
					for i, n := range c.pushes {
						for k := range n {
							want = append(want, 10*i+k+1)
						}
						for _, items := range got {
							mine := slices.DeleteFunc(slices.Clone(items), func(it int) bool { return it/10 != i })
							if !slices.IsSorted(mine) {
								return fmt.Errorf("a consumer got %v of one producer", mine)
							}
						}
					}
					if !slices.Equal(all, want) {
						return fmt.Errorf("%v came out, want %v", all, want)
					}
					return nil
				})
			})
		})
	}
}
