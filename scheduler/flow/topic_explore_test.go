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
		topic := NewTopic[int](h.s)
		u := topic.subscribe(deadline.Normal, 1, func(int) { delivered++ })
		for i := range 2 {
			p.Go(fmt.Sprint("publisher", i), func() {
				_ = topic.Publish(1)
				_ = topic.Publish(2)
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
