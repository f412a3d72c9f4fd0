package workers

import (
	"math"
	"math/bits"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/loops"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/sleep"
)

// A class is the ordinary or the background workers, with the lanes that they serve. Each class decides alone which of
// its workers sleep and which are woken. A background worker writes no word of the ordinary class while another
// goroutine relies on its next step. For a thread of the lowest priority may stop anywhere, for as long as other
// threads are busy.
type class struct {
	pool *Pool
	hire func(i int) // starts its i-th worker, and makes the worker first if there is none
	low  bool
	park atomic.Uint32 // the park.Kind of its newest worker
	// lanes are the lanes it serves, the most urgent first; fork is the position among them at which other
	// workers' forks come.
	lanes []int
	fork  int

	sleep sleep.Set     // who sleeps, who searches
	posts atomic.Uint64 // wake-ups of certain workers

	loops     loops.Table
	joining   atomic.Uint64              // bit i: worker i sleeps, or is about to, over a fork that was stolen (F1)
	hunger    atomic.Int32               // workers that run nothing and would take a fork
	forked    atomic.Bool                // some worker's forks have been shared, ever
	capped    atomic.Int32               // workers within a job of a capped lane
	want      atomic.Int32               // workers with an index from want on leave
	used      atomic.Int32               // slots below used hold workers, also such as have left
	spares    atomic.Int32               // how many of want stand in for workers that have lent their places
	lent      atomic.Int32               // spares that stand in for jobs of capped lanes: WA4
	base      atomic.Int32               // how many workers there are to be besides spares: E1
	unstaffed atomic.Pointer[park.Event] // comes when want becomes zero: E2
	slots     [maxWorkers]atomic.Pointer[Worker]
}

// visible returns how much work a sweep would see now. It may stop counting at limit. Any goroutine.
func (c *class) visible(limit int) int {
	n := bits.OnesCount64(c.loops.Open())
	return n + c.visibleJobs(limit-n)
}

// visibleJobs counts visible jobs and forks, up to about limit. Of loops the caller runs what nobody else does.
func (c *class) visibleJobs(limit int) (n int) {
	for _, lane := range c.lanes {
		if n >= limit {
			return n
		}
		n += c.pool.lanes[lane].entries()
	}
	for i := range c.used.Load() {
		if n >= limit {
			return n
		}
		n += c.slots[i].Load().forks.Shared()
	}
	return n
}

// How many workers a class has. This says what happens to work, and to goroutines that wait for it, when there are to
// be none.
//
//	E1  want is base, the number of workers that there is to be, plus one for each job within Blocking that has a
//	    spare. If base is zero and there are such jobs, want is one more, because a worker that blocks serves no lane.
//	    want changes under the lock follow only.
//	E2  When want becomes zero, a new event then takes the place of unstaffed, and after that the old event comes. A
//	    goroutine that relies on a worker to begin a job takes the event first, and then finds want not zero. It waits
//	    for the event too, and starts over when the event comes. Where there is no worker, the goroutine begins the
//	    job itself.
//	E3  A worker that is to leave, of a class that is to have no workers, first publishes its private items and finds
//	    want zero. Then it looks whether a job is visible, and stays if so. It leaves all the same when it has run
//	    as many jobs as there were at its first look, and somebody has called RunUntil lately. The caller of RunUntil
//	    runs the rest. A worker that has left wakes the others: one of them may have stayed, and sleep, because of a
//	    job that this worker then ran.
//	E4  A goroutine that makes want zero, Close excepted, sets a timer that calls adapt in a second (lookLater),
//	    unless a timer is set. adapt does the same while want is zero. All this is under the lock follow. The timer
//	    says that it is not set any more before it calls adapt.
//
// So no item is left behind that was there when want became zero, unless RunUntil takes it over. Either the item became
// visible before the last leaving worker's look of E3. Or a worker published it, and that worker's own look came later.
//
// And nobody sleeps over a job that nobody begins. If want has become zero since the sleeper read it, that was after
// the sleeper took the event. So that event has come, or will at once. A worker that stays, and finds nothing that it
// can begin, because an item's slot is not filled yet or a sifter has the item, sleeps as any other does.
//
// A job that comes when want is zero is for RunUntil, Wait and Close, as on every pool without workers. When
// GOMAXPROCS grows again, the workers come back by E4, even if the program only submits jobs. The end of Blocking needs
// E4 too: adapt may have found base zero while a spare was there.
//
// Rejected: a want that becomes zero only when everything has ended. On one P that may be never, and want alone tells
// the goroutine that has the P to run the jobs.

// target returns how many workers the class is to have (E1).
func (c *class) target() int {
	n, spares := int(c.base.Load()), int(c.spares.Load())
	if n == 0 && spares > 0 {
		n = 1
	}
	return min(n+spares, maxWorkers)
}

// setWant says how many workers the class has from now on (E2).
func (c *class) setWant(n int) {
	if before := c.want.Swap(int32(n)); before != 0 && n == 0 {
		c.unstaffed.Swap(new(park.NewEvent())).Set()
	}
}

// whenUnstaffed returns the event that comes when the class loses its last worker (E2).
func (c *class) whenUnstaffed() park.Event { return *c.unstaffed.Load() }

// staff sets want and starts the workers that are missing.
func (c *class) staff(want int) {
	c.setWant(want)
	for i := range want {
		c.hire(i)
	}
}

// mustDrainFirst reports whether a worker that is to leave has to run jobs before (E3).
func (w *Worker) mustDrainFirst() bool {
	c := w.class
	if c.want.Load() != 0 {
		return false // the others are there
	}
	n := c.visibleJobs(math.MaxInt)
	if n > 0 && w.exitAtRuns == 0 {
		w.exitAtRuns = w.ledger.runs + uint64(n)
	}
	if n > 0 && (w.ledger.runs < w.exitAtRuns || !w.pool.pump.last.isRecent()) {
		return true
	}
	w.exitAtRuns = 0
	return false
}

// A lastPump is when RunUntil last found something to run.
type lastPump struct{ atomic.Int64 }

func (p *lastPump) isRecent() bool {
	at := p.Load()
	return at != 0 && deadline.Now().Sub(deadline.Instant(at)) < pumpedLately
}

// shared returns how many items of a lane others could take from this worker. Any goroutine.
func (w *Worker) shared(lane int) int { return w.deques[lane].Shared() + w.batches[lane].Shared() }
