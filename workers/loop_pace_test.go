package workers_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/frameslice/frameslice/workers"
)

// An automatic loop of two goroutines learns from its pieces what elements take, whatever the first ones say. In these
// tests elements take a time.Sleep in a bubble, or no time at all.
func TestALoopLearnsWhatElementsTake(t *testing.T) {
	needsWorkers(t)
	const cheap, million = 10 * time.Nanosecond, 1_000_000
	dear := func(is func(i int) bool, d, rest time.Duration) func(i int) time.Duration {
		return func(i int) time.Duration {
			if is(i) {
				return d
			}
			return rest
		}
	}
	same := func(int) time.Duration { return time.Microsecond }
	isFirst := func(i int) bool { return i == 0 }
	isMiddle := func(i int) bool { return i == million/2 }
	for name, c := range map[string]struct {
		n      int
		each   func(i int) time.Duration
		pieces int
		most   time.Duration
	}{
		// The thread was stopped in the first element, or that one reads what all need.
		"few after a slow one":  {1000, dear(isFirst, 10*ms, 2*time.Nanosecond), 100, time.Hour},
		"many after a slow one": {million, dear(isFirst, 10*ms, 2*time.Nanosecond), 100, time.Hour},
		// 10 ms, in pieces of 200 µs
		"a slow one in the middle": {million, dear(isMiddle, 50*ms, cheap), 300, time.Hour},
		// What comes first is too little to be worth sharing.
		"dear at the end":   {400, dear(func(i int) bool { return i >= 200 }, ms, 5*cheap), 400, 150 * ms},
		"dear at the start": {million / 10, dear(func(i int) bool { return i < 20 }, ms, cheap), 100, 16 * ms},
		// What is left at the end is in pieces of 2 µs: neither of the two waits longer for the other.
		"60 of 1 µs":  {60, same, 60, 35 * time.Microsecond},
		"100 of 1 µs": {100, same, 100, 55 * time.Microsecond},
		"500 of 1 µs": {500, same, 500, 255 * time.Microsecond},
	} {
		bubble(t, workers.Options{Workers: 1}, func(t *testing.T, p *workers.Pool) {
			var pieces atomic.Int64
			begin := time.Now()
			p.ParallelFor(c.n, 0, func(lo, hi int) {
				pieces.Add(1)
				var d time.Duration
				for i := lo; i < hi; i++ {
					d += c.each(i)
				}
				time.Sleep(d)
			})
			if took := time.Since(begin); int(pieces.Load()) > c.pieces || took > c.most {
				t.Errorf("%s: %d pieces in %v, want %d in %v at most", name, pieces.Load(), took, c.pieces, c.most)
			}
		})
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
