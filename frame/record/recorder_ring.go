package record

import "github.com/frameslice/frameslice/internal/atomic"

// The ring hands records over by ownership, in chunks of 64. ring_explore_test.go runs the protocol.
//
//   - RC1. While nobody takes a chunk over, its records [0, n) do not change. The writer fills records[n] and then
//     stores n+1.
//   - RC2. The writer takes a chunk over only by moving holders from 0 to -1. A reader copies from a chunk only between
//     adding one to holders, never below 0, and taking it off. So nobody writes while a reader copies. The writer
//     passes by a held chunk. A reader holds one chunk at a time, so with fewer readers than chunks one is free.
//   - RC3. A passed-by chunk is stale. Order numbers show that: a reader walks back from the newest chunk and takes
//     only the chunks that join. So it returns the latest records without a gap. The newest chunk is current. If a
//     reader cannot hold it, the writer has gone round the ring since, and the reader loads current again. (The chunk
//     before may be stale: the explorer found that.)

// ringChunk is how many records a chunk holds: about a second at 60 Hz, 22 KB.
const ringChunk = 64

// ring holds the last records. One goroutine writes while others read, and nobody waits.
type ring struct {
	chunks  []*chunk
	current atomic.Int32  // index of the chunk being filled
	base    atomic.Uint64 // records before this order number are forgotten

	order uint64 // how many records were written; writer only
}

type chunk struct {
	// holders is how many readers hold the chunk, or -1 while the writer takes it over (RC2).
	holders atomic.Int32
	// n is how many records are filled; they do not change until the chunk is taken over (RC1).
	n atomic.Uint32
	// first is the order number of records[0]; written only while holders is -1.
	first   uint64
	records [ringChunk]Record
	// sections are those of all records, one after the other. Writer only; readers find the sections by their records,
	// under RC1 and RC2.
	sections []Section
}

// newRing returns a ring for the last n records: as many full chunks, one being filled, and one to
// spare for a reader that holds the oldest.
func newRing(n int) *ring {
	g := &ring{chunks: make([]*chunk, (n+ringChunk-1)/ringChunk+2)}
	for i := range g.chunks {
		g.chunks[i] = new(chunk)
	}
	return g
}

// add appends a record, and reports false if every chunk that could take it was held. Writer only.
func (g *ring) add(r *Record) bool {
	c := g.chunks[g.current.Load()]
	n := c.n.Load()
	if n == ringChunk {
		if c = g.take(); c == nil {
			return false
		}
		n = 0
	}
	c.records[n] = *r
	if len(r.Sections) > 0 {
		c.records[n].Sections = c.keep(r.Sections[:min(len(r.Sections), maxSections)], int(n))
	}
	c.n.Store(n + 1)
	g.order++
	return true
}

// keep copies the sections of record n. Without room it allocates, for as many in each record to come: in the first
// turn of the ring once a chunk, and later where frames have more sections than before.
func (c *chunk) keep(s []Section, n int) []Section {
	if len(c.sections)+len(s) > cap(c.sections) {
		c.sections = make([]Section, 0, cap(c.sections)+(ringChunk-n)*len(s))
	}
	at := len(c.sections)
	c.sections = append(c.sections, s...)
	return c.sections[at:len(c.sections):len(c.sections)]
}

// take empties the oldest chunk that nobody holds and makes it current; nil if all others are held.
func (g *ring) take() *chunk {
	at := int(g.current.Load())
	for k := 1; k < len(g.chunks); k++ {
		i := (at + k) % len(g.chunks)
		c := g.chunks[i]
		if !c.holders.CompareAndSwap(0, -1) {
			continue
		}
		c.first, c.sections = g.order, c.sections[:0]
		c.n.Store(0)
		c.holders.Store(0)
		g.current.Store(int32(i))
		return c
	}
	return nil
}

// hold keeps the writer from taking the chunk over, until release. It fails while the writer does.
func (c *chunk) hold() bool {
	for {
		h := c.holders.Load()
		if h < 0 {
			return false
		}
		if c.holders.CompareAndSwap(h, h+1) {
			return true
		}
	}
}

func (c *chunk) release() { c.holders.Add(-1) }

// tail fills dst from its end with the latest records and returns the part it filled, oldest first.
// Any goroutine. It walks back from the newest chunk and stops where the sequence has a gap (RC3).
func (g *ring) tail(dst []Record) []Record {
	at, base := len(dst), g.base.Load()
	newest, want := true, uint64(0)
	for k, i := 0, int(g.current.Load()); k < len(g.chunks) && at > 0; k++ {
		c := g.chunks[(i-k+len(g.chunks))%len(g.chunks)]
		if !c.hold() {
			if newest { // the writer has gone round the ring meanwhile
				k, i = -1, int(g.current.Load())
			}
			continue
		}
		n := uint64(c.n.Load())
		if newest || c.first+n == want {
			newest, want = false, c.first
			lo := min(n, base-min(base, c.first)) // records[:lo] are forgotten
			if have := int(n - lo); have > at {
				lo += uint64(have - at)
			}
			at -= int(n - lo)
			for i := range c.records[lo:n] {
				dst[at+i].take(&c.records[int(lo)+i])
			}
		}
		c.release()
	}
	return dst[at:]
}

// take copies o, and its sections into the memory of r's.
func (r *Record) take(o *Record) {
	mine := r.Sections
	*r = *o
	if r.Sections = mine[:0]; len(o.Sections) > 0 {
		r.Sections = append(r.Sections, o.Sections...)
	}
}
