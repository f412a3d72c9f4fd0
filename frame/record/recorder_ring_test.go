package record

import (
	"testing"
)

func TestRingKeepsTheLastRecords(t *testing.T) {
	for _, size := range []int{1, 2, 63, 64, 65, 200, 1000} {
		r := quiet(Options{Records: size, WarmUp: -1})
		written := uint64(0)
		for _, n := range []uint64{1, 62, 1, 1, 64, 500, 1700} {
			add(r, written+1, written+n)
			written += n
			s := r.Snapshot()
			if want := min(uint64(size), written); uint64(len(s.Records)) != want {
				t.Fatalf("size %d after %d: got %d records, want %d", size, written, len(s.Records), want)
			}
			if err := checkRun(s.Records, written); err != nil {
				t.Fatalf("size %d after %d: %v", size, written, err)
			}
			if s.Totals.Frames != written {
				t.Fatalf("size %d: got %d frames, want %d", size, s.Totals.Frames, written)
			}
		}
	}
}

func TestRecentFillsFromTheEnd(t *testing.T) {
	r := quiet(Options{Records: 300, WarmUp: -1})
	buf := make([]Record, 100)
	if got := r.Recent(buf); len(got) != 0 {
		t.Fatalf("an empty recorder: got %d records", len(got))
	}
	if got := r.Recent(nil); len(got) != 0 {
		t.Fatalf("into nothing: got %d records", len(got))
	}
	for i := uint64(1); i <= 700; i++ {
		add(r, i, i)
		got := r.Recent(buf)
		if want := min(100, i); uint64(len(got)) != want {
			t.Fatalf("after %d: got %d records, want %d", i, len(got), want)
		}
		if err := checkRun(got, i); err != nil {
			t.Fatalf("after %d: %v", i, err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { r.Recent(buf) }); n != 0 {
		t.Errorf("Recent allocates %v times, want 0", n)
	}
}

func TestHeldChunkIsPassedBy(t *testing.T) {
	r := quiet(Options{Records: 4 * ringChunk, WarmUp: -1})
	buf := make([]Record, 10*ringChunk)
	written := uint64(10 * ringChunk)
	add(r, 1, written)
	oldest := r.oldest()
	held, release := r.holdChunks(func(i int) bool { return i == oldest })
	if held != 1 {
		t.Fatalf("held %d chunks, want 1", held)
	}
	for range 20 * ringChunk {
		written++
		add(r, written, written)
		got := r.Recent(buf)
		if len(got) < 4*ringChunk {
			t.Fatalf("after %d: got %d records, want all four chunks although one is held", written, len(got))
		}
		if err := checkRun(got, written); err != nil { // RC3: no stale record joins
			t.Fatalf("after %d: %v", written, err)
		}
	}
	release()
	add(r, written+1, written+10*ringChunk)
	if got := r.Recent(buf); len(got) < 4*ringChunk {
		t.Errorf("after the release: got %d records, want at least %d", len(got), 4*ringChunk)
	}
	if lost := r.Snapshot().Totals.Lost; lost != 0 {
		t.Errorf("got %d lost records, want none", lost)
	}
}

func TestChunkBeingTakenOverIsNotRead(t *testing.T) {
	r := quiet(Options{Records: 3 * ringChunk, WarmUp: -1})
	written := uint64(20*ringChunk + 5)
	add(r, 1, written)
	done := r.takeOver(2) // the chunk two before the current one
	got := r.Recent(make([]Record, 10*ringChunk))
	if len(got) != ringChunk+5 {
		t.Errorf("got %d records, want the current chunk and the one before", len(got))
	}
	if err := checkRun(got, written); err != nil {
		t.Error(err)
	}
	if !done() {
		t.Error("a reader took part in a chunk which the writer was taking over")
	}
}

func TestEveryChunkHeldLosesRecordsAndCountsThem(t *testing.T) {
	r := quiet(Options{Records: ringChunk, WarmUp: -1})
	add(r, 1, 5*ringChunk)
	_, release := r.holdChunks(func(int) bool { return true })
	add(r, 5*ringChunk+1, 5*ringChunk+10)
	s := r.Snapshot()
	if s.Totals.Lost != 10 || s.Totals.Frames != 5*ringChunk+10 || s.Interval.Count() != s.Totals.Frames {
		t.Errorf("got lost %d of %d frames, %d intervals; want 10 lost, and all counted",
			s.Totals.Lost, s.Totals.Frames, s.Interval.Count())
	}
	if err := checkRun(s.Records, 5*ringChunk); err != nil {
		t.Error(err)
	}
	release()
	add(r, 1, 3) // any records: the ring goes on
	if got := r.Recent(make([]Record, 3)); len(got) != 3 || got[2] != numbered(3) {
		t.Errorf("after the release: got %d records", len(got))
	}
}

// holdChunks holds every chunk but the current one, as that many readers would, until release is called. It
// returns how many it held.
func (r *Recorder) holdChunks(which func(i int) bool) (held int, release func()) {
	var chunks []*chunk
	for i, c := range r.ring.chunks {
		if int32(i) != r.ring.current.Load() && which(i) && c.hold() {
			chunks = append(chunks, c)
		}
	}
	return len(chunks), func() {
		for _, c := range chunks {
			c.release()
		}
	}
}

// oldest returns the index of the chunk which the writer takes next.
func (r *Recorder) oldest() int { return (int(r.ring.current.Load()) + 1) % len(r.ring.chunks) }

// takeOver leaves the chunk k before the current one as the writer does while it takes it over. done ends
// that, and reports whether nobody else touched it.
func (r *Recorder) takeOver(k int) (done func() bool) {
	n := len(r.ring.chunks)
	c := r.ring.chunks[(int(r.ring.current.Load())-k+n)%n]
	c.holders.Store(-1)
	return func() bool { return c.holders.CompareAndSwap(-1, 0) }
}
