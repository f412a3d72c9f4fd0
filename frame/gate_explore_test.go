//go:build explore

package frame

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// The host has something under way twice: a call, Run, or a slice in the shadow. Two goroutines ask for the close. The
// loop is closed once, when nothing is under way, and nothing begins in a loop that is closed (F12, F13).
func TestExploreTheGateClosesOnce(t *testing.T) {
	for name, underWay := range map[string]func(g *gate, inside func()) (closeNow bool){
		"a call": func(g *gate, inside func()) bool {
			if !g.enterCall("Begin", 1<<gateBetween, false) {
				return false
			}
			inside()
			return g.leaveCall(gateBetween)
		},
		"Run": func(g *gate, inside func()) bool {
			if !g.startRun() {
				return false
			}
			inside()
			return g.stopRun()
		},
		"a slice in the shadow": func(g *gate, inside func()) bool {
			if !g.enterCall("Slice", 1<<gateBetween, false) {
				return false
			}
			if g.away(); g.leaveCall(gateBetween) {
				return true
			}
			inside()
			return g.home()
		},
	} {
		t.Run(name, func(t *testing.T) {
			explore.Explore(t, 3, func(p *explore.Program) {
				g := new(gate)
				var inside atomic.Bool
				var closes atomic.Int32
				closeIf := func(now bool) {
					if !now {
						return
					}
					if closes.Add(1); inside.Load() {
						p.Fail("the loop is closed while something is under way")
					}
				}
				p.Go("host", func() {
					for range 2 {
						closeIf(underWay(g, func() {
							if inside.Store(true); closes.Load() > 0 {
								p.Fail("something begins in a loop that is closed")
							}
							inside.Store(false)
						}))
					}
				})
				for i := range 2 {
					p.Go(fmt.Sprint("closer", i), func() { closeIf(g.requestClose()) })
				}
				p.End(func() error {
					if n := closes.Load(); n != 1 {
						return fmt.Errorf("the loop is closed %d times", n)
					}
					return nil
				})
			})
		})
	}
}
