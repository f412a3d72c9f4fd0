//go:build explore

package park

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A file is a number as the kernel knows it, with the mark of an eventfd.
type file struct {
	owner atomic.Uint32 // whose the number is
	mark  atomic.Bool
}

const (
	parkers uint32 = iota
	nobodys
	others
)

// Two posters make an item visible each, and post. The worker takes the items, and closes the file when it has both.
// Then the kernel may give the number to another file. In the second case a poster stops for good in the middle of its
// post, and the worker does not wait for its item.
func TestExploreNoMarkIsLostAndNoOtherFileIsUsed(t *testing.T) {
	for _, stops := range []bool{false, true} {
		t.Run(fmt.Sprint("stops ", stops), func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				var d descriptor
				var f file
				var items [2]atomic.Bool
				stopped := false
				d.open(3)
				use := func() {
					if f.owner.Load() != parkers {
						p.Fail("the number is not the parker's any more")
					}
				}
				leave := func() {
					if d.unpin() {
						use()
						f.owner.Store(nobodys)
					}
				}
				p.Go("worker", func() {
					for taken := [2]bool{stops}; ; {
						for i := range items {
							taken[i] = items[i].Swap(false) || taken[i]
						}
						if taken[0] && taken[1] {
							leave()
							return
						}
						use()
						for !f.mark.CompareAndSwap(true, false) {
							f.mark.Await()
						}
					}
				})
				for i := range items {
					p.Go(fmt.Sprint("poster", i), func() {
						items[i].Store(true)
						if !d.pin() {
							return
						}
						if stops && i == 0 {
							stopped = true
							return
						}
						use()
						f.mark.Store(true)
						leave()
					})
				}
				p.Go("other file", func() { f.owner.CompareAndSwap(nobodys, others) })
				p.End(func() error {
					if closed := f.owner.Load() != parkers; closed == stopped {
						return fmt.Errorf("closed %v, a post is in the middle %v", closed, stopped)
					}
					return nil
				})
			})
		})
	}
}
