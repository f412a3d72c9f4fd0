package flow

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
//
// S40. If one goroutine puts, what it puts in is taken in its order. A place has a function of the ticket that the
// search has come to, or of one a round later, or more: then all tickets up to a round before that one have been
// dropped or taken, and the search goes on behind them. Otherwise what is found is the oldest, and is taken if it is
// still there; if not, a later one has dropped it. (That a ticket was given says nothing: what is to drop the oldest
// may have yet to come to its place. By the last ticket newer functions were taken before older ones.) Each time that
// the search goes on or begins again a function has been put in meanwhile; who is interrupted does not delay it.
type ring struct {
	places []atomic.Pointer[ringed]
	tail   atomic.Uint64 // the next ticket
	head   uint64        // no older ticket is left, but for late ones; frame goroutine
}

// ringed is a function in a ring.
type ringed struct {
	f      func()
	ticket uint64
}

func newRing(n int) *ring { return &ring{places: make([]atomic.Pointer[ringed], n)} }

// put puts f in and reports whether that dropped another one. If not, the caller makes a request.
func (r *ring) put(f func()) (dropped bool) {
	in := &ringed{f, r.tail.Add(1) - 1}
	return r.places[in.ticket%uint64(len(r.places))].Swap(in) != nil
}

// take takes the oldest, for one request.
func (r *ring) take() func() {
	size := uint64(len(r.places))
	for {
		for i := range size {
			n := r.head + i
			at := &r.places[n%size]
			f := at.Load()
			if f == nil {
				continue
			}
			if f.ticket > n {
				r.head = f.ticket - size + 1
			} else if at.CompareAndSwap(f, nil) {
				r.head = max(r.head, f.ticket+1)
				return f.f
			}
			break // and search again
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
