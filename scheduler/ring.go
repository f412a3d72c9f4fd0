package scheduler

import "sync/atomic"

// ring holds the newest functions of those that were put in, as many as it has places: one more drops the
// oldest. Any goroutine puts, the frame goroutine takes. Each place is one atomic word.
//
// S23. For each place that is not empty one request to take is on its way, or about to be made. The put that
// finds its place empty makes the request; one that finds a function there drops that, whose request now
// serves its successor. Only take empties places, one for each request, so a request always finds a place
// that is not empty, and no more requests wait than there are places.
//
// Tickets say where a function goes and which is the oldest. A put that is interrupted between its ticket
// and its place is out of order by that, and if it takes as long as a whole round it drops a newer function.
type ring struct {
	places []atomic.Pointer[ringed]
	tail   atomic.Uint64 // the next ticket
	head   uint64        // no older ticket is left, but for late ones; frame goroutine
}

// ringed is a function in a ring, and where it was posted.
type ringed struct {
	f    func()
	site uint32 // see sites
}

func newRing(n int) *ring { return &ring{places: make([]atomic.Pointer[ringed], n)} }

// put puts f in and reports whether that dropped another one. If not, the caller makes a request.
func (r *ring) put(f ringed) (dropped bool) {
	n := r.tail.Add(1) - 1
	return r.places[n%uint64(len(r.places))].Swap(&f) != nil
}

// take takes the oldest, for one request.
func (r *ring) take() ringed {
	size := uint64(len(r.places))
	for {
		tail := r.tail.Load()
		if tail > size {
			r.head = max(r.head, tail-size)
		}
		for i := range size {
			at := &r.places[(r.head+i)%size]
			if at.Load() == nil {
				continue
			}
			f := at.Swap(nil)
			r.head = min(r.head+i+1, tail)
			return *f
		}
	}
}

func (r *ring) len() (n int) {
	for i := range r.places {
		if r.places[i].Load() != nil {
			n++
		}
	}
	return n
}
