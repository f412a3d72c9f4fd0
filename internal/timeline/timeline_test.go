package timeline

import (
	"sync"
	"testing"

	"github.com/frameslice/frameslice/internal/testkit"
)

// A log keeps the latest runs in order, and counts the rest.
func TestLogKeepsTheLatest(t *testing.T) {
	l := New(10)
	for i := range uint64(37) {
		l.Add(Run{ID: i})
		all, dropped := l.Read(nil)
		if want := min(i+1, 10); uint64(len(all)) != want || dropped != i+1-want {
			t.Fatalf("after %d: %d runs, %d dropped", i+1, len(all), dropped)
		}
		for k, r := range all {
			if r.ID != i+1-uint64(len(all))+uint64(k) {
				t.Fatalf("run %d is %d", k, r.ID)
			}
		}
	}
	testkit.NoAllocs(t, func() { l.Add(Run{ID: 1}) })
}

// Each run is kept or counted, whoever adds and reads.
func TestLogLosesNoCount(t *testing.T) {
	const each, adders = 2000, 3
	l := New(64)
	var wg sync.WaitGroup
	for range adders {
		wg.Go(func() {
			for i := range uint64(each) {
				l.Add(Run{ID: i})
			}
		})
	}
	for range 50 {
		l.Read(nil)
	}
	wg.Wait()
	if all, dropped := l.Read(nil); uint64(len(all))+dropped != each*adders {
		t.Errorf("%d kept, %d dropped", len(all), dropped)
	}
}

func BenchmarkAdd(b *testing.B) {
	l := New(1 << 12)
	b.ReportAllocs()
	for b.Loop() {
		l.Add(Run{Label: "decode", ID: 7})
	}
}
