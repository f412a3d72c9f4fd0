package sim

import "testing"

func TestChunkPoolLendsEachChunkOnce(t *testing.T) {
	var p ChunkPool
	a := p.Take()
	b := p.Take()
	if a == nil || b == nil || a == b {
		t.Fatal("two loans of one chunk")
	}
	p.Put(a)
	p.Put(b)
	if c, d := p.Take(), p.Take(); c == d || (c != a && c != b) || (d != a && d != b) {
		t.Error("what was put back is not lent again")
	}
}
