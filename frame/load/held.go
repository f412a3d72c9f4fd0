package load

import (
	heaps "container/heap" // heap is another thing here
	"context"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/workers"
)

// Why decodes are held back, and until when. A flight is held while there is no room for it: in the pool, if that is
// bounded, or among those that are ahead, which are the flights that the pool has, and those whose value waits for
// its commits.
//
// What is held is looked at again at every occasion: the pool's room is looked for in every slice (await), and a
// place among those that are ahead becomes free in a task of the loader's own (vacate), which has a look. So nothing
// is held for ever: a place is a flight's as long as somebody wants it and its attempt has not failed, and a flight
// that the pool has ends, and its commits begin, without one that is held.
//
// What is held is in the order of its commits' priority, then of its decode's, then of asking. For a flight those count
// as ahead whose commits are at least as urgent as its own: so what is urgent does not wait for commits which nobody
// is in a hurry to see. All together are twice as many at most: else a program that lowers what it has decoded could
// fill the memory. And where the first has no room, none of the others has.

// heldFlights is a heap of them.
type heldFlights[K comparable, T any] []*flight[K, T]

func (h heldFlights[K, T]) Len() int { return len(h) }

func (h heldFlights[K, T]) Less(i, j int) bool {
	a, b := h[i], h[j]
	switch {
	case a.commits != b.commits:
		return a.commits > b.commits
	case a.decodes != b.decodes:
		return a.decodes > b.decodes
	}
	return a.seq < b.seq
}

func (h heldFlights[K, T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].held, h[j].held = i+1, j+1
}

func (h *heldFlights[K, T]) Push(f any) {
	*h = append(*h, f.(*flight[K, T]))
	f.(*flight[K, T]).held = len(*h)
}

func (h *heldFlights[K, T]) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	f.held = 0
	return f
}

// queue makes the job, and holds it. Who calls it has a look, unless there are others that come first.
func (f *flight[K, T]) queue() (first bool) {
	ld, job := f.ld, &workers.Job{Label: f.ld.o.Label, Priority: f.decodes, Func: f.decode}
	job.Notify(func() { ld.post(func() { f.landed(job) }) })
	f.job = job
	heaps.Push(&ld.held, f)
	return f.held == 1
}

// unqueue takes the flight out of those that are held, if it is one.
func (f *flight[K, T]) unqueue() bool {
	if f.held == 0 {
		return false
	}
	heaps.Remove(&f.ld.held, f.held-1)
	return true
}

// submit gives the job to the pool, and returns false if there is no room for it.
func (f *flight[K, T]) submit() bool {
	ld := f.ld
	if !ld.room(f.commits) {
		return false // who vacates a place has another look
	}
	f.occupy()
	switch err := ld.l.Pool().SubmitContext(context.Background(), f.job); err {
	case nil:
	case workers.ErrFull, workers.ErrWouldWait:
		f.vacate()
		ld.await(holdFor)
		return false
	default:
		ld.l.Pool().Submit(f.job) // which ends it with that error
	}
	return true
}

// room reports whether there may be one more flight ahead whose commits have that priority.
func (ld *Loader[K, T]) room(commits deadline.Priority) bool {
	urgent, all := 0, 0
	for lane, n := range ld.ahead {
		if all += n; lane <= commits.Lane() {
			urgent += n
		}
	}
	n := ld.places.bound
	return n < 0 || urgent < n && all/2 < n
}

// occupy takes a place among those that are ahead.
func (f *flight[K, T]) occupy() {
	if f.ld.ahead == [deadline.NumPriorities]int{} {
		f.ld.places.restart()
	}
	f.ahead = true
	f.ld.ahead[f.commits.Lane()]++
}

// vacate gives it back, and reports whether there was one. Who calls it has another look.
func (f *flight[K, T]) vacate() bool {
	had := f.ahead
	if had {
		f.ahead = false
		f.ld.ahead[f.commits.Lane()]--
	}
	return had
}

// unhold gives the pool what was held back, as far as there is room.
func (ld *Loader[K, T]) unhold() {
	for len(ld.held) > 0 && ld.held[0].submit() {
		heaps.Pop(&ld.held)
	}
}

// await has another look in d, or in the next slice. The end of a job of the loader's own is another occasion, but the
// pool may be full of others'.
func (ld *Loader[K, T]) await(d time.Duration) {
	if ld.awaits {
		return
	}
	ld.awaits = true
	ld.look.Delay = d
	ld.s.Submit(&ld.look)
}

// looks is the look.
func (ld *Loader[K, T]) looks() {
	ld.awaits = false
	ld.unhold()
}

// holdFor is the least time between two looks that only await has asked for: less than a frame, and in a slice of a
// whole frame not one after the other.
const holdFor = time.Millisecond
