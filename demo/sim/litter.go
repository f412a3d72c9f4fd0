package sim

// SynthAlloc is Synth that allocates garbage while it works: about 21 bytes per sample, which is 150 KB per
// millisecond, in objects of 48 to 600 bytes with pointers among them, the way careless game code does. A few
// dozen of them are alive at any time. The picture is the same as Synth's.
func SynthAlloc(seed uint64, cx, cy, detail int) *Chunk {
	c := NewChunk()
	synthAllocInto(c, seed, cx, cy, detail)
	return c
}

const litterPerSample = 21 // bytes

func synthAllocInto(c *Chunk, seed uint64, cx, cy, detail int) {
	var b bag
	synth(c, seed, cx, cy, detail, b.drop)
}

// bag holds the last scraps, so that the collector finds some of them alive.
type bag struct {
	ring [48]*scrap
	n    int
	owed int // bytes
}

type scrap struct {
	next *scrap
	note []byte
}

func (b *bag) drop(samples int) {
	for b.owed += samples * litterPerSample; b.owed > 0; b.n++ {
		size := 48 + int(hash2(3, int32(b.n), 1)%512)
		b.ring[b.n%len(b.ring)] = &scrap{next: b.ring[b.n*7%len(b.ring)], note: make([]byte, size)}
		if s := b.ring[b.n%len(b.ring)].next; s != nil {
			s.next = nil // no chain grows without end
		}
		b.owed -= size + 48
	}
}
