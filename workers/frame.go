package workers

import (
	"runtime"

	"github.com/frameslice/frameslice/deadline"
)

// BeginFrame tells the pool that a frame begins. At most once a second it looks whether GOMAXPROCS has changed, as
// workers do after a job, and has the number of workers adapted; and until EndFrame workers that run out of work
// look for more for a while before they sleep, where there are processors to spare. The frame goroutine; about 30
// ns, and 1 µs more with OverflowWait.
func (p *Pool) BeginFrame() {
	p.hot.Store(true)
	p.limit.seeFrame()
	p.followProcs(deadline.Now())
}

// EndFrame tells the pool that the frame's own work is over: workers that run out of work sleep, and
// what ExpectFork kept back begins. The frame goroutine.
func (p *Pool) EndFrame() {
	p.hot.Store(false)
	p.endReserve()
}

// Prime wakes a worker, which wakes others, ahead of work that is about to come: call it some 50 µs before a
// ParallelFor whose latency matters. The frame goroutine; at most one system call.
func (p *Pool) Prime() { p.crews[ordinary].notify() }

// hotLinger is linger between BeginFrame and EndFrame: about 50 µs.
const hotLinger = 500

// linger returns how often a worker that found nothing looks again before it sleeps.
func (p *Pool) linger(c *crew) int {
	switch {
	case c.low:
		return 0
	case p.hot.Load() && runtime.NumCPU() > 2 && p.site.whole.Load() == 0: // a quota is not for spinning
		return hotLinger
	}
	return linger
}
