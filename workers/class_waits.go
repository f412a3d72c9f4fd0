package workers

import (
	"math"
	"runtime/metrics"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/atomic"
)

// Jobs of SubmitWaiting may wait for something outside, and do not say when. The pool finds out, and then another
// worker takes the place of the one that waits, as within Blocking.
//
// Go does not tell whether a goroutine waits. But it tells how many goroutines run or could run, in the whole program.
// Where more such jobs have begun than that, the others wait: that much is proven. A job that computes is one of the
// goroutines that run, also while other programs keep it off a processor. So jobs that compute get no spare. Goroutines
// of the program that compute beside the jobs only make the proof fail. A system call or a C function counts as a wait,
// as it does for Go's scheduler, because it needs no P.
//
//	WA1  A look first takes the time, then reads the number of goroutines that run, and then counts the jobs that had
//	     begun before that time. A worker first stores when its job began, and then that it runs one. So each job that
//	     a look counts was under way when the number was read.
//	WA2  There are at least as many spares as the latest raiseLooks looks have each proven, and at most as many as one
//	     of the latest lowerLooks looks has. There are never more than jobs that have been under way for longWait. A
//	     worker first says that its job has ended. Then it looks at spared, which a look sets before it counts jobs,
//	     and if that is set the worker brings the spares to their number at once.
//	WA3  A worker first says that it has begun such a job, and then sets armed by a compare-and-swap. The goroutine
//	     whose swap succeeds starts the timer. A look first clears armed, and then looks whether a job is under way,
//	     and sets armed again. So while a job is under way a look comes. In a bubble no further look comes once the
//	     job has been under way for longWait.
//	WA4  lent is how many of the spares certainly stand in for jobs of the capped lanes: all spares, less the jobs of
//	     other lanes that may wait. The limit of W10 is higher by so many. lent grows after the spare has come, and
//	     falls before the spare may leave. So W10 holds: of the workers that do not wait, as many serve the capped
//	     lanes as without those that wait and their spares.
//
// So a few ms after a job waits, a worker takes its place. If the job then computes, the spare leaves within lowerLooks
// looks, after its own job. At most maxSpares workers are replaced at once, together with those within Blocking.
//
// In a bubble of testing/synctest time passes only while all goroutines wait. So a job that takes any time waits.
//
// Rejected: each such job within Blocking from its beginning. Eight jobs that compute would run in one worker's place.
// Rejected: to ask the system for the processor time of the worker's thread. A goroutine that has waited continues, and
// computes, on another thread. To lock it to its thread makes each wait slower, and jobs could not fork any more.
type waits struct {
	armed  atomic.Bool // a look is going to come: WA3
	spared atomic.Bool // there are spares, or a look is about to bring some: WA2

	mu     atomic.Mutex    // the frame goroutine never takes it
	latest [lowerLooks]int // what the latest looks have proven
	looks  int
	spares [numClasses]int

	// Set by init.
	now       func() deadline.Instant
	later     func()     // calls lookForWaits in lookEvery
	computing func() int // how many goroutines of the program run or could run
}

func (s *waits) init(p *Pool) {
	timer := time.AfterFunc(math.MaxInt64, func() { s.lookForWaits(p) })
	timer.Stop()
	s.now, s.later, s.computing = deadline.Now, func() { timer.Reset(lookEvery) }, p.opt.forced.computing
	switch {
	case p.timeWaits():
		s.computing = func() int { return 0 }
	case s.computing == nil:
		sampled := []metrics.Sample{
			{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/goroutines/runnable:goroutines"},
		}
		s.computing = func() int {
			metrics.Read(sampled)
			return int(sampled[0].Value.Uint64()+sampled[1].Value.Uint64()) - 1 // this goroutine
		}
	}
}

// beginWaiting notes that the worker begins a job that may wait.
func (w *Worker) beginWaiting(now deadline.Instant) {
	w.waitsFrom.Store(int64(now))
	w.waiting.Store(int32(w.lane) + 1)
	w.pool.waits.arm() // WA3
}

// endWaiting undoes beginWaiting.
func (w *Worker) endWaiting() {
	w.waiting.Store(0)
	if s := &w.pool.waits; s.spared.Load() { // WA2
		s.mu.Lock()
		s.adjustSpares(w.pool, s.count(w.pool, s.now()))
		s.mu.Unlock()
	}
}

// arm makes a look come.
func (s *waits) arm() {
	if s.armed.CompareAndSwap(false, true) {
		s.later()
	}
}

// lookForWaits is what the timer calls.
func (s *waits) lookForWaits(p *Pool) {
	before := s.now()
	computing := s.computing() // not under mu, as another reader may take long
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spared.Store(true) // WA2
	n := s.count(p, before)
	proven := min(max(n.begun-computing, 0), n.old[ordinary]+n.old[background])
	if p.timeWaits() {
		for i := range s.latest {
			s.latest[i] = proven
		}
	}
	s.latest[s.looks%lowerLooks] = proven
	s.looks++
	s.adjustSpares(p, n)
	s.armed.Store(false) // WA3
	if n = s.count(p, before); n.young > 0 || n.old[ordinary]+n.old[background] > 0 && !p.timeWaits() {
		s.arm()
	}
}

// timeWaits reports whether all time that passes is a wait.
func (p *Pool) timeWaits() bool { return p.machine.virtual && p.opt.forced.computing == nil }

// underWay are the jobs of SubmitWaiting that run.
type underWay struct {
	old    [numClasses]int // by class: begun longWait before
	others [numClasses]int // of them: in a lane without a cap
	begun  int             // all that began before an instant
	young  int             // not old
}

// count counts the jobs that are under way.
func (s *waits) count(p *Pool, before deadline.Instant) (n underWay) {
	now := s.now()
	for i := range p.classes {
		c := &p.classes[i]
		for k := range c.used.Load() {
			w := c.slots[k].Load()
			lane := int(w.waiting.Load()) - 1
			if lane < 0 {
				continue
			}
			at := deadline.Instant(w.waitsFrom.Load())
			if at < before {
				n.begun++
			}
			if now.Sub(at) < longWait {
				n.young++
			} else if n.old[i]++; lane < capFrom {
				n.others[i]++
			}
		}
	}
	return n
}

// adjustSpares brings the number of spares to what the latest looks have proven (WA2). The caller has the lock.
func (s *waits) adjustSpares(p *Pool, n underWay) {
	least, most := int(^uint(0)>>1), 0
	for i := range lowerLooks {
		proven := s.latest[(s.looks+lowerLooks-1-i)%lowerLooks] // the newest first
		if most = max(most, proven); i < raiseLooks {
			least = min(least, proven)
		}
	}
	all := s.spares[ordinary] + s.spares[background]
	left := min(max(all, least), most)
	for i := numClasses - 1; i >= 0; i-- { // background workers run most of these jobs where there are any
		spares := min(left, n.old[i])
		left -= spares
		s.staff(&p.classes[i], &s.spares[i], spares, n.others[i])
	}
	s.spared.Store(s.spares[ordinary]+s.spares[background] > 0)
}

// staff brings the spares of a class to n, if there may be so many. others is how many of them may stand in for jobs of
// lanes without a cap.
func (s *waits) staff(c *class, spares *int, n, others int) {
	for ; *spares < n && c.addSpare(); *spares++ {
	}
	lent := int32(max(min(n, *spares)-others, 0)) // WA4
	if c.lent.Swap(lent) < lent {
		c.wakeAll() // some may begin more now
	}
	for ; *spares > n; *spares-- {
		c.dropSpare()
	}
}
