//go:build explore

package record

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
)

// The writer goes round a full ring of three chunks, a reader takes the latest records, and another reader holds a
// chunk for some time, or takes records, too.
func TestExploreTheRingGivesTheLatestRecords(t *testing.T) {
	for _, c := range []struct{ held, adds, preemptions int }{{0, 5, 3}, {1, 5, 3}, {2, 5, 3}, {-1, 5, 2}} {
		t.Run(fmt.Sprint("held ", c.held), func(t *testing.T) {
			explore.Explore(t, c.preemptions, func(p *explore.Program) {
				const full = 3 * ringChunk
				g := newRing(ringChunk)
				var written atomic.Uint64
				add := func() {
					n := g.order + 1
					if g.add(&Record{Number: n, Sections: []Section{{Calls: uint32(n)}}}) {
						written.Store(n)
					}
				}
				read := func() {
					began := written.Load()
					all := g.tail(make([]Record, full))
					ended := written.Load()
					for i, r := range all {
						if r.Number != all[0].Number+uint64(i) || len(r.Sections) != 1 ||
							uint64(r.Sections[0].Calls) != r.Number {
							p.Fail("record %d is torn, or not the next one: %+v", i, r)
						}
					}
					if n := len(all); n > 0 && all[n-1].Number < began {
						p.Fail("the latest is %d, though there were %d when the call began", all[n-1].Number, began)
					} else if lapped := ended/ringChunk*ringChunk >= began; n < ringChunk && !lapped {
						p.Fail("%d records of %d", n, began)
					}
				}
				for range full {
					add()
				}
				p.Go("writer", func() {
					for range c.adds {
						add()
					}
				})
				p.Go("reader", read)
				if c.held < 0 {
					p.Go("another", read)
				} else {
					g.chunks[c.held].hold()
					p.Go("another", g.chunks[c.held].release)
				}
				p.End(func() error {
					for i, chunk := range g.chunks {
						if n := chunk.holders.Load(); n != 0 {
							return fmt.Errorf("chunk %d stays held: %d", i, n)
						}
					}
					return nil
				})
			})
		})
	}
}
