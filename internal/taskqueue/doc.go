// Package taskqueue orders work by urgency: the earliest expiration first, or the highest priority first.
//
//		var q taskqueue.Queue[*task]
//		q.Push(&t.Node, deadline.Normal, now, 0, 0)
//		for n := q.Pop(now); n != nil; n = q.Pop(now) {
//			n.Value.run()
//		}
//
//	  - [Queue] and [Node]: the order of work. A Node is embedded in what is queued, so a push allocates nothing.
//
// A Queue belongs to one goroutine, and no method reads the clock: now is an argument.
//
// # Costs
//
// Nanoseconds on one virtual core of a shared server (AMD EPYC, Go 1.26); n nodes are queued. No operation
// allocates, but for the growth of the slices of heaps and slots (16 bytes or more per delayed node, kept).
//
//	                                    here    container/heap
//	push and pop, Normal, n = 1           13        17
//	push and pop, Normal, n = 100,000     11       150
//	push and pop, mixed, n = 1,000        20       108
//	push and pop, mixed, n = 100,000      19       221
//	push and cancel, n = 1                11        14
//	push and cancel, n = 100,000          15        88
//	delayed, push and pop, n = 1,000      66       232
//	delayed, push and pop, n = 100,000    37       503   coming due millisecond by millisecond 55
//	pop and continue                      11
//	change of priority, n = 10,000        42
//	own timeout, n = 1 / 100 / 10,000     39, 75, 160
//
// What is left of the cost of the large ones is cache misses: a node fills a line.
package taskqueue

// What follows is for who changes the package, and not part of its documentation: how the queue works, and why.
//
// # The queue's structure
//
// Under ByExpiration the queue returns the ready node with the least (expiration, submission), where
// expiration is start plus timeout. That is a priority queue, but no heap is needed for most of it: the
// timeout of a priority is constant, so within a priority the order of expiration is the order of start, and
// work that starts when it is pushed arrives in that order. What comes in sorted needs no sorting. So there
// are, per priority,
//
//   - a lane, a linked list of ready nodes, to whose end a push appends;
//   - a heap on start, for delayed nodes, and for the few whose place in the lane is too far from both ends:
//     stamps taken on other goroutines, changed priorities;
//
// and one tree for work with a timeout of its own, the only work whose expiration does not follow its start.
// A pick compares the heads of the lanes, the heads of the heaps that are due, and the due part of the tree:
// at most eleven nodes. A bitmask of what is not empty makes empty ones cost nothing.
//
// Where a level has many delayed nodes, the heap holds only the first of every 4.2 ms, and a wheel of
// slots beside it the others. A slot collects in any order and sorts when its first node leaves, at most 1,024
// nodes; what finds no place goes into the heap by itself. (At most 32 KB per slot are kept for what comes
// next.) So the head of the heap is the first of all, by Q7 and Q2.
//
// Nothing is ever moved from a heap of timers to a heap of tasks when it falls due. In React's Scheduler
// 100,000 timers that fall due together are promoted in one go, for 34 ms, with an Immediate task behind
// them; here they are just there, and the Immediate task is next.
//
// Under ByPriority a pick takes the first non-empty level instead, two per priority: continuations (a lane
// and a heap of their own) before the rest. Own timeouts do not matter to that order, but to what is overdue, and
// one that is long would hide what expires behind it in a lane. So there work with a timeout of its own is in trees
// too, one for each priority, whose first node by start is compared with the heads of the level.
//
// # Invariants
//
// Tests check them after every step of random scripts; they go by these numbers there.
//
//   - Q1. A node is in no structure or in exactly one, the one that it says; counts agree.
//   - Q2. A lane is sorted, and a heap is a heap, by (start, submission); those of continuations by
//     submission.
//   - Q3. A tree is sorted by (start, submission), is a heap by rank, and every node of it knows the node
//     of its subtree with the least (expiration, submission). All in trees have a timeout of their own; who else
//     has one is a continuation under ByPriority.
//   - Q4. A bit of the mask is set if and only if that source has a head, and the head is its first node.
//   - Q5. Nothing holds on to a node that left.
//   - Q7. A slot of a wheel has nodes of one level, and of the same 4.2 ms; the first of them, and no other,
//     is in the heap; the rest is sorted by (start, submission), or else at most 1,024 and the slot has not begun to
//     hand out; it is marked which.
//   - Q8. Under ByExpiration, no head but that of the source which is remembered (lead.go) expires before what is
//     remembered with it.
//
// A node is ready if its start has come, whichever structure it is in; lane or heap is only a matter of where
// it can be put at no cost. (Continuations under ByPriority are always ready.)
//
// Why a pick is right, under ByExpiration: let n be the ready node with the least (expiration, submission).
// If it is in the tree, then Q3 finds it among the due part. Otherwise its timeout is that of its priority,
// as is that of all in its lane or heap, so they are in the order of (expiration, submission) by Q2, and the
// first of them is not after n. It is ready too, because it starts no later. So it is n, and a pick compares
// all heads.
//
// What is overdue under ByPriority is found in the same way, but among continuations, whose order is that of their
// yields: of those only the first of each priority is looked at.
//
// # Trade-offs and rejected designs
//
//   - One heap of tasks, one of timers (React's): up to eleven times slower, see above, cancelled
//     entries stay until they surface, and the stall.
//   - Promoting due timers into the lanes: exact only if it is done before every push (with promotion at
//     picks, 2,998 of 3,000 random scripts came out in another order than React's), and then it is the stall
//     again.
//   - Promoting a few per pick: no stall, but the order depends on how often one picks.
//   - A timing wheel instead of the heaps: a slot is sorted, or emptied into a finer wheel, when its time has
//     come: a stall again. What is beside the heaps now is half of one: a slot that has more than it can sort at
//     once, or another time than a node's, leaves that node to the heap, and nothing is moved on.
//   - A heap for own timeouts: it can be sorted by start or by expiration, and the question needs both. Hence
//     the tree; and only those who set a timeout pay.
//   - Tombstones for cancelled nodes: an O(1) cancel, but a debounced timer leaves one per keystroke. Links
//     and heap indices make the real removal as cheap.
//   - Sets of nodes whose priority changes as one, in constant time: 400 lines, and some 30 ns for each member,
//     to save 50 ns for each member of a scene that changes its priority now and then.
//   - An interface or a function for the order: two policies are two loops; a call per compare would cost
//     more than the compare.
