package workers

import (
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
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
//	     begun by that time. So each job that it counts was under way when the number was read.
//	WA2  There are at least as many spares as the latest raiseLooks looks have each proven, and at most as many as one
//	     of the latest lowerLooks looks has. There are never more than jobs that have been under way for longWait.
//	     A worker whose job has ended looks at that at once.
//	WA3  A worker first says that it has begun such a job, and then looks whether a look is going to come (armed). A
//	     look that is the last one first clears armed, and then looks whether a job is under way. So while a job is
//	     under way a look comes.
//	WA4  lent is how many of the spares stand in for jobs of the capped lanes. The limit of W10 is higher by so many.
//	     It grows before the spare comes, and falls before the spare may leave, as base does in resize.
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
	armed atomic.Bool // a look is going to come: WA3
	out   atomic.Int32

	mu      sync.Mutex // the frame goroutine never takes it
	timer   *time.Timer
	latest  [lowerLooks]int // what the latest looks have proven
	looks   int
	spares  [numClasses]int
	sampled [2]metrics.Sample
}

// beginWaiting notes that the worker begins a job that may wait.
func (w *Worker) beginWaiting() {
	w.waiting.Store(int32(w.lane) + 1)
	w.pool.waits.arm(w.pool)
}

// endWaiting undoes beginWaiting.
func (w *Worker) endWaiting() {
	w.waiting.Store(0)
	if s := &w.pool.waits; s.out.Load() > 0 {
		s.mu.Lock()
		s.adjustSpares(w.pool, s.count(w.pool, deadline.Now()))
		s.mu.Unlock()
	}
}

// arm makes a look come.
func (s *waits) arm(p *Pool) {
	if s.armed.Load() || !s.armed.CompareAndSwap(false, true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer == nil {
		s.sampled[0].Name = "/sched/goroutines/running:goroutines"
		s.sampled[1].Name = "/sched/goroutines/runnable:goroutines"
		s.timer = time.AfterFunc(lookEvery, func() { s.lookForWaits(p) })
		return
	}
	s.timer.Reset(lookEvery)
}

// lookForWaits is what the timer calls.
func (s *waits) lookForWaits(p *Pool) {
	before, computing := deadline.Now(), 0
	if f := p.opt.forced.computing; f != nil {
		computing = f()
	} else if !p.machine.virtual {
		metrics.Read(s.sampled[:]) // not under mu, as another reader may take long
		computing = int(s.sampled[0].Value.Uint64() + s.sampled[1].Value.Uint64())
		computing-- // this goroutine
	}
	s.mu.Lock()
	defer s.mu.Unlock()
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
	if p.state.Load() != gone && n.more(p) {
		s.timer.Reset(lookEvery)
		return
	}
	if n.begun == 0 {
		s.latest = [lowerLooks]int{}
	}
	s.armed.Store(false)
	if n = s.count(p, before); n.more(p) && s.armed.CompareAndSwap(false, true) {
		s.timer.Reset(lookEvery)
	}
}

// timeWaits reports whether all time that passes is a wait.
func (p *Pool) timeWaits() bool { return p.machine.virtual && p.opt.forced.computing == nil }

// underWay are the jobs of SubmitWaiting that run.
type underWay struct {
	old    [numClasses]int // by class: begun longWait before
	capped [numClasses]int // of them: in a capped lane
	begun  int             // all that began before an instant
	young  int             // not old
}

// more reports whether another look is needed.
func (n *underWay) more(p *Pool) bool { return n.young > 0 || n.begun > 0 && !p.timeWaits() }

// count counts the jobs that are under way.
func (s *waits) count(p *Pool, before deadline.Instant) (n underWay) {
	now := deadline.Now()
	for i := range p.classes {
		c := &p.classes[i]
		for k := range c.used.Load() {
			w := c.slots[k].Load()
			lane, at := int(w.waiting.Load())-1, w.seen.begun()
			if lane < 0 {
				continue
			}
			if at != 0 && at <= before {
				n.begun++
			}
			if at == 0 || now.Sub(at) < longWait {
				n.young++
			} else if n.old[i]++; lane >= capFrom {
				n.capped[i]++
			}
		}
	}
	return n
}

// adjustSpares is WA2. The caller has the lock.
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
		s.staff(&p.classes[i], &s.spares[i], spares, min(spares, n.capped[i]))
	}
	s.out.Store(int32(s.spares[ordinary] + s.spares[background]))
}

// staff brings the spares of a class to n, of which lent stand in for jobs of capped lanes: WA4.
func (s *waits) staff(c *class, spares *int, n, lent int) {
	if old := c.lent.Swap(int32(lent)); old != int32(lent) {
		defer c.wakeAll() // some may begin more now, or have to leave
	}
	for ; *spares < n && c.addSpare(); *spares++ {
	}
	for ; *spares > n; *spares-- {
		c.dropSpare()
	}
}
