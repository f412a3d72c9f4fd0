package deadline

import (
	"sync/atomic"
	"time"
)

// A Tally is a Histogram that any goroutine may record in while others read it. The zero Tally is empty and
// ready. It must not be copied.
type Tally struct {
	counts [histBuckets]atomic.Uint64
	sum    atomic.Int64
	max    atomic.Int64
}

// Record counts d; a negative one counts as 0. Any goroutine; it takes some 10 ns, and waits for nobody.
func (t *Tally) Record(d time.Duration) {
	d = max(d, 0)
	t.counts[histBucket(uint64(d))].Add(1)
	t.sum.Add(int64(d))
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
	for i := range t.counts {
		n := t.counts[i].Load()
		h.counts[i] += n
		h.n += n
	}
	h.sum += time.Duration(t.sum.Load())
	h.max = max(h.max, time.Duration(t.max.Load()))
}
