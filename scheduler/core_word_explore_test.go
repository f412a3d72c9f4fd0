//go:build explore

package scheduler

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A function that waits is canceled, and its priority is changed, while others are posted, perhaps in the same item of
// the arena (S3, S5, S6).
func TestExploreEachGenerationEndsOnce(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		s := still(p, nil)
		ran, canceled := [4]int{}, false
		post := func(i int) Handle { return s.Post(deadline.Normal, func() { ran[i]++ }) }
		h := post(0)
		p.Go("poster", func() {
			post(2)
			post(3)
		})
		p.Go("canceler", func() { canceled = h.Cancel() })
		p.Go("changer", func() {
			post(1)
			h.SetPriority(deadline.Low)
		})
		p.Go("host", func() { s.RunUntil(deadline.At(1)) }) // long ago, so the slice ends with its first run
		p.End(func() error {
			s.RunUntil(deadline.Deadline{})
			want := [4]int{1, 1, 1, 1}
			if canceled {
				want[0] = 0
			}
			if ran != want {
				return fmt.Errorf("ran %v, canceled %v", ran, canceled)
			}
			if free := s.arena.at(0).free.Load(); free != ^uint64(0) {
				return fmt.Errorf("not all items are free: %b", ^free)
			}
			return nil
		})
	})
}

// A task is submitted and canceled twice, by goroutines that do not know whether it runs (S3). A submission counts
// unless the task is queued. Each Cancel that says so takes one back, or ends a task of steps that runs. After a Cancel
// nothing runs that was submitted before it, but for a run that has begun.
func TestExploreOfSubmitAndCancelInARunTheLastCounts(t *testing.T) {
	for steps, preemptions := range map[bool]int{false: 2, true: 3} {
		t.Run(fmt.Sprint("steps ", steps), func(t *testing.T) {
			explore.Explore(t, preemptions, func(p *explore.Program) {
				s := still(p, nil)
				var submitted, ran, within atomic.Int32
				var canceled, most, before int32 // most runs after the last Cancel, and submissions before it
				run := func() {
					ran.Add(1)
					within.Store(1)
					within.Store(0)
				}
				task := &Task{Func: run}
				if steps {
					task = &Task{Step: func() bool {
						run()
						return false
					}}
				}
				s.Submit(task)
				submitted.Add(1)
				submit := func() {
					defer func() {
						if v := recover(); v != nil && v != errQueued {
							panic(v)
						}
					}()
					s.Submit(task)
					submitted.Add(1)
				}
				p.Go("submitter", func() {
					submit()
					submit()
				})
				p.Go("canceler", func() {
					for range 2 {
						before = submitted.Load()
						if task.Cancel() {
							canceled++
						}
						most = 1 - within.Load() // a run that has begun, and may not be counted yet
						most += ran.Load()
					}
				})
				p.Go("host", func() { s.RunUntil(deadline.Deadline{}) })
				p.End(func() error {
					s.RunUntil(deadline.Deadline{})
					all, n := submitted.Load(), ran.Load()
					if n < all-canceled || n > most+all-before || !steps && n != all-canceled {
						return fmt.Errorf("submitted %d times, canceled %d times, ran %d times", all, canceled, n)
					}
					return nil
				})
			})
		})
	}
}

// A function has run while its priority is changed: its end finds it linked in the inbox, or about to be. Others are
// posted, perhaps in its item, before the inbox is read again (S5, S6). The host does nothing but end the run, so that
// others come between any two of its steps.
func TestExploreNoItemIsFreeWhileItIsLinked(t *testing.T) {
	explore.Explore(t, 3, func(p *explore.Program) {
		s := still(p, nil)
		var ran [3]int
		post := func(i int) Handle { return s.Post(deadline.Normal, func() { ran[i]++ }) }
		h := post(0)
		s.drain(s.now)
		it := s.nextRunnable().Value
		s.unlink(it)
		it.claim()
		it.fn()
		p.Go("changer", func() { h.SetPriority(deadline.Low) })
		p.Go("poster", func() {
			post(1)
			post(2)
		})
		p.Go("host", func() {
			s.endPosted(it)
			s.arena.flush()
		})
		p.End(func() error {
			if s.RunUntil(deadline.Deadline{}); ran != [3]int{1, 1, 1} {
				return fmt.Errorf("ran %v", ran)
			}
			return nil
		})
	})
}
