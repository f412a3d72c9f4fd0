package load

import (
	heaps "container/heap" // heap is another thing here

	"github.com/frameslice/frameslice/deadline"
)

// SetPriority changes the priorities of the request's decode and of its commit, for what has come into view, or has
// left it, and reports whether the request was pending. A decode that waits is queued again, at its new priority; one
// that has begun is left alone, and so is a commit. A decode that several requests share has the most urgent of
// their priorities. What is held back (Options.Ahead, or a bounded pool) begins in the order of its commits'
// priority, then of its decodes', then of asking. What nobody wants any more is better canceled than lowered: a value
// that waits for its commit takes memory, and a place of those that Options.Ahead grants.
//
// It takes effect when a slice hears of it. It never blocks, and costs next to nothing if nothing changes, so a program
// may call it for all requests in each frame. It panics if a priority is invalid.
func (r *Request) SetPriority(decode, commit deadline.Priority) bool {
	for _, p := range [...]deadline.Priority{decode, commit} {
		if !p.Valid() {
			panic("load: Request.SetPriority to an invalid " + p.String())
		}
	}
	if r.State() != Pending {
		return false
	}
	if rank := uint32(urgencyOf(decode, commit)); r.wish.Load() != rank && r.wish.Swap(rank) != rank {
		r.in.ranked()
	}
	return true
}

// urgency is the priorities of a request, as lanes, in one word.
type urgency uint32

func urgencyOf(decode, commit deadline.Priority) urgency {
	return urgency(decode.Lane() | commit.Lane()<<8)
}

// lanes returns the lanes of the decode and of the commit.
func (r urgency) lanes() [2]int { return [2]int{int(r & 0xff), int(r >> 8)} }

func (r urgency) commit() deadline.Priority { return deadline.Priorities()[r.lanes()[1]] }

// askers counts requests by their lanes.
type askers [deadline.NumPriorities]int

// first returns the most urgent priority that one of them has.
func (t *askers) first() deadline.Priority {
	for _, p := range deadline.Priorities() {
		if t[p.Lane()] > 0 {
			return p
		}
	}
	return deadline.Normal // nobody asks
}

// ranked has the loader hear of another wish.
func (r *request[K, T]) ranked() { r.ld.post(r.reorder) }

// reorder does as wished. A request without a flight has not begun, and then join does it, or has departed.
func (r *request[K, T]) reorder() {
	f := r.flight
	if f == nil {
		return
	}
	f.count(r.rank, -1)
	r.rank = urgency(r.wish.Load())
	f.count(r.rank, 1)
	if f.ended {
		r.task.SetPriority(r.rank.commit())
	} else { // it is not submitted
		r.task.Priority = r.rank.commit()
	}
	f.rerank()
	r.ld.unhold()
}

// join makes the request one of those that want f.
func (r *request[K, T]) join(f *flight[K, T]) {
	r.flight = f
	r.rank = urgency(r.wish.Load())
	r.task.Priority = r.rank.commit()
	f.wanted.add(r)
	f.count(r.rank, 1)
	if f.rerank() {
		r.ld.unhold()
	}
}

// count adds n requests of that rank.
func (f *flight[K, T]) count(r urgency, n int) {
	for i, lane := range r.lanes() {
		f.wants[i][lane] += n
	}
}

// rerank gives the flight the priorities of those who want it, and reports whether they are others than before. Then
// who calls it has a look at what is held.
func (f *flight[K, T]) rerank() bool {
	decodes, commits := f.wants[0].first(), f.wants[1].first()
	if decodes == f.decodes && commits == f.commits {
		return false
	}
	again := decodes != f.decodes && f.held == 0 && f.job != nil
	had := f.vacate()
	f.decodes, f.commits = decodes, commits
	switch {
	case f.held > 0:
		f.job.Priority = decodes
		heaps.Fix(&f.ld.held, f.held-1)
	case again && f.job.Cancel(): // it has not begun
		f.queue()
	case had:
		f.occupy()
	}
	return true
}
