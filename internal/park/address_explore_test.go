//go:build explore

package park

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A table has the one goroutine that may sleep. It compares and enqueues under a lock, as a system does.
type table struct {
	mu      atomic.Mutex
	asleep  atomic.Bool
	onWakes func() // called first
}

func (t *table) sleep(word, none *atomic.Uint32) {
	t.mu.Lock()
	if word.Load() == none.Load() {
		t.asleep.Store(true)
	}
	t.mu.Unlock()
	for t.asleep.Load() {
		t.asleep.Await()
	}
}

func (t *table) wake(*atomic.Uint32) {
	t.onWakes()
	t.mu.Lock()
	t.asleep.Store(false)
	t.mu.Unlock()
}

// Two posters make an item visible each, and post. The worker ends when it has taken both items, so an item beside a
// worker that sleeps for good is a deadlock. In the second case the poster that is the first to wake is descheduled
// until then, in the middle of its post.
func TestExploreNobodySleepsBesideAToken(t *testing.T) {
	for _, stops := range []bool{false, true} {
		t.Run(fmt.Sprint("stops ", stops), func(t *testing.T) {
			explore.Explore(t, 4, func(p *explore.Program) {
				var items [2]atomic.Bool
				var stopped, over atomic.Bool
				system := &table{onWakes: func() {
					if !stops || stopped.Swap(true) {
						return
					}
					for !over.Load() {
						over.Await()
					}
				}}
				parker := &addressParker{system: system}
				p.Go("worker", func() {
					for taken := [2]bool{}; ; parker.Wait() {
						for i := range items {
							taken[i] = items[i].Swap(false) || taken[i]
						}
						if taken[0] && taken[1] {
							over.Store(true)
							return
						}
					}
				})
				for i := range items {
					p.Go(fmt.Sprint("poster", i), func() {
						items[i].Store(true)
						parker.Post()
					})
				}
			})
		})
	}
}
