package workers

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/loops"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/sleep"
	"github.com/frameslice/frameslice/internal/where"
)

// A class is the ordinary or the background workers, with the lanes that they serve. Everything that
// decides who sleeps and who is woken is per class, and a background worker never writes an ordinary class's
// words while somebody relies on what it does next: a thread of the lowest priority may stop anywhere, for as
// long as the others are busy.
type class struct {
	pool *Pool
	low  bool
	park atomic.Uint32 // the park.Kind of its newest worker
	// lanes are the lanes it serves, the most urgent first; fork is the position among them at which other
	// workers' forks come.
	lanes []int
	fork  int

	sleep sleep.Set // who sleeps, who searches

	loops   loops.Table
	joining atomic.Uint64 // bit i: worker i sleeps, or is about to, over a fork that was stolen (F1)
	hunger  atomic.Int32  // workers that run nothing and would take a fork
	forked  atomic.Bool   // some worker's forks have been shared, ever
	capped  atomic.Int32  // workers within a job of a capped lane
	want    atomic.Int32  // workers with an index from here on leave
	used    atomic.Int32  // slots below it hold workers
	spares  atomic.Int32  // how many of want stand in for workers within Blocking
	base    atomic.Int32  // how many there are to be besides: E1
	era     atomic.Pointer[chan struct{}]
	slots   [maxWorkers]atomic.Pointer[Worker]
}

// notify is for everybody who has made work visible (W1). Any goroutine.
func (c *class) notify() { c.sleep.Notify() }

// visible returns how much work a sweep would see now, up to limit. Any goroutine.
func (c *class) visible(limit int) int {
	n := bits.OnesCount64(c.loops.Open())
	for _, lane := range c.lanes {
		if n >= limit {
			return n
		}
		n += c.pool.lanes[lane].size()
	}
	for i := range c.used.Load() {
		if n >= limit {
			return n
		}
		v := c.slots[i].Load()
		if v == nil {
			continue
		}
		n += v.forks.Shared()
		for _, lane := range c.lanes {
			n += v.shared(lane)
		}
	}
	return n
}

// has reports whether there is visible work in a lane.
func (c *class) has(lane int) bool {
	if !c.pool.lanes[lane].empty() {
		return true
	}
	for i := range c.used.Load() {
		if v := c.slots[i].Load(); v != nil && v.shared(lane) > 0 {
			return true
		}
	}
	return false
}

// How many workers a class has, and what becomes of work, and of those who wait for it, when it is to have none.
//
//	E1  want is the number that there is to be (base), and one more for each job within Blocking that has a spare;
//	    and if base is zero and there are such jobs one more yet, because who blocks serves nobody. It changes
//	    under the lock follow only.
//	E2  When want becomes zero, or is zero no more, then after that a new channel takes the place of era, and then
//	    the old one is closed. Who is going to sleep because a worker will begin what it waits for takes the channel
//	    first, then finds want not zero, and waits for the channel too; when that is closed it begins anew. Where
//	    there is no worker it begins itself what it waits for.
//	E3  A worker that is to leave a class which is to have none, and has published what it alone knew of, looks,
//	    after it has found want zero, whether any work is visible, and stays if so; unless it has run as many jobs
//	    as were there when it first looked, and somebody has called RunUntil lately, who goes on.
//	E4  Whoever makes want zero, except Close, has a timer call adapt in a second (lookLater), unless one is set; and
//	    so does adapt while want is zero. All that is under the lock follow. The timer says that it is not set any
//	    more before it calls.
//
// So no item is left behind that was there when want became zero, unless somebody takes it over. For either the item
// became visible before that, so before E3's look of the worker that leaves last. Or a worker published it, whose own
// look came later.
//
// And nobody sleeps over a job that nobody begins. If want is no longer what the sleeper has found, it was changed
// after the sleeper took the channel. So that channel has been closed, or will be at once. A worker that stays, and
// finds nothing that it may begin (H1), sleeps as any other does.
//
// A job that comes when want is zero is for RunUntil, Wait, Scope and Close, as on every pool without workers. When
// GOMAXPROCS grows again the workers come back by E4, though all that the program does is to submit. (The end of
// Blocking lacked it, where adapt had found that there are to be none while a spare was there.) Rejected: a want that
// does not become zero before everything has ended, because on one P that may be never, and whoever owns the P is told
// by want alone.

// resize makes the number of a class's workers what it should be, besides spares. One goroutine at a time.
func (p *Pool) resize(c *class, base int) {
	c.base.Store(int32(base))
	c.staff(c.target())
	c.sleep.PostAll() // those who have to leave
}

// target is E1.
func (c *class) target() int {
	n, spares := int(c.base.Load()), int(c.spares.Load())
	if n == 0 && spares > 0 {
		n = 1
	}
	return min(n+spares, maxWorkers)
}

// setWant is E2.
func (c *class) setWant(n int) {
	before := c.want.Swap(int32(n))
	if (before == 0) == (n == 0) {
		return
	}
	next := make(chan struct{})
	if old := c.era.Swap(&next); old != nil {
		close(*old)
	}
}

// thisEra returns a channel that is closed when the class gets its first worker, or loses its last one (E2).
func (c *class) thisEra() <-chan struct{} {
	if ch := c.era.Load(); ch != nil {
		return *ch
	}
	return nil
}

// staff sees to it that so many workers are there.
func (c *class) staff(want int) {
	p := c.pool
	c.setWant(want)
	for i := range want {
		w := c.slots[i].Load()
		if w == nil {
			w = &Worker{pool: p, class: c, index: i, rng: uint32(i)*2654435761 + 1, gauges: new(costs.Gauges[struct{}]),
				hunger: &c.hunger}
			w.fork.At.Kind, w.fork.At.Owner = where.Worker, p
			w.innerDue = make(chan struct{}, 1)
			w.book = newBook(p.opt)
			parker, kind := park.New(p.parking(), c.low)
			w.way = kind
			if b := w.book; b != nil {
				w.sleeper.OnWake = b.summoned
			}
			w.sleeper.Join(&c.sleep, i, searcher{w}, parker, kind)
			c.park.Store(uint32(kind))
			c.slots[i].Store(w)
			c.used.Store(int32(i) + 1)
		}
		p.start(w)
	}
}

// mustLeave reports whether a worker that has found nothing has no place any more: the pool is closed, or it has
// been made smaller.
func (w *Worker) mustLeave() bool { return w.pool.state.Load() == gone || w.surplus() && !w.owes() }

// surplus reports whether there is no place for the worker, and it is not kept by H3.
func (w *Worker) surplus() bool { return int32(w.index) >= w.class.want.Load() && !w.class.crowded() }

// owes is E3.
func (w *Worker) owes() bool {
	c := w.class
	if c.want.Load() != 0 {
		return false // the others are there
	}
	n := c.visible(math.MaxInt)
	if n > 0 && w.debt == 0 {
		w.debt = w.runs + uint64(n)
	}
	if n > 0 && (w.runs < w.debt || !w.pool.isPumped()) {
		return true
	}
	w.debt = 0
	return false
}

// isPumped reports whether RunUntil has found something to run lately.
func (p *Pool) isPumped() bool {
	at := p.follow.pumped.Load()
	return at != 0 && deadline.Now().Sub(deadline.Instant(at)) < pumpedLately
}
