package costs_test

import (
	"sync"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/costs"
)

// A long run is remembered for the next 4096 runs, and forgotten after 8192, however many windows have passed before.
func TestALongRunIsRememberedForAWhile(t *testing.T) {
	const memory = 4096
	for _, before := range []int{0, 1, memory - 1, memory, 3*memory + 17, 70_000 * memory} {
		var l costs.Latest
		l.Skip(before)
		l.Note(time.Millisecond)
		l.Note(time.Second)
		for i := range 2 * memory {
			if got := l.Longest(); i <= memory && got != time.Second {
				t.Fatalf("after %d runs and %d more the longest is %v", before, i, got)
			}
			l.Note(time.Millisecond)
		}
		if got := l.Longest(); got != time.Millisecond {
			t.Errorf("after %d runs the longest is %v for good", before, got)
		}
	}
}

// No time is too long for a Latest, or too short.
func TestLatestOfAnyTime(t *testing.T) {
	var l costs.Latest
	if l.Longest() != 0 || l.Runs() != 0 {
		t.Error("it knows something from the beginning")
	}
	for _, c := range []struct{ d, want time.Duration }{{-1, 0}, {5, 5}, {4, 5}, {1 << 62, costs.Forever}} {
		if l.Note(c.d); l.Longest() != c.want {
			t.Errorf("after %v the longest is %v, want %v", c.d, l.Longest(), c.want)
		}
	}
	if l.Runs() != 4 {
		t.Errorf("%d runs", l.Runs())
	}
}

// Goroutines that note at the same time lose no run, and not the longest one, also where windows change (LR1).
func TestManyNoteAtTheSameTime(t *testing.T) {
	for round := range 50 {
		var l costs.Latest
		l.Skip(4096*3 - 100)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 100 {
					l.Note(time.Duration(1 + i))
					if i == round && g == 0 {
						l.Note(time.Second)
					}
				}
			})
		}
		wg.Wait()
		if l.Longest() != time.Second || l.Runs() != 4096*3-100+401 {
			t.Fatalf("round %d: the longest of %d is %v", round, l.Runs(), l.Longest())
		}
	}
}
