package scheduler

import (
	"math/bits"

	"github.com/frameslice/frameslice/deadline"
)

// magazines are the items that the frame goroutine has taken from the arena and not used yet, by lane: what is left of
// one block in each, so at most 63. The name is that of the slab allocator's per-CPU layer (Bonwick and Adams,
// "Magazines and Vmem", USENIX 2001), whose point it has: one atomic operation for what 64 would be needed for.
type magazines [deadline.NumPriorities]struct {
	block *block
	free  uint64 // bits of its items, clear in block.free
}

// getLocal is get for the frame goroutine. Where a magazine is empty it takes all that is free in the block that the
// next item comes from: a swap hands out each of these bits to nobody else (S7).
func (s *Scheduler) getLocal(lane int) *item {
	m := &s.magazines[lane]
	if m.free == 0 {
		it := s.arena.get(lane)
		m.block = s.arena.at((it.index - 1) / 64)
		m.free = m.block.free.Swap(0)
		return it
	}
	i := bits.TrailingZeros64(m.free)
	m.free &= m.free - 1
	return &m.block.items[i&63]
}
