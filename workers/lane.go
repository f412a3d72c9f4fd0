package workers

import (
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/runqueue"
)

// A lane is one priority. It has the queues which belong to no worker, and the class whose workers serve them.
type lane struct {
	outside runqueue.Injector[item]
	// older has items that were taken out and put back: by RunUntil, because they did not fit, or by a sifter. They are
	// older than the rest, so they are taken first.
	older runqueue.Injector[item]
	// below has items from background workers. Such a thread may stop for long between its claim of a slot and the
	// filling, and items behind the slot wait. So background workers have a queue of their own.
	below runqueue.Injector[item]
	// yielded has the jobs that are between two turns: see yielder.
	yielded runqueue.Injector[item]
	stale   staleEntries

	// extra says which places besides outside have ever been used for this lane. A bit is set before the first push,
	// and never cleared. So a program that does not use these places pays one load for all of them.
	extra atomic.Uint32

	// waits is when a worker first saw work here that has not been served since, or 0.
	waits atomic.Int64

	at      int           // its index
	class   *class        // the class that serves it
	timeout time.Duration // how long it waits until it goes first
	quiet   *quiet        // the pool's
}

// lanes are the lanes of a pool.
type lanes [numLanes]lane

// Bits of lane.extra.
const (
	useOlder = 1 << iota
	useBelow
	useLocal   // some worker's deque or batch
	useYielded // a job is between two turns, or a job has begun that may yield

	useExtra = useOlder | useBelow // the queues besides outside that wait for a start
)

func (l *lane) use(bit uint32) {
	if l.extra.Load()&bit == 0 {
		l.extra.Or(bit)
	}
}

func (l *lane) init(at int, c *class, q *quiet, timeout time.Duration) {
	l.at, l.class, l.quiet, l.timeout = at, c, q, timeout
	l.outside.Init()
	l.older.Init()
	l.below.Init()
	l.yielded.Init()
}

func (l *lane) push(it item, fromLow bool) {
	if fromLow {
		l.use(useBelow)
		l.below.Push(it)
		return
	}
	l.outside.Push(it)
}

func (l *lane) pop() (item, bool) {
	if extra := l.extra.Load(); extra&useExtra != 0 {
		return l.popExtra()
	}
	return l.outside.Pop()
}

func (l *lane) popExtra() (item, bool) {
	it, ok := l.older.Pop()
	if !ok {
		it, ok = l.outside.Pop()
	}
	if !ok {
		it, ok = l.below.Pop()
	}
	return it, ok
}

func (l *lane) size() int {
	n := l.outside.Size()
	if l.extra.Load()&useExtra != 0 {
		n += l.older.Size() + l.below.Size()
	}
	return n
}

func (l *lane) empty() bool {
	return l.outside.Empty() && (l.extra.Load()&useExtra == 0 || l.older.Empty() && l.below.Empty())
}

// filled reports whether pop would find an item. Unlike empty it does not count an item whose producer has claimed a
// slot and not filled it yet.
func (l *lane) filled() bool {
	return l.outside.Filled() || l.extra.Load()&useExtra != 0 && (l.older.Filled() || l.below.Filled())
}

// between reports whether a job is between two turns, and could be taken now.
func (l *lane) between() bool { return l.extra.Load()&useYielded != 0 && l.yielded.Filled() }

// any reports whether the lane may have an item, here or in workers' queues.
func (l *lane) any() bool { return l.extra.Load() != 0 || !l.outside.Empty() }

// trim lets go of the rings that the lane's queues keep for use again.
func (l *lane) trim() {
	for _, q := range []*runqueue.Injector[item]{&l.outside, &l.older, &l.below} {
		q.Trim()
	}
}

// staleRemoved is called by a goroutine that has taken a stale entry out (J8).
func (l *lane) staleRemoved() {
	for {
		n := l.stale.count.Load()
		if n <= 0 || l.stale.count.CompareAndSwap(n, n-1) {
			return
		}
	}
}

func laneOf(prio deadline.Priority) int {
	if !prio.Valid() {
		panic("workers: invalid " + prio.String())
	}
	return prio.Lane()
}
