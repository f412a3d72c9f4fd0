//go:build explore

package where

import (
	"errors"
	"testing"

	"github.com/frameslice/frameslice/internal/explore"
)

// Three goroutines make their cells, and then find them, while the table grows from two slots to eight. All begin to
// search at the last slot, so all others continue at the first one.
func TestExploreEachGoroutineFindsItsCell(t *testing.T) {
	var ids []uintptr
	for id := uintptr(1); len(ids) < 3; id++ {
		if newSlots(8).first(id) == 7 {
			ids = append(ids, id)
		}
	}
	explore.Explore(t, 3, func(p *explore.Program) {
		var tab table
		cells := make([]*cell, len(ids))
		for i, id := range ids {
			p.Go(string(rune('a'+i)), func() {
				cells[i] = tab.make(id)
				for range 2 {
					if tab.find(id) != cells[i] {
						p.Fail("it has another cell, or none")
					}
				}
			})
		}
		p.End(func() error {
			if cells[0] == cells[1] || cells[1] == cells[2] || cells[2] == cells[0] {
				return errors.New("two goroutines have one cell")
			}
			return nil
		})
	})
}
