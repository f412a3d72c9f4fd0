// Package runqueue has the queues of work that a pool of workers is made of.
//
//   - A Deque is one worker's queue. Its owner pushes and pops the newest item. Other workers steal the oldest.
//   - An Injector is a queue for any number of producers and consumers, first in first out.
//   - A Batch has the items that a worker has taken from an Injector at once. Others may steal from it.
//
// All three are lock-free, and no call waits for another. They wake nobody: the caller does that after it has made an
// item visible.
package runqueue

// # The deque
//
// Indexes head <= split <= top only name positions. Index i lies in slot i mod length. The range [head, split) is
// shared, and [split, top) is private. Only the owner writes slots, split and top. It publishes its split in the word
// public. A goroutine that takes from the shared end increments head by a compare-and-swap, reads the slot, and then
// increments taken.
//
//	D1  The owner pushes to and pops from the private end with plain accesses: no other goroutine looks there.
//	D2  The slot of an index is written before the index is published: a goroutine that loads public sees the item.
//	D3  reclaim lowers public to s, and keeps [s, split) only if it then finds head < s. With head == s a thief may
//	    have loaded head and the old public before, and its swap of s to s+1 would succeed.
//	D4  A taken slot is not used again before its taker has read it. The owner raises limit, beyond which it does not
//	    push, only if taken == head, and it loads taken first. Otherwise it moves to a bigger array.
//	D5  A bigger array starts as a copy of every index from limit-length on, not from head on: a thief that has
//	    claimed an index, but not read it, may find the new array.
//
// Every item is taken exactly once, because an index leaves the shared range by one successful swap of head or by
// reclaim. Suppose that reclaim keeps [s, split) and a thief claims an index i >= s nonetheless. Its swap succeeded,
// so it had loaded head == i. Head only grows, so that load came after the owner had found head < s. The thief loaded
// public after that, and found s or a later value. So i was published again, and the claim is right. There is no ABA
// problem, because head never goes back.
//
// Nothing races. A thief's plain read of a slot comes after its load of public, which comes after the owner's write
// (D2). It comes before the thief's increment of taken, which comes before the owner's next write of that slot. The
// reason for the latter is D4: both counters only grow and taken <= head, so if they are equal every claim so far has
// been read.
//
// Rejected: the deque of Chase and Lev, where each pop is a full fence and each slot an atomic. Rejected: a bounded
// ring, which is slower and becomes first in first out when it has overflowed. Rejected: a ring under a mutex, which a
// descheduled thread could hold. The first two were measured beside the deque, and are slower.
//
// # The injector
//
// An injector is a list of bounded rings after Vyukov's.
//
//	R1  A slot's turn says in which lap of the ring it was filled last. It only grows. Index i is in slot i mod
//	    length, and its lap is i / length.
//	R2  A producer claims an index by moving tail, writes the slot, and then sets its turn to 1 + the lap of the
//	    index.
//	R3  A consumer that has seen one or several indexes filled, from head on, claims them by moving head. It reads and
//	    clears the slots, and then adds their number to taken.
//	R4  A producer claims the first index of a quarter of the ring only if all earlier items have been read and the
//	    quarter is free: it loads taken, then head, and finds them equal, and the quarter's end at most a ring's
//	    length beyond head. The first lap needs no such look.
//	R5  A ring in which R4 finds no room is closed by a bit in tail, and a bigger one is linked. A producer that finds
//	    the bit continues to the next ring. A consumer continues when head has reached the closed tail: then no index
//	    is left.
//	R6  A consumer that continues from a ring of which all has been read may have its slots used again. The new ring
//	    begins with an index of a lap that the slots have not seen.
//
// Between claim and turn, and between claim and taken, a slot has one owner, so its plain accesses do not race. A claim
// succeeds only if head has not moved since the slots were seen filled, and a filled slot stays filled until it is
// claimed. A slot is not filled again before it has been read: taken <= head and both only grow, so if taken, loaded
// first, equals head, then all that lay below head had been read at the first load. The last lap of the quarter's
// indexes lies below that head. A producer that claims a later index of the quarter has loaded a tail that was stored
// after that look.
//
// A goroutine may still know a ring whose slots are used again. Its push finds the ring closed (R5). Its pop finds
// head at an index whose lap the slots will never show: in the old ring nobody had reached that index, and the laps
// of the new ring are later.
//
// Nobody waits for anybody. A producer that does not find all items read within some µs takes the ring for full. A
// producer that stops between claim and turn hides the items behind its slot until it continues. Items come out in the
// order of claims, so the items of one goroutine come out in the order of its calls. Memory is bounded by twice the
// longest backlog.
//
// Rejected: a turn that a consumer raises when it has read, as in Vyukov's queue. A consumer of many items then pays a
// fence for each of them. Rejected: leaving all rings to the garbage collector, which then runs all the time under a
// long backlog.
//
// # Batches
//
// Each pop from an injector costs two cache misses (the slot, and head) and one atomic operation. So a worker takes
// several short jobs at once, runs the first, and publishes the others in its batch.
//
//	M2  Nothing in a batch is private. Its owner takes the oldest item by the swap of head by which thieves take it.
//	    So others find all that the owner does not get to.
//	M3  Owner and thieves take the oldest. So the items of one goroutine begin in the order in which they came, as far
//	    as one worker runs them.
//
// Rejected: a batch whose newer half its owner makes private again, as a deque does. It is a seventh faster, but a
// private item waits behind an item that waits for it.
//
// # How it is tested
//
// The explorer runs an owner and two thieves in 119,391 schedules of six scripts, all with at most three preemptions.
// One or two producers and one or two consumers of an injector have 142,725 schedules; with two consumers these have at
// most two preemptions. The explorer finds six mutants of the deque and eleven of the injector (protocol_test.go).
