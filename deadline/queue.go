package deadline

import (
	"math/bits"
	"time"
)

// Policy is the order in which a Queue hands out ready work.
type Policy uint8

const (
	// ByExpiration hands out the earliest expiration first, equal ones in the order of submission: React's
	// order. Old work of a low priority overtakes fresh work of a high one, so nothing that expires can
	// starve. A continuation keeps its place.
	ByExpiration Policy = iota

	// ByPriority hands out the highest priority first, whatever has expired. Within a priority continuations
	// come first, in the order in which they yielded, then the rest in the order of submission: the order of
	// the web's Prioritized Task Scheduling API. The submission of delayed work counts as its due time: work
	// that was posted before that instant runs before it.
	ByPriority
)

// String returns the constant's name.
func (p Policy) String() string {
	switch p {
	case ByExpiration:
		return "ByExpiration"
	case ByPriority:
		return "ByPriority"
	}
	return "Policy(?)"
}

// Where a node is; 0 is "in no queue".
const (
	detached  uint8 = iota
	inLane          // linked into the lane of its level
	inHeap          // in the timer heap of its level, at index
	inTree          // in the tree of work with a timeout of its own
	inAside         // passed over until Recall
	inSetLane       // in a lane of its set
	inSetTree       // in a tree of its set
	inFront         // as inHeap, where it stands for the others of its slot
	inSlot          // in a slot of the wheel of its level, at index
)

// noCopy makes go vet reject copies of the struct that contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Node is a place in a [Queue]. It is meant to be embedded in (or pointed to by) the thing that is queued,
// which is why queueing never allocates; Value usually points back to that thing. Except for Value, a Node
// belongs to the queue from Push until it is popped or removed. The zero Node is ready for Push. With a
// pointer for T it fills one cache line of 64 bytes.
type Node[T any] struct {
	_ noCopy

	// Value is the caller's; the queue does not touch it.
	Value T

	// In a lane or aside, a and b are the previous and the next node; in the tree the left and right child,
	// and least is the node of the subtree that expires first. In a set, least is the set's anchor.
	a, b, least *Node[T]

	// Internal coordinates: the caller's Instants less the queue's offset (see Shift).
	start, exp Instant

	seq   uint64 // submission order, unique in the queue; 0 before the first Push
	index int32  // position in the heap or slot; in a set, but for the first of a bucket, the stamp of its row
	level uint8  // see levelOf
	where uint8
	own   bool  // has a timeout of its own: belongs to the tree under ByExpiration
	first uint8 // 0, or which bucket of its set it stands for in the heap; see set.go
}

// Queued reports whether n is in a queue.
func (n *Node[T]) Queued() bool { return n.where != detached }

// Priority returns the priority that n was last given.
func (n *Node[T]) Priority() Priority { return Immediate - Priority(n.lane()) }

func (n *Node[T]) lane() int { return int(n.level >> 1) }

// cont reports whether n is a continuation under ByPriority.
func (n *Node[T]) cont() bool { return n.level&1 == 0 }

// Queue orders work by urgency. The zero Queue is ready for use, with ByExpiration and the default timeouts.
// It is not safe for concurrent use: it lives on one goroutine, that of the frame. No method reads the clock,
// none allocates (but for the growth of the timer heaps), none calls back.
//
// Work is ready once its start has come. The queue's clock does not go backwards: a now that is earlier than
// one seen before, in Push too, counts as that one. Never as now means "whatever its start" and does not move
// the clock.
//
// See the package documentation for the structure, its invariants and its costs.
type Queue[T any] struct {
	// Policy and Timeouts must not change after the first Push.
	Policy   Policy
	Timeouts Timeouts

	offset Instant // caller's Instant = internal + offset
	clock  Instant // internal; the latest now seen
	seq    uint64
	count  [NumPriorities]int
	size   int

	started  bool
	timeouts [NumPriorities]time.Duration // by lane; resolved at the first Push, at most forever

	mask  uint32             // bit i: heads[i] != nil
	heads [32]*Node[T]       // first node of each source; see the constants below. 32 saves bounds checks
	tails [16]*Node[T]       // last node of each lane, by level
	heaps [levels][]entry[T] // min-heaps on (start, seq)
	aside *Node[T]           // set aside by Defer, the last one first
	sets  []*Set[T]          // those that have nodes, by the index of their anchor

	wheels  [levels]*wheel[T] // nil until they are worth it
	spare   [][]pending[T]    // arrays that slots do not need at present
	scratch []pending[T]
}

// A level is a lane and a heap of the same order. Each priority has two: that of continuations (ByPriority
// only) and that of the rest. Source 2*level is the level's lane, source 2*level+1 its heap, so that the
// lowest bit of the mask is the most urgent source under ByPriority. The last source is the tree.
const (
	levels   = 2 * NumPriorities
	treeHead = 2 * levels
	treeBit  = 1 << treeHead
)

// levelOf returns the level of work of a lane; that of its continuations is one less.
func levelOf(lane int) uint8 { return uint8(2*lane + 1) }

// forever bounds delays and timeouts: 73 years. It stands for "never" in the sort key, so that work that
// never expires is still sorted by its start, after everything that expires in a lifetime, and needs no
// special case; and it keeps the sums far from overflow.
const forever time.Duration = 1 << 61

func (q *Queue[T]) start() {
	for i, p := range Priorities() {
		q.timeouts[i] = bound(q.Timeouts.Of(p))
	}
	q.started = true
}

func bound(d time.Duration) time.Duration { return min(max(d, -forever), forever) }

// tell moves the queue's clock to the caller's now and returns it, in internal coordinates.
func (q *Queue[T]) tell(now Instant) Instant {
	if now == Never {
		return Never
	}
	q.clock = max(q.clock, q.inside(now))
	return q.clock
}

// inside converts the caller's i to internal coordinates.
func (q *Queue[T]) inside(i Instant) Instant {
	if q.offset == 0 {
		return i
	}
	return i.Add(-time.Duration(q.offset))
}

// Push queues n with priority p, posted at now, to start after delay (zero or less: at once). Its expiration
// is its start plus timeout; timeout zero means the priority's own (see [Timeouts]). A delay or timeout of 73
// years or more means never. It panics if n is queued or p invalid. An earlier now than that of an earlier
// Push is in order, as is a later one than that of the last Pop: producers may stamp their work.
//
// Push takes about 5 ns for work that is ready and has no timeout of its own, whatever the length of the
// queue.
func (q *Queue[T]) Push(n *Node[T], p Priority, now Instant, delay, timeout time.Duration) {
	if n.where != detached {
		panic("deadline: Push of a queued Node")
	}
	if !p.Valid() {
		panic("deadline: invalid " + p.String())
	}
	if !q.started {
		q.start()
	}
	start := q.inside(now)
	if now != Never && start > q.clock {
		q.clock = start
	}
	lane := p.Lane()
	q.seq++
	n.seq = q.seq
	n.level = levelOf(lane)
	q.count[lane]++
	q.size++
	if delay|timeout != 0 || n.least != nil {
		q.pushSlow(n, start, delay, timeout)
		return
	}
	n.own = false
	n.start = start
	n.exp = start.Add(q.timeouts[lane])
	if tail := q.tails[n.level&15]; tail != nil && tail.start <= start && start <= q.clock {
		n.where = inLane // behind the last one, as a rule
		n.a = tail
		tail.b = n
		q.tails[n.level&15] = n
		return
	}
	q.insertNew(n, start)
}

func (q *Queue[T]) insertNew(n *Node[T], start Instant) {
	if start > q.clock {
		q.insert(n)
		return
	}
	q.laneInsert(n)
}

// pushSlow is the rest of Push for work with a delay, a timeout of its own or a set.
func (q *Queue[T]) pushSlow(n *Node[T], start Instant, delay, timeout time.Duration) {
	n.start = start.Add(bound(max(delay, 0)))
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
	case n.least != nil && !n.own:
		q.setInsert(n)
	case n.least != nil:
		q.leave(n)
		q.insert(n)
	case n.own && q.Policy == ByExpiration:
		q.treeInsert(n)
	case !n.ready(q.clock):
		q.timerPush(n)
	default:
		q.laneInsert(n)
	}
}

// Peek returns the node that Pop would return, and leaves it queued; nil if none is ready.
func (q *Queue[T]) Peek(now Instant) *Node[T] {
	now = q.tell(now)
	if q.Policy == ByPriority {
		return q.leastByPriority(now)
	}
	if m := q.mask; m&(m-1) == 0 { // one source at most, as a rule a lane
		if n := q.heads[bits.TrailingZeros32(m)&31]; n == nil || n.start <= now && m != treeBit {
			return n
		}
	}
	return q.leastByExpiration(now)
}

// Head is Peek, and also reports whether the node is expired, if it is the first of a lane and nothing else is
// queued but in that lane, which is the common case and quickly found out; otherwise expired may be true without
// cause.
func (q *Queue[T]) Head(now Instant) (n *Node[T], expired bool) {
	m := q.mask
	if m&(m-1) != 0 || m == treeBit || q.Policy != ByExpiration || now == Never {
		return q.Peek(now), true
	}
	now = q.inside(now)
	q.clock = max(q.clock, now)
	n = q.heads[bits.TrailingZeros32(m)&31]
	if n == nil || n.start > q.clock {
		return nil, false
	}
	return n, n.exp <= now
}

// Leads reports whether n, which was popped, would be popped again at now if it were continued. Under
// ByExpiration; under ByPriority it reports false. It takes about as long as a Peek, and less than Continue and
// Pop.
func (q *Queue[T]) Leads(n *Node[T], now Instant) bool {
	if q.Policy != ByExpiration || n.where != detached || n.seq == 0 {
		return false
	}
	if q.mask != 0 {
		if m := q.Peek(now); m != nil && (m.exp < n.exp || m.exp == n.exp && m.seq < n.seq) {
			return false
		}
	}
	return n.start <= q.tell(now)
}

// Pop removes the first of the ready nodes and returns it; nil if none is ready at now. Nodes that were set
// aside by [Queue.Defer] are passed over.
func (q *Queue[T]) Pop(now Instant) *Node[T] {
	n := q.Peek(now)
	if n == nil {
		return nil
	}
	q.Remove(n)
	return n
}

// Continue queues n again after it was popped. Under ByExpiration it gets its old place back (its expiration
// and its submission order), so it is first among equals and comes after what expires sooner. Under
// ByPriority it goes behind the other continuations of its priority and before all else there. It panics if n
// is queued or was never pushed.
func (q *Queue[T]) Continue(n *Node[T]) {
	if n.where != detached || n.seq == 0 {
		panic("deadline: Continue of a Node that was not popped")
	}
	if q.Policy == ByPriority {
		q.seq++
		n.seq = q.seq
		n.level &^= 1
	}
	q.count[n.lane()]++
	q.size++
	q.insert(n)
}

// Remove takes n out of the queue and reports whether it was in it. Nothing of it stays behind. It takes a
// few nanoseconds for ready work, O(log n) for delayed work and for work with a timeout of its own.
func (q *Queue[T]) Remove(n *Node[T]) bool {
	switch {
	case n.where == inLane && n.a == nil:
		q.lanePop(n)
	case n.where == detached:
		return false
	default:
		q.detach(n)
		if n.least != nil {
			q.leave(n)
		}
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
	default:
		q.setDetach(n)
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
		panic("deadline: Defer of a Node that is not queued")
	}
	if n.where != inAside {
		q.detach(n)
		q.asidePush(n)
	}
}

// Recall ends every [Queue.Defer]: all nodes that were set aside are in their places again.
func (q *Queue[T]) Recall() {
	// The last one deferred comes first, so that each finds its place at the front of its lane.
	for n := q.aside; n != nil; n = q.aside {
		q.detach(n)
		q.insert(n)
	}
}

// Overdue returns the ready node whose expiration is the earliest, if that is at or before now; otherwise
// nil. It is the head under ByExpiration. Under ByPriority it is what strict priority would let starve; there
// a node with a timeout of its own is seen only once it is the first of its priority, and a continuation once
// it is the first of those.
func (q *Queue[T]) Overdue(now Instant) *Node[T] {
	now = q.tell(now)
	n := q.leastByExpiration(now)
	if q.Policy == ByPriority {
		n = q.leastOfFirsts(now)
	}
	if n != nil && n.expired(now) {
		return n
	}
	return nil
}

// Next returns the earliest instant at which something is ready: now if something is already, false if the
// queue is empty. What Defer set aside counts as ready.
func (q *Queue[T]) Next(now Instant) (at Instant, ok bool) {
	if q.size == 0 {
		return 0, false
	}
	clock := q.tell(now)
	if q.aside != nil || q.leastByExpiration(clock) != nil {
		return now, true
	}
	return q.earliestStart().Add(time.Duration(q.offset)), true
}

// Shift moves the start and the expiration of everything that is queued, popped or continued by d, in
// constant time. After the clock jumped (the machine slept, a debugger stopped the program) a shift by the
// length of the jump makes the queue behave as if the time had not passed, instead of finding all of it
// overdue.
//
// A shift forward without a jump is a pause: what was ready is ready again d later.
func (q *Queue[T]) Shift(d time.Duration) {
	q.offset = q.offset.Add(d)
	// Forward, the caller's clock stands, whether it was told to the queue after the jump or before.
	// Backward, it goes back.
	q.clock = q.clock.Add(-max(d, 0))
}

// Expired reports whether n's expiration is at or before now. n may be queued or popped.
func (q *Queue[T]) Expired(n *Node[T], now Instant) bool {
	if n.where >= inSetLane {
		return q.Expiration(n) <= now && q.Expiration(n) != Never
	}
	return n.expired(q.inside(now))
}

// expired is Expired in internal coordinates.
func (n *Node[T]) expired(now Instant) bool { return n.exp <= now && n.exp.Sub(n.start) < forever }

// Expiration returns the instant at which n is, or was, overdue; Never if its timeout is. n may be queued or
// popped.
func (q *Queue[T]) Expiration(n *Node[T]) Instant {
	if n.inSet() && n.first == 0 {
		n.exp = n.start.Add(q.timeouts[q.PriorityOf(n).Lane()]) // it may have been changed with all of the set
	}
	if n.exp.Sub(n.start) >= forever {
		return Never
	}
	return n.exp.Add(time.Duration(q.offset))
}

// Start returns the instant at which n was posted or, if it was delayed, at which it is due.
func (q *Queue[T]) Start(n *Node[T]) Instant { return n.start.Add(time.Duration(q.offset)) }

// Len returns the number of queued nodes, ready, delayed and set aside.
func (q *Queue[T]) Len() int { return q.size }

// LenOf returns the number of queued nodes of priority p, ready, delayed and set aside.
func (q *Queue[T]) LenOf(p Priority) int { return q.count[p.Lane()] }
