package workers

import (
	"math/bits"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/loops"
	"github.com/frameslice/frameslice/internal/sleep"
)

// MaxWorkers is the greatest number of Workers, and of Background workers.
const MaxWorkers = sleep.Max

// A class is the ordinary or the background workers, with the lanes that they serve. Everything that
// decides who sleeps and who is woken is per class, and a background worker never writes an ordinary class's
// words while somebody relies on what it does next: a thread of the lowest priority may stop anywhere, for as
// long as the others are busy.
type class struct {
	pool *Pool
	low  bool
	park atomic.Uint32 // the park.Kind of its newest worker
	// lanes are the lanes it serves, the most urgent first; fork is the position among them at which other
	// workers' forks come.
	lanes []int
	fork  int

	sleep sleep.Set // who sleeps, who searches

	loops   loops.Table
	joining atomic.Uint64 // bit i: worker i sleeps, or is about to, over a fork that was stolen (F1)
	hunger  atomic.Int32  // workers that run nothing and would take a fork
	forked  atomic.Bool   // some worker's forks have been shared, ever
	capped  atomic.Int32  // workers within a job of a capped lane
	want    atomic.Int32  // workers with an index from here on leave
	used    atomic.Int32  // slots below it hold workers
	spares  atomic.Int32  // how many of want stand in for workers within Blocking
	base    atomic.Int32  // how many there are to be besides: see class_size.go
	era     atomic.Pointer[chan struct{}]
	slots   [MaxWorkers]atomic.Pointer[Worker]
}

// notify is for everybody who has made work visible (W1). Any goroutine.
func (c *class) notify() { c.sleep.Notify() }

// visible returns how much work a sweep would see now, up to limit. Any goroutine.
func (c *class) visible(limit int) int {
	n := bits.OnesCount64(c.loops.Open())
	for _, lane := range c.lanes {
		if n >= limit {
			return n
		}
		n += c.pool.lanes[lane].size()
	}
	for i := range c.used.Load() {
		if n >= limit {
			return n
		}
		v := c.slots[i].Load()
		if v == nil {
			continue
		}
		n += v.forks.Shared()
		for _, lane := range c.lanes {
			n += v.shared(lane)
		}
	}
	return n
}

// has reports whether there is visible work in a lane.
func (c *class) has(lane int) bool {
	if !c.pool.lanes[lane].empty() {
		return true
	}
	for i := range c.used.Load() {
		if v := c.slots[i].Load(); v != nil && v.shared(lane) > 0 {
			return true
		}
	}
	return false
}
