//go:build explore

package load

import (
	"context"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// A job begins while the last request leaves, and continues until its context ends (L3).
func TestExploreNoJobGoesOnThatNobodyWants(t *testing.T) {
	explore.Explore(t, 4, func(p *explore.Program) {
		var i interest
		var over atomic.Bool
		cancel := context.CancelCauseFunc(func(error) { over.Store(true) })
		p.Go("job", func() {
			for wanted := i.jobBegins(&cancel); wanted && !over.Load(); {
				over.Await()
			}
		})
		p.Go("task", func() {
			if cancel := i.nobodyWants(); cancel != nil {
				(*cancel)(nil)
			}
		})
	})
}
