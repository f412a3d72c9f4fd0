//go:build explore

package record

import (
	"fmt"
	"testing"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/explore"
	"github.com/frameslice/frameslice/internal/hdr"
)

// counting returns a Recorder that has no histograms: only frames with an interval would need some.
func counting() *Recorder {
	empty := func() *Snapshot {
		s := new(Snapshot)
		for _, h := range s.histograms() {
			*h = new(hdr.Histogram)
		}
		return s
	}
	r := &Recorder{records: 4, ring: newRing(4)}
	r.active.Store(empty())
	r.mu.idle, r.mu.total = empty(), empty()
	return r
}

// Two frames were recorded, and the loop records two more. One goroutine takes a Snapshot, and another calls Reset
// twice, or takes a Snapshot first (RC4 to RC6). The pool's count before the first Reset is not zero, so a Snapshot
// also says by that count on which side of the Reset it is.
func TestExploreTheTotalsAreOneCut(t *testing.T) {
	var begun beside
	begun.begin(nil)
	begun.Pool.Run = 1
	for _, both := range []bool{false, true} {
		t.Run(fmt.Sprint("both take one ", both), func(t *testing.T) {
			explore.Explore(t, 2, func(p *explore.Program) {
				r := counting()
				r.mu.since = begun
				var adding, added atomic.Uint64
				add := func(n uint64) {
					adding.Store(n)
					r.Add(Record{Number: n})
					added.Store(n)
				}
				add(1)
				add(2)
				look := func() {
					s := r.Snapshot()
					n, gone := uint64(len(s.Records)), uint64(0)
					if n > 0 {
						gone = s.Records[0].Number - 1
					}
					if frames := s.Totals.Frames; n > frames+1 || gone+frames > adding.Load() {
						p.Fail("%d records, from %d on, of %d frames", n, gone+1, frames)
					}
					if after := n == 0 || gone > 0; after != (s.beside.Pool.Run == 0) {
						p.Fail("records from %d on, and the pool's count is %d", gone+1, s.beside.Pool.Run)
					}
				}
				reset := func() {
					had := added.Load()
					r.Reset()
					if base := r.ring.base.Load(); base < had {
						p.Fail("%d records are left of %d", had-base, had)
					}
				}
				p.Go("loop", func() {
					add(3)
					add(4)
				})
				p.Go("report", look)
				p.Go("reset", func() {
					if both {
						look()
					} else {
						reset()
					}
					reset()
				})
				p.End(func() error {
					s := r.Snapshot()
					if n := len(s.Records); s.Totals.Frames != uint64(n) || r.mu.gone+uint64(n) != 4 {
						return fmt.Errorf("%d are gone, and then come %d records of %d frames", r.mu.gone, n,
							s.Totals.Frames)
					}
					return nil
				})
			})
		})
	}
}
