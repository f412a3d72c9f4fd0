package deadline

import (
	"sync/atomic"
	"time"
)

// A Tally is a Histogram that any goroutine may record in while others read it. The zero Tally is empty and
// ready. It must not be copied.
type Tally struct {
	counts [histBuckets]atomic.Uint64
	sum    atomic.Uint64
	carry  atomic.Uint64 // how often 2^63, 292 years, were taken off sum; who looks in between misses them once
	max    atomic.Int64
}

// Record counts d; a negative one counts as 0. Any goroutine; it takes some 10 ns, and waits for nobody.
func (t *Tally) Record(d time.Duration) {
	d = max(d, 0)
	t.counts[histBucket(uint64(d))].Add(1)
	if sum := t.sum.Add(uint64(d)); sum >= 1<<63 && t.sum.CompareAndSwap(sum, sum-1<<63) {
		t.carry.Add(1)
	}
	for {
		old := t.max.Load()
		if int64(d) <= old || t.max.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// AddTo adds what was recorded so far to h. Any goroutine; it takes about 1 µs. Of a duration that is being recorded at
// the same time h may get a part: its count, but not yet its length in the mean.
func (t *Tally) AddTo(h *Histogram) {
	n := uint64(0)
	for i := range t.counts {
		count := t.counts[i].Load()
		h.counts[i] += count
		n += count
	}
	h.n += n
	carry := t.carry.Load()
	h.add(carry<<63, carry>>1)
	h.add(t.sum.Load(), 0)
	h.max = max(h.max, time.Duration(t.max.Load()))
}
