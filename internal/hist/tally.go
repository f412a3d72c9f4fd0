package hist

import (
	"sync/atomic"
	"time"
)

// A Tally is a Histogram for many goroutines: any may record while others read. The zero Tally is empty and ready. It
// must not be copied.
type Tally struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Uint64
	carry  atomic.Uint64 // how often 2^63 were taken off sum; a reader in between misses them once
	max    atomic.Int64
}

// Record counts d; a negative one counts as 0. Any goroutine. It takes about 10 ns and never blocks.
func (t *Tally) Record(d time.Duration) {
	d = max(d, 0)
	t.counts[bucketOf(d)].Add(1)
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

// AddTo adds the durations so far to h. Any goroutine. It takes about 1 µs. Of a duration that is recorded at the same
// time h may get the count without the length.
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
