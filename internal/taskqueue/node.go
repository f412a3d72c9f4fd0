package taskqueue

import (
	"github.com/frameslice/frameslice/deadline"
)

// Where a node is; 0 is "in no queue".
const (
	detached uint8 = iota
	inLane         // linked into the lane of its level
	inHeap         // in the timer heap of its level, at index
	inTree         // in the tree of work with a timeout of its own
	inAside        // passed over until Recall
	inFront        // in the timer heap, as the first node of its slot; the others are inSlot
	inSlot         // in a slot of the wheel of its level, at index
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

	// In a lane or aside, a and b are the previous and the next node. In the tree they are the left and right child,
	// and least is the node of the subtree that expires first. These three come first, to lie at the end of a line of
	// the cache. The next line then has all that delayed work needs when it comes due.
	a, b, least *Node[T]

	// Value is the caller's; the queue does not touch it.
	Value T

	// Internal coordinates: the caller's Instants less the queue's offset (see Shift).
	start, exp deadline.Instant

	seq   uint64 // submission order, unique in the queue; 0 before the first Push
	index int32  // position in the heap or slot
	level uint8  // see levelOf
	where uint8
	own   bool // has a timeout of its own: belongs to a tree, except as a continuation under ByPriority
}

// Order returns the number of the Push that queued n last, counted from 1 by the queue; 0 if there was none. Under
// ByPriority Continue gives it a new one.
func (n *Node[T]) Order() uint64 { return n.seq }

// Queued reports whether n is in a queue.
func (n *Node[T]) Queued() bool { return n.where != detached }

// Stamp keeps an instant in n for the goroutine that will push n. So work that a producer hands over has its time with
// it, in the cache line that the queue needs anyway. Push overwrites the instant. Stamp panics if n is queued.
func (n *Node[T]) Stamp(at deadline.Instant) {
	if n.where != detached {
		panic("taskqueue: Stamp of a queued Node")
	}
	n.start = at
}

// Stamped returns what Stamp kept, if n has not been pushed since.
func (n *Node[T]) Stamped() deadline.Instant { return n.start }

// Priority returns the priority that n was last given.
func (n *Node[T]) Priority() deadline.Priority {
	return deadline.Immediate - deadline.Priority(n.lane())
}

func (n *Node[T]) lane() int { return int(n.level >> 1) }

// cont reports whether n is a continuation under ByPriority.
func (n *Node[T]) cont() bool { return n.level&1 == 0 }
