package hostcost

import (
	"testing"
	"time"
)

const due = 16 * time.Millisecond

// frames plays n frames that take interval each, in which the kind runs as often as its window allows, at most most
// times, for cost each. It returns the runs of the last frame.
func frames(h *Host, c *Cost, n, most int, cost, interval time.Duration) (runs int) {
	for range n {
		for runs = 0; runs < most && !c.Exhausted(); runs++ {
			h.Spent(c, cost)
		}
		h.Frame(interval, time.Duration(runs)*cost, due)
	}
	return runs
}

// A window doubles every lag frames in time, until the kind is free.
func TestWindowGrows(t *testing.T) {
	h, c := new(Host), new(Cost)
	h.Frame(due, 0, due)
	var got []int
	for range 6 {
		got = append(got, frames(h, c, lag, 1000, 200*time.Microsecond, due))
	}
	for i, n := range got[:5] {
		if n != 1<<i && n != 2<<i {
			t.Errorf("runs in a frame: %v", got)
			break
		}
	}
	if frames(h, c, 20, 1000, 200*time.Microsecond, due) != 1000 {
		t.Error("the kind is not free")
	}
}

// A kind whose tasks take long starts free.
func TestLongTasksStartFree(t *testing.T) {
	h, c := new(Host), new(Cost)
	h.Frame(due, 0, due)
	if n := frames(h, c, 1, 10, long, due); n != 10 {
		t.Errorf("%d runs", n)
	}
}

// A failed try takes the window back, and the next try comes later each time.
func TestFailedTries(t *testing.T) {
	h, c := new(Host), new(Cost)
	h.Frame(due, 0, due)
	var tries []int
	for i := range 200 {
		runs := 0
		for ; !c.Exhausted(); runs++ {
			h.Spent(c, 200*time.Microsecond)
		}
		interval := due
		if runs > 1 {
			interval = 2 * due
			tries = append(tries, i)
		}
		h.Frame(interval, time.Millisecond, due)
	}
	if len(tries) < 3 || len(tries) > 8 {
		t.Fatalf("tries in frames %v", tries)
	}
	for i := 2; i < len(tries); i++ {
		if last, gap := tries[i-1]-tries[i-2], tries[i]-tries[i-1]; gap < last || gap > patience<<maxDoublings+lag {
			t.Errorf("tries in frames %v", tries)
			break
		}
	}
	if h.Cause() != c || c.Late() == 0 {
		t.Error("the kind is not the cause")
	}
	if h.Forget(); h.Cause() != nil || h.Exhausted() {
		t.Error("something is left after Forget")
	}
}

func TestAllocatesNothing(t *testing.T) {
	h, c := new(Host), new(Cost)
	frames(h, c, 2, 3, time.Millisecond, due)
	if n := testing.AllocsPerRun(100, func() { frames(h, c, 1, 3, 100*time.Microsecond, 2*due) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkSpent(b *testing.B) {
	h, c := new(Host), new(Cost)
	for b.Loop() {
		h.Spent(c, time.Millisecond)
	}
}
