package record

import (
	"errors"
	"reflect"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
)

func TestRingKeepsTheLastRecords(t *testing.T) {
	for _, size := range []int{1, 2, 63, 64, 65, 200, 1000} {
		r := quiet(Options{Records: size, WarmUp: -1})
		buf := make([]Record, 100)
		if got := r.Recent(buf); len(got) != 0 {
			t.Fatalf("an empty recorder: got %d records", len(got))
		}
		written := uint64(0)
		for _, n := range []uint64{1, 62, 1, 1, 64, 500, 1700} {
			add(r, written+1, written+n)
			written += n
			s, recent := r.Snapshot(), r.Recent(buf)
			if want := min(uint64(size), written); uint64(len(s.Records)) != want || s.Totals.Frames != written ||
				len(recent) < int(min(want, 100)) {
				t.Fatalf("size %d after %d: got %d records, %d recent ones of %d frames, want %d", size, written,
					len(s.Records), len(recent), s.Totals.Frames, want)
			}
			if err := errors.Join(checkRun(s.Records, written), checkRun(recent, written)); err != nil {
				t.Fatalf("size %d after %d: %v", size, written, err)
			}
		}
		testkit.NoAllocs(t, func() { r.Recent(buf) })
		if n := len(r.Recent(nil)); n != 0 {
			t.Errorf("Recent(nil) has %d records", n)
		}
	}
}

func TestHeldChunkIsPassedBy(t *testing.T) {
	r := quiet(Options{Records: 4 * ringChunk, WarmUp: -1})
	buf := make([]Record, 10*ringChunk)
	written := uint64(10 * ringChunk)
	add(r, 1, written)
	oldest := r.ring.chunks[(int(r.ring.current.Load())+1)%len(r.ring.chunks)] // the writer would take it next
	if !oldest.hold() {
		t.Fatal("the oldest chunk cannot be held")
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
	oldest.release()
	add(r, written+1, written+10*ringChunk)
	if got := r.Recent(buf); len(got) < 4*ringChunk {
		t.Errorf("after the release: got %d records, want at least %d", len(got), 4*ringChunk)
	}
	if lost := r.Snapshot().Totals.Lost; lost != 0 {
		t.Errorf("got %d lost records, want none", lost)
	}
}

func TestEveryChunkHeldLosesRecordsAndCountsThem(t *testing.T) {
	r := quiet(Options{Records: ringChunk, WarmUp: -1})
	add(r, 1, 5*ringChunk)
	for i, c := range r.ring.chunks {
		if int32(i) != r.ring.current.Load() && !c.hold() {
			t.Fatal("a chunk cannot be held")
		}
	}
	add(r, 5*ringChunk+1, 5*ringChunk+10)
	s := r.Snapshot()
	if s.Totals.Lost != 10 || s.Totals.Frames != 5*ringChunk+10 || s.Interval.Count() != s.Totals.Frames {
		t.Errorf("got lost %d of %d frames, %d intervals; want 10 lost, and all counted",
			s.Totals.Lost, s.Totals.Frames, s.Interval.Count())
	}
	if err := checkRun(s.Records, 5*ringChunk); err != nil {
		t.Error(err)
	}
	for i, c := range r.ring.chunks {
		if int32(i) != r.ring.current.Load() {
			c.release()
		}
	}
	add(r, 1, 3) // any records: the ring continues
	if got := r.Recent(make([]Record, 3)); len(got) != 3 || !reflect.DeepEqual(got[2], numbered(3)) {
		t.Errorf("after the release: got %d records", len(got))
	}
}
