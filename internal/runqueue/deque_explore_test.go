//go:build explore

package runqueue

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// The owner of a deque follows a script: a adds and publishes an item, f adds one that stays private, h publishes half,
// p pops, o pops and leaves the others shared, s takes the oldest item, d pops until there is nothing. Two thieves
// steal meanwhile. Arrays begin with two places, so that the deque wraps, makes room and grows.
func TestExploreDequeHandsOutEveryItemOnce(t *testing.T) {
	for _, script := range []string{"aapapd", "ffhpfhd", "apapapd", "aaaaad", "fffhhpad", "aaoasd"} {
		t.Run(script, func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				var d Deque[int]
				var got [3][]int
				added := 0
				note := func(who int, it int, ok bool) bool {
					if ok {
						got[who] = append(got[who], it)
					}
					if len(got[who]) > len(script) {
						p.Fail("more items come out than were put in")
					}
					return ok
				}
				pop := func() bool {
					it, ok := d.Pop()
					return note(0, it, ok)
				}
				p.Go("owner", func() {
					for _, op := range script {
						switch op {
						case 'a', 'f':
							added++
							if d.Push(added); op == 'a' {
								d.Publish()
							}
						case 'h':
							d.PublishHalf()
						case 'p':
							pop()
						case 'o':
							it, ok := d.PopOne()
							note(0, it, ok)
						case 's':
							d.Publish()
							it, ok := d.Shift()
							note(0, it, ok)
						case 'd':
							for pop() {
							}
						}
					}
				})
				for thief := 1; thief <= 2; thief++ {
					p.Go(fmt.Sprint("thief", thief), func() {
						for range 2 {
							it, ok, _ := d.Steal()
							note(thief, it, ok)
						}
					})
				}
				p.End(func() error {
					times := make([]int, added+1)
					for _, items := range got {
						for _, it := range items {
							times[it]++
						}
					}
					for it, n := range times[1:] {
						if n != 1 {
							return fmt.Errorf("item %d was taken %d times", it+1, n)
						}
					}
					return nil
				})
			})
		})
	}
}
