//go:build explore

package freelist

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// Three goroutines have a thing of the list twice. A thing counts its users in plain memory, which is theirs.
func TestExploreALentThingHasOneUser(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		var list List[int]
		var made [3]int
		var held atomic.Bool // a step with the thing in hand
		for i := range made {
			p.Go(fmt.Sprint("user", i), func() {
				for range 2 {
					l := list.Free()
					if l == nil {
						l = list.Add(new(Lent[int]))
						made[i]++
					}
					if l.It++; l.It != 1 {
						p.Fail("%d goroutines have a thing", l.It)
					}
					held.Load()
					l.It--
					l.GiveBack()
				}
			})
		}
		p.End(func() error {
			n := 0
			for l := list.first.Load(); l != nil; l = l.next {
				n++
			}
			if all := made[0] + made[1] + made[2]; n != all {
				return fmt.Errorf("%d things in the list, %d made", n, all)
			}
			return nil
		})
	})
}
