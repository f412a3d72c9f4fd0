// Package mpmc has a bounded first-in first-out queue for any number of producers and consumers. The Try methods never
// wait. Goroutines may also wait for room or for a value.
//
// A caller that fills a place slowly, or reads one without a copy, uses Reserve and Take instead of TryPush and TryPop.
// Both return a Cell that is the caller's until Cell.Pass.
package mpmc

// How a queue works.
//
// There is a list of sleepers for each side, pushers and poppers, under a lock. A word asleep counts both. Each list
// has a number due: how many of its sleepers are still to be woken. News for poppers: the cell at head is filled, or
// the queue is closed and head has reached tail. News for pushers: the cell at tail is free, or the queue is closed.
//
//	Q1  A cell's turn says whose it is, and in which lap. It only grows.
//	Q2  A push claims a position by moving tail, writes the cell, and then sets its turn to filled.
//	Q3  A pop claims a filled position by moving head, reads the cell, and then sets its turn to free for the next
//	    lap.
//	Q4  A goroutine that has to wait (1) enters the list and is counted in asleep, (2) tries once more, (3) waits
//	    for its token. A waker takes it off the list, out of the count, and then leaves the token. When a token has
//	    come the goroutine tries. If that fails it begins again at (1), in front.
//	Q5  A goroutine that has moved head or tail looks, after it has set the turn, whether anybody is asleep, and then
//	    whether there is news for a sleeper's side. If so it wakes one, or all poppers if the news is the end. Close
//	    wakes all, after it has set the bit.
//	Q6  A goroutine that was taken off the list, but gives up or had succeeded by itself, does Q5 in its turn.
//	Q7  To wake means to add to due, and then to pay, if the lock is free: to wake as many sleepers as are due. A
//	    goroutine that has held the lock pays, too, after it has let go of the lock. So no waker waits for a lock.
//
// Every value comes out once. One successful swap of tail claims a position for a push, and one of head for a pop. Both
// words only grow. The claimer had found the cell's turn right for that lap, and the turn could not have changed before
// the swap: only a goroutine that moves tail (or head) past this position changes it. So between claim and turn a cell
// has one owner. Plain accesses do not race, as each claimer has loaded the turn that the owner before it stored.
//
// Successful calls are linearizable: take the swaps of tail and head, which lie within the calls, as the moments at
// which the calls happen. A pop's swap comes after the push has set the turn. A push's swap comes after the pop of
// the lap before has. A push after the close cannot succeed, because the bit makes its swap fail.
//
// No wake-up is lost. Claim: while there is news for a side and a goroutine sleeps there, past its (2), somebody is on
// duty. There are three duties: to end Q5 after having made the news; to try after having been taken off the list; to
// pay what one has added to due.
//
// News begins when the turn of the cell at head (or tail) is set. It also begins when head (or tail) moves to a cell
// whose turn is right already, and when the queue is closed. Each is an act of a goroutine that then does Q5, and looks
// at asleep after the news. A sleeper that is not counted then enters after that look, and its (2) sees the news. Or
// the news is gone: taken by a goroutine that moved head (or tail), and so is on duty for what follows. A counted
// sleeper is woken, unless the second look finds no news. Then the news is gone, as before, or head has moved, and the
// goroutine that moved it is on duty.
//
// A waker's duty ends with the addition to due. Either it got the lock and pays, or somebody held the lock after the
// addition, and pays after that (Q7). A payer that finds the list empty ends a duty towards nobody. A woken goroutine
// tries. If it succeeds it moves head, and is on duty. If it fails there was no news at that moment. If it gives up, it
// does Q6. After the close nobody has to pass anything on: the bit is set once and stays. All sleepers are to be woken
// by the goroutine that set the bit, or by the one that moved head to the closed tail. ∎
//
// The explorer runs 13 programs of two or three goroutines, and finds 17 mutants (protocol_test.go).
//
// Where every call has to wait, as at capacity 1, Go's channel is four times as fast: it hands a value to the goroutine
// that waits for it. From capacity 64 on a queue takes half the time of a channel (BenchmarkQueueBesideChannel).
//
// Rejected: a condition variable or a channel of tokens. A try then takes a lock that a descheduled goroutine may hold.
//
// Rejected: handing values to waiters directly, as Go's channels do under their lock. A value then has two ways to go.
//
// Rejected: giving the processor away once before sleeping. On busy processors the goroutine then waits behind all
// others.
