package sim

import "sync/atomic"

// ChunkPool lends the memory of a job that paints a chunk (0.7 MB) from the start of its Run to its Commit, warm from
// the last one that had it, so that jobs which wait hold none. It has no lock: a worker that loses its CPU inside one
// would make the frame goroutine wait. What does not fit is left to the collector. Any goroutine; the zero value is
// ready.
type ChunkPool struct {
	slot [256]atomic.Pointer[Chunk]
}

// Take returns a chunk, whose picture is of no use, until Put.
func (p *ChunkPool) Take() *Chunk {
	for i := range p.slot {
		if s := &p.slot[i]; s.Load() != nil {
			if c := s.Swap(nil); c != nil {
				return c
			}
		}
	}
	return NewChunk()
}

// Put takes a chunk back.
func (p *ChunkPool) Put(c *Chunk) {
	for i := range p.slot {
		if s := &p.slot[i]; s.Load() == nil && s.CompareAndSwap(nil, c) {
			return
		}
	}
}
