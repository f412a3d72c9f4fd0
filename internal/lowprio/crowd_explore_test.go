//go:build explore

package lowprio

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
)

// The jobs of three workers end when a window does or soon after, and none was kept off, so the crowd is over. That is
// judged once: a second verdict would begin another window (Y3).
func TestExploreAWindowIsJudgedOnce(t *testing.T) {
	explore.Explore(t, 4, func(p *explore.Program) {
		const now = deadline.Instant(time.Hour)
		var c Crowd
		c.begin(now, time.Second, time.Second-1, used{total: time.Hour, of: time.Second}, 2)
		c.add(time.Second, 0)
		c.add(time.Second, 0)
		c.add(time.Second, 0)
		for i := range 3 {
			p.Go(fmt.Sprint("worker", i), func() { c.judge(now.Add(window+time.Duration(i)*time.Second), 2) })
		}
		p.End(func() error {
			if c.On() {
				return errors.New("the crowd continues")
			}
			return nil
		})
	})
}

// Jobs of two workers show a crowd at once. The worker that begins the window decides when the window ends. The other
// worker, which was descheduled, changes nothing (Y3).
func TestExploreACrowdBeginsOnce(t *testing.T) {
	explore.Explore(t, 4, func(p *explore.Program) {
		var c Crowd
		var first, last int64
		for i := range 2 {
			p.Go(fmt.Sprint("worker", i), func() {
				now := deadline.Instant(time.Hour).Add(time.Duration(i) * time.Second)
				before := c.until.Load()
				c.begin(now, time.Second, time.Second-1, used{total: time.Hour, of: time.Second}, 2)
				if before == 0 {
					before = c.until.Load()
				}
				if i == 0 {
					first = before
				} else {
					last = before
				}
			})
		}
		p.End(func() error {
			if end := c.until.Load(); end == 0 || first != end || last != end {
				return fmt.Errorf("the window ends at %d, and the workers have seen %d and %d", end, first, last)
			}
			return nil
		})
	})
}
