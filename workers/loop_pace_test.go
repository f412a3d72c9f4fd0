package workers_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/workers"
)

// In these tests elements take a time.Sleep in a bubble, or no time at all.

// uneven runs an automatic loop of n elements that take as long as each says, and returns how many pieces it had, and
// how long it took.
func uneven(t *testing.T, n int, each func(i int) time.Duration) (pieces int, took time.Duration) {
	t.Helper()
	needsWorkers(t)
	var count atomic.Int64
	bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
		begin := time.Now()
		p.ParallelFor(n, 0, func(lo, hi int) {
			count.Add(1)
			var d time.Duration
			for i := lo; i < hi; i++ {
				d += each(i)
			}
			time.Sleep(d)
		})
		took = time.Since(begin)
	})
	return int(count.Load()), took
}

// The first element takes long, because the thread was stopped in it or it reads what all need: that is no reason to
// take the others one by one.
func TestALoopsFirstElementDoesNotTellOfTheRest(t *testing.T) {
	for name, n := range map[string]int{"few": 1000, "many": 1_000_000} {
		t.Run(name, func(t *testing.T) {
			pieces, _ := uneven(t, n, func(i int) time.Duration {
				if i == 0 {
					return 10 * ms
				}
				return 2 * time.Nanosecond
			})
			if pieces > 100 {
				t.Errorf("%d pieces of %d elements", pieces, n)
			}
		})
	}
}

// A piece in the middle takes long: the ones after it get as long again as they should be.
func TestALoopForgetsASlowPiece(t *testing.T) {
	const n = 1_000_000
	pieces, _ := uneven(t, n, func(i int) time.Duration {
		if i == n/2 {
			return 50 * ms
		}
		return 10 * time.Nanosecond
	})
	if pieces > 300 { // 10 ms, in pieces of 200 µs
		t.Errorf("%d pieces", pieces)
	}
}

// What comes first has nothing to do, and is too little to be worth sharing: the rest is shared all the same.
func TestALoopWhoseLastElementsAreDearIsShared(t *testing.T) {
	const n = 400
	_, took := uneven(t, n, func(i int) time.Duration {
		if i < n/2 {
			return 50 * time.Nanosecond
		}
		return ms
	})
	if took > n/2*ms*3/4 {
		t.Errorf("%v, of which a half each would be %v", took, n/4*ms)
	}
}

// What comes first is dear: the cheap rest goes in pieces of many.
func TestALoopWhoseFirstElementsAreDear(t *testing.T) {
	const n = 100_000
	pieces, took := uneven(t, n, func(i int) time.Duration {
		if i < 20 {
			return ms
		}
		return 10 * time.Nanosecond
	})
	if pieces > 100 || took > 16*ms {
		t.Errorf("%d pieces in %v", pieces, took)
	}
}

// What is left at the end is in pieces of 2 µs: neither of the two waits longer for the other.
func TestALoopEndsForBothAtOnce(t *testing.T) {
	for _, n := range []int{60, 100, 500} {
		_, took := uneven(t, n, func(int) time.Duration { return time.Microsecond })
		alone := 4 * time.Microsecond // as long as it measures
		if best := alone + (time.Duration(n)*time.Microsecond-alone)/2; took > best+3*time.Microsecond {
			t.Errorf("%v, where %v would be best", took, best)
		}
	}
}

// Where many help, they take more at a time from the counter that they share; but what each would have of a loop of
// some hundred µs is not more than its part.
func TestALoopOfManyHasLongerPieces(t *testing.T) {
	needsWorkers(t)
	const n, most = 20_000, 600
	var brief, shared atomic.Int64
	bubble(t, workers.Options{Workers: 63}, func(t *testing.T, p *workers.Pool) {
		p.ParallelFor(n, 0, func(lo, hi int) {
			if lo > 100 && hi < n && hi-lo < 7 {
				brief.Add(1)
			}
			time.Sleep(time.Duration(hi-lo) * time.Microsecond)
		})
		p.ParallelFor(most, 0, func(lo, hi int) {
			if lo > 20 {
				shared.Add(1)
			}
			time.Sleep(time.Duration(hi-lo) * time.Microsecond)
		})
	})
	if got := brief.Load(); got > 0 {
		t.Errorf("%d pieces take less than 7 µs", got)
	}
	if got := shared.Load(); got < most/16 {
		t.Errorf("%d µs are shared in %d pieces", most, got)
	}
}
