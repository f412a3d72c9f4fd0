package load

// Slot is a place for one thing that is loaded, for which the newest request is the one that counts. The zero Slot is
// empty. It must not be copied.
type Slot struct {
	// Finish is for requests that come faster than decodes end, for a path to a goal that moves: a decode that has
	// begun goes on to its commit, and then the newest request begins. Those between are canceled, when a slice hears
	// of the newer one. So what is committed is older by a decode or two, and however often is asked, there is a next
	// one. Has begun, here, what the pool has: a request that is held back is replaced by the newer one, which takes
	// its place, and a newer one for the same key takes the decode over. Set it before the first request; the
	// requests are then to be for Loaders of one Loop. The default (zero) value is to cancel what is older at once.
	Finish bool

	latest requestPointer

	// With Finish, and tasks only: the request that has a flight, and the newest one that has to wait for its end.
	busy, waiting slotted
}

// slotted is a request, seen without its type parameters.
type slotted interface {
	begin()
	giveWay()
	begun() bool
}

// enter says whether the request may begin now, and instead of which one of its Loader's, if any, or nil: that is to
// give way when it has. Otherwise it is too late already, or waits.
func (r *request[K, T]) enter() (instead slotted, ok bool) {
	s := r.slot
	if s.latest.Load() != &r.Request {
		r.giveWay()
		return nil, false
	}
	if s.waiting != nil {
		s.waiting.giveWay()
		s.waiting = nil
	}
	if s.busy == nil || !s.busy.begun() || r.takesOver() {
		instead, s.busy = s.busy, r
		return instead, true
	}
	s.waiting = r
	return nil, false
}

// takesOver reports whether the request can join the decode that its slot waits for. If that has ended it cannot: else
// its commit would again and again be put behind all others.
func (r *request[K, T]) takesOver() bool {
	b, ok := r.slot.busy.(*request[K, T])
	return ok && b.ld == r.ld && b.key == r.key && !b.flight.ended && r.ld.flights[r.key] == b.flight
}

// begun reports whether the pool has, or has had, a decode for the request, which has a flight.
func (r *request[K, T]) begun() bool { return r.flight.held == 0 || r.flight.tries > 1 }

// giveWay cancels the request for one of its slot.
func (r *request[K, T]) giveWay() {
	r.mark()
	r.depart()
	r.ld.unhold()
}

// vacant is the end of the request that a slot waited for: the newest one is next.
func (r *request[K, T]) vacant() {
	s := r.slot
	if s == nil || s.busy != slotted(r) {
		return
	}
	next := s.waiting
	s.busy, s.waiting = nil, nil
	if next != nil {
		next.begin()
	}
}
