//go:build explore

package flow

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/explore"
)

// Two goroutines publish two values each, to a subscriber for whom one value may wait (S43).
func TestExploreEachValueIsDelivered(t *testing.T) {
	explore.Explore(t, 2, func(p *explore.Program) {
		h := newHost(p)
		delivered := 0
		var last [2]int // of each publisher
		topic := NewTopic[int](h.s)
		var u *Subscription[int]
		u = topic.subscribe(deadline.Normal, 1, func(v int) {
			delivered++
			if of := v / 10; v%10 <= last[of] {
				p.Fail("of publisher %d value %d comes after value %d", of, v%10, last[of])
			} else {
				last[of] = v % 10
			}
			if n := u.sent.Load(); n > 1 {
				p.Fail("%d messages are under way for one value that may wait", n)
			}
		})
		for i := range 2 {
			p.Go(fmt.Sprint("publisher", i), func() {
				_ = topic.Publish(10*i + 1)
				_ = topic.Publish(10*i + 2)
			})
		}
		p.Go("host", func() { h.run(func() bool { return delivered+int(u.Dropped()) == 4 }) })
		p.End(func() error {
			if h.slice(); u.sent.Load() != 0 {
				return fmt.Errorf("%d messages count", u.sent.Load())
			}
			return nil
		})
	})
}
