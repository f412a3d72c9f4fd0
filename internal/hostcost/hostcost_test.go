package hostcost

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/frameslice/frameslice/internal/testkit"
)

const due = 16 * time.Millisecond

// frames plays n frames that take interval each, in which the kind runs as often as its window allows, at most most
// times, for cost each. It returns the runs of the last frame.
func frames(h *Host, c *Cost, n, most int, cost, interval time.Duration) (runs int) {
	for range n {
		for runs = 0; runs < most && !h.Holds(c); runs++ {
			h.Spent(c, cost)
		}
		h.Frame(Frame{Interval: interval, Busy: time.Duration(runs) * cost, Due: due})
	}
	return runs
}

// A window doubles every lag frames in time, until the kind is free.
func TestWindowGrows(t *testing.T) {
	h, c := new(Host), new(Cost)
	h.Frame(Frame{Interval: due, Busy: 0, Due: due})
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

// A kind whose tasks take long starts with a quarter of the period beside a host whose frames were in time, and is free
// after two windows that were in time. Beside another host it starts free.
func TestLongTasksStartWithAQuarter(t *testing.T) {
	host := func(interval time.Duration) *Host {
		h := new(Host)
		for i := range 2 * latest {
			f := Frame{Interval: due, Due: due}
			if i%latest == 0 {
				f.Interval = interval
			}
			h.Frame(f)
		}
		return h
	}
	h, c := host(due), new(Cost)
	for i, want := range []int{8, 16, 100} { // 4 and 8 ms
		if n := frames(h, c, lag, 100, long, due); n < want || n > want+1 {
			t.Errorf("window %d: %d runs, want %d", i, n, want)
		}
	}
	h, c = host(due), new(Cost)
	if frames(h, c, lag, 100, long, 2*due); frames(h, c, 1, 100, long, due) > 4 {
		t.Error("a window that made frames late was kept")
	}
	if n := frames(host(2*due), new(Cost), 1, 100, long, due); n != 100 {
		t.Errorf("beside an uneven host: %d runs in a frame", n)
	}
	if n := frames(host(due), new(Cost), 1, 100, due/3, due); n != 100 {
		t.Errorf("of tasks that are longer than a quarter: %d runs in a frame", n)
	}
}

// A failed try takes the window back, and the next try comes later each time, but within half a second.
func TestFailedTries(t *testing.T) {
	h, c := new(Host), new(Cost)
	for range lag + 1 {
		h.Frame(Frame{Interval: due, Busy: 0, Due: due})
	}
	var tries []int
	for i := range 200 {
		runs := 0
		for ; !h.Holds(c); runs++ {
			h.Spent(c, 200*time.Microsecond)
		}
		interval := due
		if runs > 1 {
			interval = 2 * due
			tries = append(tries, i)
		}
		h.Frame(Frame{Interval: interval, Busy: time.Millisecond, Due: due})
	}
	if len(tries) < 3 || len(tries) > 8 {
		t.Fatalf("tries in frames %v", tries)
	}
	for i := 2; i < len(tries); i++ {
		if last, gap := tries[i-1]-tries[i-2], tries[i]-tries[i-1]; gap < last || gap > int(longestPatience/due)+lag {
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
	testkit.NoAllocs(t, func() { frames(h, c, 1, 3, 100*time.Microsecond, 2*due) })
}

func BenchmarkSpent(b *testing.B) {
	h, c := new(Host), new(Cost)
	for b.Loop() {
		h.Spent(c, time.Millisecond)
	}
}

// uneven returns the length of a host's frame that is uneven by itself: 0.55 to 3.7 times base.
func uneven(r *rand.Rand, base time.Duration) time.Duration {
	u := r.Float64()
	return time.Duration(float64(base) * (0.55 + 0.25*u/(1.08-u)))
}

// A kind that leaves nothing to an uneven host is hardly ever limited, and is not the cause of the host's late frames.
func TestAnUnevenHostBlamesNobody(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		h, c := new(Host), new(Cost)
		for range 30 {
			h.Frame(Frame{Interval: 2*time.Millisecond + uneven(r, due), Busy: 2 * time.Millisecond, Due: due})
		}
		runs := 0
		for range 300 {
			n := 0
			for n < 8 && !h.Holds(c) {
				h.Spent(c, time.Millisecond)
				n++
			}
			runs += n
			busy := 2*time.Millisecond + time.Duration(n)*time.Millisecond
			h.Frame(Frame{Interval: busy + uneven(r, due), Busy: busy, Due: due})
		}
		if runs < 300*8*3/4 {
			t.Errorf("seed %d: %d runs of %d", seed, runs, 300*8)
		}
		if n := c.Late(); n > 20 {
			t.Errorf("seed %d: the cause of %d late frames", seed, n)
		}
	}
}

// Beside a host that is late without any work, a kind has its share, whatever it leaves to the host.
func TestAShareHasNoWindow(t *testing.T) {
	const share = 4 * time.Millisecond
	h, c := new(Host), new(Cost)
	for range 10 {
		h.Frame(Frame{Interval: 3 * due, Busy: time.Millisecond, Due: due, Slow: true, Share: share})
	}
	for i := range 100 {
		n := 0
		for ; n < 100 && !h.Holds(c); n++ {
			h.Spent(c, 200*time.Microsecond)
		}
		if spent := time.Duration(n) * 200 * time.Microsecond; spent < share {
			t.Fatalf("frame %d: %v of %v", i, spent, share)
		}
		h.Frame(Frame{Interval: 10 * due, Busy: time.Millisecond, Due: due, Slow: true, Share: share})
	}
}

// In a control no kind runs that has a window, and the third frame of it is bare.
func TestControl(t *testing.T) {
	h, c := new(Host), new(Cost)
	h.Frame(Frame{Interval: due, Busy: 0, Due: due})
	frames(h, c, 1, 1, 100*time.Microsecond, due)
	for i := range lag {
		if h.Bare() {
			t.Errorf("frame %d of a control is bare", i)
		}
		if h.Control(); !h.Holds(c) || !h.Exhausted() {
			t.Errorf("frame %d of a control runs a kind that has a window", i)
		}
		h.Frame(Frame{Interval: due, Busy: 0, Due: due})
	}
	if !h.Bare() {
		t.Error("no frame of the control is bare")
	}
	if h.Holds(c) {
		t.Error("a control lasts for more than a frame")
	}
}
