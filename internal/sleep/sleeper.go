package sleep

import (
	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/park"
)

// A Worker is what a Sleeper needs to know of its worker. The worker's goroutine calls all methods.
type Worker interface {
	// Search looks into every queue, takes work if there is some, and reports whether there was.
	Search() bool
	// More returns how much visible work is left for others, up to most.
	More(most int) int
	// Leaving reports whether a worker that finds nothing shall end.
	Leaving() bool
	// Settle publishes all that only the worker can see (W6).
	Settle()
	// Asleep and Awake come right before and right after a wait.
	Asleep()
	Awake()
}

// A Sleeper is one member of a Set.
type Sleeper struct {
	// OnWake, if not nil, is called before a wake-up is sent, on any goroutine.
	OnWake func()

	worker    Worker
	set       *Set
	bit       uint64
	parker    park.Parker
	relay     bool             // see Wait
	searching bool             // counted in set.searching
	since     deadline.Instant // when it ran out of work, or 0
	waits     atomic.Uint64

	_      [64]byte
	epoch  atomic.Uint32 // counts its sleeps
	posted atomic.Uint32 // the epoch that a token was sent for
}

// Join makes x the member i of s. x waits on the parker, which is of that kind. One goroutine at a time.
func (x *Sleeper) Join(s *Set, i int, w Worker, parker park.Parker, kind park.Kind) {
	x.worker, x.set, x.bit, x.parker = w, s, 1<<i, parker
	x.relay = kind == park.Poll
	s.members[i].Store(x)
	s.size.Store(max(s.size.Load(), int32(i)+1))
}

// Sleep is for a worker that found nothing. It returns true when Worker.Search has found something, or false if the
// worker shall leave. The proof in doc.go rests on the order of its steps.
func (x *Sleeper) Sleep() bool {
	s, w := x.set, x.worker
	x.pauseBegins()
	for {
		if !x.searching {
			x.searching = true
			s.searching.Add(1) // W3
		}
		if x.look() {
			x.endSearch()
			return true
		}
		w.Settle()
		x.searching = false
		s.searching.Add(-1) // step 1
		x.epoch.Add(1)
		s.idle.Or(x.bit) // step 2
		if w.Search() {  // step 3
			x.getUp()
			x.endSearch()
			return true
		}
		if w.Leaving() {
			x.getUp()
			x.searching = false
			if s.searching.Add(-1) == 0 && w.More(1) > 0 {
				s.Notify()
			}
			return false
		}
		x.waits.Add(1)
		w.Asleep()
		x.Wait() // step 4
		w.Awake()
		x.getUp()
		if w.Search() {
			x.endSearch()
			return true
		}
	}
}

// getUp counts the worker as searching, and then removes it from idle. In this order, because a publisher that sees a
// searcher does not wake anybody.
func (x *Sleeper) getUp() {
	x.searching = true
	x.set.searching.Add(1)
	x.set.idle.And(^x.bit)
}

// endSearch ends the search of a worker that has work. The last searcher to find work passes its duty on (W3): because
// of it others may not have been woken.
func (x *Sleeper) endSearch() {
	s := x.set
	x.pauseEnds()
	x.searching = false
	if s.searching.Add(-1) == 0 && s.idle.Load() != 0 {
		if n := x.worker.More(2); n > 0 {
			s.wake(n)
		}
	}
}

// Wait waits for a token, in Sleep and outside of it. It may return for no reason.
//
// A thread that picks up a worker from the runtime's network poller leaves no thread there, even with idle Ps. The next
// sleeper that is woken would wait until some goroutine pauses, or for 10 to 20 ms. Starting a goroutine makes the
// runtime send another thread, which looks into the poller on its way. It costs 0.2 µs if no P is idle.
func (x *Sleeper) Wait() {
	x.parker.Wait()
	if x.relay && x.set.size.Load() > 1 {
		go nothing()
	}
}

func nothing() {}

// Post leaves a token, whether or not the worker sleeps. Any goroutine.
func (x *Sleeper) Post() { x.parker.Post() }

// Close gives back what the system lent. The worker's goroutine is gone.
func (x *Sleeper) Close() { x.parker.Close() }

// Waits returns how often the worker has waited in Sleep. Any goroutine.
func (x *Sleeper) Waits() uint64 { return x.waits.Load() }
