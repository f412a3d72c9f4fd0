//go:build explore

package workers

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/park"
)

// Two jobs come from other goroutines, and a runner rests and sleeps when it finds none (O1 to O3). So a runner that
// sleeps beside a job for good is a deadlock. Of two runners each runs one job, which ends when both have begun.
func TestExploreNoRunnerRestsBesideAJob(t *testing.T) {
	for _, c := range []struct {
		submitters, runners, preemptions int
		between                          bool // the jobs are between two turns
	}{{1, 1, 4, false}, {2, 1, 3, false}, {1, 2, 2, false}, {1, 1, 3, true}} {
		t.Run(fmt.Sprintf("%d submitters, %d runners, %v", c.submitters, c.runners, c.between), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				pool := bare(deadline.Normal)
				l := &pool.lanes[deadline.Normal.Lane()]
				submit, pop := func() { l.inject(funcItem(func() {}), false) }, l.pop
				if c.between {
					l.use(useYielded)
					submit, pop = func() { l.putBetween(jobItem(new(Job))) }, l.yielded.Pop
				}
				var ran atomic.Int32
				var rings [2]atomic.Int32
				var rests [2]int32
				for i := range c.submitters {
					p.Go(fmt.Sprint("submitter", i), func() {
						for range 2 / c.submitters {
							submit()
						}
					})
				}
				for i := range c.runners {
					token := park.NewToken()
					r := (*internals)(pool).Runner(func() {
						rings[i].Add(1)
						token.Post()
					})
					p.Go(fmt.Sprint("runner", i), func() {
						for n := 0; n < 2/c.runners; {
							if _, ok := pop(); ok {
								n++
								ran.Add(1)
								continue
							}
							rests[i]++
							r.Rest()
							token.Wait()
						}
						for ran.Load() < 2 {
							ran.Await()
						}
					})
				}
				p.End(func() error {
					for i := range c.runners {
						if n := rings[i].Load(); n > rests[i] {
							return fmt.Errorf("runner %d has rested %d times, and was called %d times", i, rests[i], n)
						}
					}
					return nil
				})
			})
		})
	}
}
