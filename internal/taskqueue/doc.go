// Package taskqueue orders work by urgency: the earliest expiration first, or the highest priority first.
//
//	var q taskqueue.Queue[*task]
//	q.Push(&t.Node, deadline.Normal, now, 0, 0)
//	for n := q.Pop(now); n != nil; n = q.Pop(now) {
//		n.Value.run()
//	}
//
// A Node is embedded in the work, so a push allocates nothing. A Queue belongs to one goroutine. No method reads the
// clock: now is an argument.
//
// # Costs
//
// Nanoseconds on one virtual core of a shared server (AMD EPYC, Go 1.26); n nodes are queued. No operation
// allocates, except to let the slices of heaps and slots grow: 16 bytes or more for each delayed node, which are kept.
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
// Large queues are slower because of cache misses: a node fills a cache line.
package taskqueue

// The rest is for those who change the package: how the queue works, and why.
//
// # The queue's structure
//
// By expiration the queue returns the ready node with the least (expiration, submission). Expiration is start plus
// timeout. Most of this needs no heap. The timeout of a priority is constant. So within a priority the order of
// expiration is the order of start, and work that starts when it is pushed arrives in that order. Each priority has
//
//   - a lane, a linked list of ready nodes, to whose end a push appends;
//   - a heap on start, for delayed nodes. The heap also takes the few nodes whose place in the lane is far from both
//     ends: stamps of other goroutines, changed priorities.
//
// One tree has the work with a timeout of its own. Only this work expires in another order than it starts. A pick
// compares the heads of the lanes, the heads of the heaps that are due, and the due part of the tree: at most eleven
// nodes. A bitmask says which are not empty.
//
// If a level has many delayed nodes, its heap holds only the first node of every 4.2 ms. A wheel of slots has the
// others. A slot collects nodes in any order. It sorts them, at most 1,024, when its first node leaves. A node that
// finds no place in its slot goes into the heap. So the head of the heap is the first of all, by Q7 and Q2.
//
// No node moves to another heap when it falls due. In React's Scheduler 100,000 timers that fall due together are moved
// in one go, for 34 ms, and an Immediate task waits for that. Here the Immediate task is next.
//
// Under ByPriority a pick takes the first level that is not empty. There are two levels for each priority:
// continuations, with a lane and a heap of their own, and the rest. Own timeouts do not matter to that order. But they
// matter to the question of what is overdue: a long one would hide the nodes behind it in a lane. So there is one tree
// for each priority, and its first node by start is compared with the heads of the level.
//
// # Invariants
//
// Tests check them, by these numbers, after every step of random scripts.
//
//   - Q1. A node is in at most one structure, the one that its field where names; counts agree.
//   - Q2. A lane is sorted, and a heap is a heap, by (start, submission); those of continuations by
//     submission.
//   - Q3. A tree is sorted by (start, submission), is a heap by rank, and every node of it knows the node of its
//     subtree with the least (expiration, submission). All nodes in trees have a timeout of their own. The only others
//     that have one are continuations under ByPriority.
//   - Q4. A bit of the mask is set if and only if that source has a head, and the head is its first node.
//   - Q5. Nothing holds on to a node that left.
//   - Q7. A slot of a wheel has nodes of one level, and of the same 4.2 ms. Only the first of them is in the heap. The
//     rest is sorted by (start, submission). Or it is at most 1,024 nodes, and the slot has not begun to hand out. A
//     mark in the slot says which.
//
// A node is ready if its start has come, whichever structure it is in. Whether that is a lane or a heap only depends on
// where the node can be put at no cost. (Continuations under ByPriority are always ready.)
//
// Why a pick is right, by expiration: let n be the ready node with the least (expiration, submission). If n is in
// the tree, then Q3 finds it among the due part. Otherwise n has the timeout of its priority, as all nodes in its lane
// or heap have. So these are in the order of (expiration, submission) by Q2, and the first of them is not after n. This
// first node starts no later than n, so it is ready, too. So it is n, and a pick compares all heads.
//
// Under ByPriority overdue nodes are found in the same way. Exceptions are continuations, whose order is that of their
// yields: only the first of each priority is looked at.
//
// # Trade-offs and rejected designs
//
//   - One heap of tasks, one of timers (React's): up to eleven times slower, see above. Cancelled entries stay until
//     they surface, and a pick stalls when many timers fall due.
//   - Promoting due timers into the lanes: exact only before every push, and that stalls, too. With promotion at picks,
//     2,998 of 3,000 random scripts came out in another order than React's.
//   - Promoting a few per pick: no stall, but the order depends on how often one picks.
//   - A timing wheel instead of the heaps: a slot is sorted, or emptied into a finer wheel, when its time has come.
//     That stalls, too. The wheel beside the heaps is half of one. A slot that has more than it can sort at once, or
//     another time than a node's, leaves that node to the heap, and nothing moves on.
//   - A heap for own timeouts: it can be sorted by start or by expiration, and the question needs both. Hence the tree.
//     Only work with a timeout of its own pays.
//   - Tombstones for cancelled nodes: an O(1) cancel, but a debounced timer leaves one per keystroke. Links
//     and heap indices make the real removal as cheap.
//   - Sets of nodes whose priority changes as one, in constant time: 400 lines, and about 30 ns for each member,
//     to save 50 ns for each member of a scene that changes its priority now and then.
//   - An interface or a function for the order: two policies are two loops; a call per compare would cost
//     more than the compare.
