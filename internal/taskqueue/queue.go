package taskqueue

import (
	"math"
	"math/bits"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// Queue orders work by urgency. The zero Queue orders by expiration, with the default timeouts. It belongs to one
// goroutine. No method reads the clock, allocates (except to let the timer heaps grow), or calls back.
//
// Work is ready once its start has come. The queue's clock begins with the first Push, at any Instant, and does not go
// backwards except by Rewind: a now that is earlier than the latest now of any call counts as the latest. Never as now
// means "whatever its start" and does not move the clock.
//
// See the package documentation for the structure, its invariants and its costs.
type Queue[T any] struct {
	// ByPriority runs the highest priority first: see scheduler.Options. Neither may change after the first Push.
	ByPriority bool
	Timeouts   deadline.Timeouts

	offset deadline.Instant // caller's Instant = internal + offset
	clock  deadline.Instant // internal; the latest now seen since the first Push
	seq    uint64
	count  [deadline.NumPriorities]int
	size   int

	started  bool
	timeouts [deadline.NumPriorities]time.Duration // by lane; resolved at the first Push, at most forever

	mask  uint32             // bit i: heads[i] != nil
	heads [32]*Node[T]       // first node of each source; see the constants below. 32 saves bounds checks
	tails [16]*Node[T]       // last node of each lane, by level
	heaps [levels][]entry[T] // min-heaps on (start, seq)
	aside *Node[T]           // set aside by Defer, the last one first

	wheels  [levels]*wheel[T] // nil until they are worth it
	spare   [][]pending[T]    // arrays that no slot needs at present
	pages   []*page[T]        // pages that no wheel needs
	scratch *scratch[T]
	looked  uint64 // a sum that nobody needs: see look
}

// A level is a lane and a heap of the same order. Each priority has two levels: one for continuations (ByPriority only)
// and one for the rest. Source 2*level is the level's lane, source 2*level+1 its heap, so that the lowest bit of the
// mask is the most urgent source under ByPriority. The sources behind these are the trees: one of all priorities in the
// order of expiration, under ByPriority one for each lane.
const (
	levels   = 2 * deadline.NumPriorities
	treeHead = 2 * levels
	treeBit  = 1 << treeHead

	// The next constants do not compile if there are more priorities than the mask and tails have room for.
	_ = uint(32 - treeHead - deadline.NumPriorities)
	_ = uint(16 - levels)
)

// levelOf returns the level of a lane's work. Continuations have the level before it.
func levelOf(lane int) uint8 { return uint8(2*lane + 1) }

// forever bounds delays and timeouts: 73 years. In the sort key it stands for "never". So work that never expires is
// still sorted by its start, after everything that expires in a lifetime, and needs no special case. The sums stay far
// from overflow.
const forever time.Duration = 1 << 61

// farthest bounds all shifts together: 18 years. From one end to the other is less than forever, so no shift makes a
// node ready that never starts.
const farthest = forever / 4

func (q *Queue[T]) start() {
	for i, p := range deadline.Priorities() {
		q.timeouts[i] = bound(q.Timeouts.Of(p))
	}
	q.clock = math.MinInt64 // in a testing/synctest bubble all Instants are below 0
	q.started = true
}

func bound(d time.Duration) time.Duration { return min(max(d, -forever), forever) }

// Push queues n with priority p, posted at now, to start after delay (zero or less: at once). Its expiration is its
// start plus timeout; timeout zero means the priority's own (see [Timeouts]). A delay or timeout of 73 years or more
// means never. It panics if n is queued or p invalid. now may be earlier than that of an earlier Push, or later than
// that of the last Pop: producers may stamp their work.
//
// Push takes about 5 ns for work that is ready and has no timeout of its own, whatever the length of the
// queue.
func (q *Queue[T]) Push(n *Node[T], p deadline.Priority, now deadline.Instant, delay, timeout time.Duration) {
	if n.where != detached {
		panic("taskqueue: Push of a queued Node")
	}
	mustBeValid(p)
	if !q.started {
		q.start()
	}
	start := q.inside(now)
	if now != deadline.Never && start > q.clock {
		q.clock = start
	}
	lane := p.Lane()
	level := levelOf(lane)
	q.seq++
	n.seq = q.seq
	n.level = level
	q.count[lane]++
	q.size++
	if delay|timeout != 0 {
		q.pushSlow(n, start, delay, timeout)
		return
	}
	n.own = false
	n.start = start
	n.exp = start.Add(q.timeouts[lane])
	if tail := q.tails[level&15]; tail != nil && tail.start <= start && start <= q.clock {
		n.where = inLane // behind the last one, as a rule
		n.a = tail
		tail.b = n
		q.tails[level&15] = n
		return
	}
	q.insertNew(n, start)
}

func (q *Queue[T]) insertNew(n *Node[T], start deadline.Instant) {
	if start > q.clock {
		q.insert(n)
		return
	}
	q.laneInsert(n)
}

// pushSlow is the rest of Push for work with a delay or a timeout of its own.
func (q *Queue[T]) pushSlow(n *Node[T], start deadline.Instant, delay, timeout time.Duration) {
	n.start = start.Add(bound(max(delay, 0)))
	if timeout == 0 && n.start > q.clock { // a timer like most
		n.own = false
		n.exp = n.start.Add(q.timeouts[n.lane()])
		q.timerPush(n)
		return
	}
	n.own = timeout != 0
	if timeout == 0 {
		timeout = q.timeouts[n.lane()]
	}
	n.exp = n.start.Add(bound(timeout))
	q.insert(n)
}

// insert puts n where its fields say.
func (q *Queue[T]) insert(n *Node[T]) {
	switch {
	case n.own && !n.cont():
		q.treeInsert(n)
	case !n.ready(q.clock):
		q.timerPush(n)
	default:
		q.laneInsert(n)
	}
}

// Peek returns the node that Pop would return, and leaves it queued; nil if none is ready.
func (q *Queue[T]) Peek(now deadline.Instant) *Node[T] {
	n, _ := q.Head(now)
	return n
}

// Head is Peek, and reports whether the node is expired. It says so also if it cannot find out at once, which is rare.
func (q *Queue[T]) Head(now deadline.Instant) (n *Node[T], expired bool) {
	switch {
	case q.ByPriority:
		return q.leastByPriority(q.tell(now)), true
	case now == deadline.Never:
		return q.leader(now), true
	}
	now = q.inside(now)
	q.clock = max(q.clock, now)
	if m := q.mask; m&(m-1) != 0 || m == treeBit {
		n = q.leader(q.clock)
	} else if n = q.heads[bits.TrailingZeros32(m)&31]; n != nil && n.start > q.clock {
		n = nil
	}
	return n, n != nil && n.exp <= now
}

// LeadsInTime reports whether n, which was popped, would be popped again at now if it were continued, and is in time:
// not expired, or Immediate, which is expired from the start. Under ByPriority it reports false. It takes less than
// Continue and Pop.
func (q *Queue[T]) LeadsInTime(n *Node[T], now deadline.Instant) bool {
	if q.ByPriority || n.where != detached || n.seq == 0 {
		return false
	}
	if q.mask != 0 {
		if m := q.Peek(now); m != nil && sooner(n, m) == m {
			return false
		}
	}
	return n.start <= q.tell(now) && (n.lane() == deadline.Immediate.Lane() || !q.Expired(n, now))
}

// Pop removes the first of the ready nodes and returns it; nil if none is ready at now. Nodes that were set
// aside by [Queue.Defer] are passed over.
func (q *Queue[T]) Pop(now deadline.Instant) *Node[T] {
	n := q.Peek(now)
	if n == nil {
		return nil
	}
	q.Remove(n)
	return n
}

// Continue queues n again after it was popped. By expiration it gets its old place back (its expiration
// and its submission order), so it is first among equals and comes after what expires sooner. Under
// ByPriority it goes behind the other continuations of its priority and before all else there. It panics if n
// is queued or was never pushed.
func (q *Queue[T]) Continue(n *Node[T]) {
	if n.where != detached || n.seq == 0 {
		panic("taskqueue: Continue of a Node that was not popped")
	}
	if q.ByPriority {
		q.seq++
		n.seq = q.seq
		n.level &^= 1
	}
	q.count[n.lane()]++
	q.size++
	q.insert(n)
}

// Move queues n, which is in the queue from or was popped from it, to start at that instant. from may be q itself. n
// keeps its priority, its order number and its timeout, and under ByPriority a continuation stays one. Both queues must
// take their order numbers from one of them.
func (q *Queue[T]) Move(n *Node[T], from *Queue[T], start deadline.Instant) {
	if n.seq == 0 {
		panic("taskqueue: Move of a Node that was never pushed")
	}
	from.Remove(n)
	if !q.started {
		q.start()
	}
	timeout := n.exp.Sub(n.start)
	n.start = q.inside(start)
	n.exp = n.start.Add(timeout)
	q.count[n.lane()]++
	q.size++
	q.insert(n)
}

// Remove takes n out of the queue and reports whether it was in it. Nothing of it stays behind. n must not be in
// another queue: Remove cannot tell. It takes a few nanoseconds for ready work, O(log n) for delayed work and for work
// with a timeout of its own.
func (q *Queue[T]) Remove(n *Node[T]) bool {
	switch {
	case n.where == inLane && n.a == nil:
		q.lanePop(n)
	case n.where == inFront: // of timers that come due
		q.frontRemove(n)
		n.where = detached
	case n.where == detached:
		return false
	default:
		q.detach(n)
	}
	q.count[n.lane()]--
	q.size--
	return true
}

// detach takes n out of its structure.
func (q *Queue[T]) detach(n *Node[T]) {
	switch n.where {
	case inLane:
		q.laneRemove(n)
	case inHeap:
		q.heapRemove(n)
	case inFront:
		q.frontRemove(n)
	case inSlot:
		q.slotRemove(n)
	case inTree:
		q.treeRemove(n)
	case inAside:
		q.asideRemove(n)
	}
	n.where = detached
}

// Defer sets n aside: it stays queued and keeps its place, and counts as ready, but Peek, Pop and Overdue
// pass over it until [Queue.Recall]. This is how a scheduler looks behind a task that is too long for what is
// left of a slice:
//
//	n := q.Peek(now)
//	for skipped := 0; n != nil && !fits(n) && skipped < limit; skipped++ {
//		q.Defer(n)
//		n = q.Peek(now)
//	}
//
// Time left only shrinks within a slice, so what was set aside need not be looked at again until the slice
// ends. It panics if n is not queued. It takes as long as a Pop.
func (q *Queue[T]) Defer(n *Node[T]) {
	if n.where == detached {
		panic("taskqueue: Defer of a Node that is not queued")
	}
	if n.where != inAside {
		q.detach(n)
		q.asidePush(n)
	}
}

// Recall ends every [Queue.Defer]: all nodes that were set aside are in their places again.
func (q *Queue[T]) Recall() {
	// The last deferred node comes first, so that each finds its place at the front of its lane.
	for n := q.aside; n != nil; n = q.aside {
		q.detach(n)
		q.insert(n)
	}
}

// laneOf returns p's lane, and panics if p is invalid.
func laneOf(p deadline.Priority) int {
	mustBeValid(p)
	return p.Lane()
}

func mustBeValid(p deadline.Priority) {
	if !p.Valid() {
		refuse(p)
	}
}

// refuse is apart so that the others are inlined.
//
//go:noinline
func refuse(p deadline.Priority) { panic("taskqueue: invalid " + p.String()) }

// SetPriority changes n's priority to p. n keeps its place by submission, and its expiration becomes its
// start plus the timeout of p; a timeout of its own ends with the change. Setting the same priority changes
// nothing. A node that is popped (not queued) takes the new priority along for Continue. It panics if p is
// invalid.
func (q *Queue[T]) SetPriority(n *Node[T], p deadline.Priority, now deadline.Instant) {
	q.setPriority(n, p, now, false)
}

// SetUrgency changes the priority of n, and leaves a timeout of n's own as it is.
func (q *Queue[T]) SetUrgency(n *Node[T], p deadline.Priority, now deadline.Instant) {
	q.setPriority(n, p, now, n.own)
}

func (q *Queue[T]) setPriority(n *Node[T], p deadline.Priority, now deadline.Instant, own bool) {
	mustBeValid(p)
	was := n.Priority()
	if p == was || n.seq == 0 {
		return
	}
	q.tell(now)
	where := n.where
	if where != detached {
		q.count[was.Lane()]--
		q.count[p.Lane()]++
	}
	if where != detached && where != inAside {
		q.detach(n)
	}
	n.level = levelOf(p.Lane()) &^ (^n.level & 1)
	if n.own = own; !own {
		n.exp = n.start.Add(q.timeouts[p.Lane()])
	}
	if where != detached && where != inAside {
		q.insert(n)
	}
}
