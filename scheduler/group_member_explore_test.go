//go:build explore

package scheduler

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A task that is in no group runs. Another goroutine submits it again, into a group, and then asks for the group's end.
// Before that it may cancel the submission, and submit the task once more. The frame goroutine reads its inbox twice
// during the run (S21, S41).
func TestExploreAGroupWaitsForWhoIsToJoin(t *testing.T) {
	for _, acts := range []string{"submit", "submit, cancel", "submit, cancel, submit"} {
		t.Run(acts, func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				s := still(p, nil)
				g := s.NewGroup("")
				var open atomic.Bool // the task may be submitted by others
				submitted, canceled := 0, 0
				ran, runs, ends := 0, false, 0
				task := &Task{}
				task.Func = func() {
					runs = true
					if ran++; ran == 1 {
						task.Group = g
						open.Store(true)
						s.ShouldYield()
						s.ShouldYield()
					}
					runs = false
				}
				s.Submit(task)
				p.Go("asker", func() {
					for !open.Load() {
						open.Await()
					}
					s.Submit(task)
					if submitted++; acts != "submit" && task.Cancel() {
						if canceled++; acts != "submit, cancel" {
							s.Submit(task)
							submitted++
						}
					}
					g.notify(func() {
						if ends++; runs || ran != 1+submitted-canceled {
							p.Fail("the group has ended before what was submitted into it")
						}
					})
				})
				p.Go("host", func() { s.RunUntil(deadline.Deadline{}) })
				p.End(func() error {
					s.RunUntil(deadline.Deadline{})
					if ends != 1 || len(s.coming) > 0 || len(g.members) > 0 || g.coming > 0 {
						return fmt.Errorf("told %d times of the group's end", ends)
					}
					return nil
				})
			})
		})
	}
}
