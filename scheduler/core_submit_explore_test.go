//go:build explore

package scheduler

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
)

// A task that waits is canceled and submitted again twice, each time behind a function that its producer posts. Another
// goroutine changes its priority, so the task's own link is in the inbox at any moment (S1, S3, S4, S6). In one case
// the first submission has been read already.
func TestExploreAnEnvelopeCarriesOneSubmission(t *testing.T) {
	for _, read := range []bool{false, true} {
		t.Run(fmt.Sprint("read ", read), func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				s := still(p, nil)
				posted, before := 0, [4]int{} // by generation
				submitted, canceled := 1, 0
				others, ran := 0, [4]int{}
				task := &Task{}
				task.Func = func() {
					generation := generationOf(task.item.word.Load())
					if ran[generation]++; others < before[generation] {
						p.Fail("generation %d runs before what its producer posted before", generation)
					}
				}
				s.Submit(task)
				if read {
					s.drain(s.now)
				}
				p.Go("owner", func() {
					for range 2 {
						if task.Cancel() {
							canceled++
						}
						posted++
						s.Post(deadline.Normal, func() { others++ })
						w := task.item.word.Load()
						if w&stateMask != stateIdle {
							return // the first run has begun, and has not ended
						}
						submitted++
						before[generationOf(w)+1] = posted
						s.Submit(task)
					}
				})
				p.Go("changer", func() {
					task.SetPriority(deadline.Normal)
					task.SetPriority(deadline.Normal)
				})
				p.Go("host", func() { s.RunUntil(deadline.Deadline{}) })
				p.End(func() error {
					s.RunUntil(deadline.Deadline{})
					if n := ran[1] + ran[2] + ran[3]; n != submitted-canceled || max(ran[1], ran[2], ran[3]) > 1 {
						return fmt.Errorf("submitted %d times, canceled %d times, ran %v", submitted, canceled, ran)
					}
					if w := task.item.word.Load(); w&flagInbox != 0 || s.isUnread() {
						return fmt.Errorf("a message is left: %b", w)
					}
					return nil
				})
			})
		})
	}
}
