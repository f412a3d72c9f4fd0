package workers

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/procs"
	"github.com/frameslice/frameslice/internal/topology"
)

// A placement is what a pool knows of the processors. Only PinCPU needs urgent and quiet, so only with PinCPU does the
// pool read the machine.
type placement struct {
	mask   []int // the processors that the process might use at New
	urgent []int // with PinCPU: where the ordinary workers go
	quiet  []int // where the background workers go, nil for anywhere
}

// survey is called by New, before there are workers. It reads the quota, because the quota decides whether workers stay
// awake. followProcs has the quota read again now and then.
func (p *Pool) survey() {
	p.follow.seen.Store(int32(procs.Settled()))
	if !threads {
		return
	}
	p.place.mask, _ = osthread.CPUs()
	p.readQuota()
	if p.opt.Pin == PinCPU {
		cpus := p.look()
		p.place.urgent, p.place.quiet = topology.Urgent(cpus), topology.Quiet(cpus)
	}
}

// look reads the machine. Not for the frame goroutine.
func (p *Pool) look() []topology.CPU {
	mask := p.place.mask
	if runtime.GOOS == "linux" {
		return topology.Read(os.DirFS("/"), mask)
	}
	if len(mask) > 0 { // else there is a note about the affinity
		p.notes.add("topology: not read on " + runtime.GOOS)
		return topology.Alike(mask)
	}
	for i := range runtime.NumCPU() {
		mask = append(mask, i)
	}
	return topology.Alike(mask)
}

func (p *Pool) readQuota() { p.restrict(p.quota.Update()) }

// granted returns how many processors the quota grants in full, maxWorkers or more if there is no quota.
func (p *Pool) granted() int {
	if n := p.quota.Whole(); n > 0 {
		return n
	}
	return max(runtime.NumCPU(), 2*maxWorkers)
}

// ordinaryFor returns how many ordinary workers leave a P to the frame, where so many processors are granted. If there
// were more workers than processors, workers and frame would take turns.
func ordinaryFor(procs, processors, granted int) int {
	return min(max(min(procs, processors, granted)-1, 0), maxWorkers)
}

// backgroundFor returns how many background workers there are by default: one for each processor, unless together
// with the frame they would use up the quota.
func backgroundFor(processors, granted int) int {
	if granted < processors {
		processors = max(granted-1, 1)
	}
	return min(processors, maxWorkers)
}

// bind binds a worker's thread to its processor, with PinCPU.
func (p *Pool) bind(w *Worker) error {
	switch {
	case p.opt.Pin != PinCPU || len(p.place.urgent) == 0: // or the system does not tell its processors
		return nil
	case w.class.low:
		if len(p.place.quiet) == 0 {
			return nil
		}
		return osthread.Pin(p.place.quiet...)
	}
	return osthread.Pin(p.place.urgent[w.index%len(p.place.urgent)])
}

// followProcs has the number of workers adapted to GOMAXPROCS, at most once a second. The frame goroutine and workers
// call it. A goroutine of its own does the work, because the work reads files and starts threads.
func (p *Pool) followProcs(now deadline.Instant) {
	if !threads {
		return
	}
	next := p.follow.next.Load()
	if int64(now) < next || !p.follow.next.CompareAndSwap(next, int64(now.Add(time.Second))) {
		return
	}
	n := int32(procs.Others())
	changed := p.follow.seen.Swap(n) != n
	if (p.quota.Due(now) || changed) && p.state.Load() == running {
		go p.adapt() // also where the number of workers is fixed: how many may stay awake is not
	}
}

// followFromNone is followProcs where no ordinary worker calls it. The goroutines that run jobs then do.
func (p *Pool) followFromNone() {
	if p.opt.Workers == 0 && p.classes[ordinary].want.Load() == 0 {
		p.followProcs(deadline.Now())
	}
}

// helpers returns how many workers there are for a loop.
func (c *class) helpers() int32 {
	n := c.want.Load()
	if n == 0 {
		c.pool.followFromNone()
	}
	return n
}

// adapt sets the number of ordinary workers, and of workers that may stay awake.
func (p *Pool) adapt() {
	p.readQuota()
	p.setPlaces()
	p.follow.Lock()
	defer p.follow.Unlock()
	if c := &p.classes[ordinary]; p.state.Load() == running {
		if base := p.workersWanted(); base != int(c.base.Load()) {
			p.resize(c, base)
		}
		p.lookLater()
	}
}

// resize sets the number of a class's workers, spares excepted. One goroutine at a time.
func (p *Pool) resize(c *class, base int) {
	c.base.Store(int32(base))
	c.staff(c.target())
	c.wakeAll() // some of them have to leave
}

// lookLater is E4: where the ordinary workers have gone, it has adapt called again in a second. If the program does
// nothing but submit jobs, nothing else calls adapt. The caller has the lock follow.
func (p *Pool) lookLater() {
	if p.opt.Workers != 0 || p.classes[ordinary].want.Load() > 0 || p.follow.later {
		return
	}
	p.follow.later = true
	time.AfterFunc(time.Second, func() {
		p.follow.Lock()
		p.follow.later = false
		p.follow.Unlock()
		if p.state.Load() == running {
			p.adapt()
		}
	})
}

// setPlaces sets how many ordinary workers may stay awake: one less than the Ps that the program has without those of
// pools. Under a quota none may, because staying awake uses the quota up.
func (p *Pool) setPlaces() {
	n := min(procs.Settled(), runtime.NumCPU()) - 1
	if p.quota.Whole() != 0 {
		n = 0
	}
	p.classes[ordinary].sleep.SetPlaces(max(n, 0))
}

// spareProcs is how many Ps a pool adds besides one for each background worker. A thread of the runtime that looks for
// work has a P. When the thread finds work it wakes a second thread. The system may put both on the same processor,
// because background workers are on all others. Then the first thread keeps its P for as long as the second runs an
// urgent job. With one P for each worker and one for the frame, the frame then found no P when it came back from its
// wait.
//
// Frames of the demo that began more than 1 ms late, of 1,200, on two processors that were traced meanwhile: 27 with no
// P to spare, 1 with one, 1 with two; beside jobs that allocate 13, 7 or 8, and 1 or 2. Without the trace the
// difference is smaller. Four spare Ps were worse, as collections use idle Ps.
const spareProcs = 2

// raiseFor returns how many Ps a pool with so many workers adds, with RaiseProcs. The ordinary workers have begun.
//
// Where no worker needs a P of its own, the pool adds one for the program's other goroutines, such as the one that
// writes the sound. Such a goroutine waits in a Go timer. The timer belongs to a P. While all Ps are busy with jobs and
// the slice, nobody looks at the timer until the runtime preempts one of them, after 10 ms. An idle P has a thread that
// sleeps until the timer is due, and the system lets that thread run at once.
func (p *Pool) raiseFor(ordinaries, backgrounds int) int {
	n := 0
	way := park.Kind(p.classes[ordinary].park.Load())
	if p.opt.Pin != 0 && way == park.Syscall && p.granted() >= runtime.NumCPU() {
		n = min(ordinaries, runtime.NumCPU())
	}
	if backgrounds > 0 {
		n += backgrounds + spareProcs
	}
	if n == 0 && ordinaries > 0 && p.granted() >= runtime.NumCPU() {
		n = 1 // under a quota a further P would use the quota up sooner
	}
	return n
}

// backgroundWanted returns how many background workers there will be, and finds out how far their threads can be
// lowered.
func (p *Pool) backgroundWanted() int {
	n := p.opt.Background
	if n == 0 || !threads {
		return 0
	}
	if n < 0 {
		n = backgroundFor(runtime.NumCPU(), p.granted())
	}
	var err error
	if p.loweredTo, err = tryLower(); err != nil {
		p.notes.add("background workers: " + err.Error())
		return 0
	}
	return n
}

// tryLower finds out how far threads can be lowered here. It lowers a thread of its own, which then ends.
func tryLower() (class osthread.Class, err error) {
	done := make(chan struct{})
	osthread.Go(func() {
		class, err = osthread.Lower()
		close(done)
	})
	<-done
	return class, err
}

// parking returns how workers sleep, where Auto depends on the class.
//
// An ordinary worker polls. The system call would wake the worker onto the waker's processor, where it runs first and
// delays the frame. And a sleeper within the call keeps its P until the runtime notices. A background worker uses the
// system call: a lowered thread does not displace the waker. If it polled, a thread of ordinary priority would pass the
// wake-up on, and displace the waker.
//
// A worker with a thread of its own and a P of its own (Pin, RaiseProcs) uses the system call too. It does not where
// there are background workers, which are for programs with frames. On Linux 6.12 and newer the thread asks for short
// time slices (osthread.ShortSlice), so it runs before its waker. BenchmarkWake on two busy processors gives the µs
// until the job begins and what the waker pays:
//
//	                             begins, p50    p99          waker
//	Pin, RaiseProcs (syscall)    16-19          98-127       20-23
//	syscall alone                80-126         1621-3821    7-11
//	poll                         1759-1822      1886-2090    1.1-5.0
func (p *Pool) parking() park.Kind {
	switch {
	case p.virtual:
		return park.Chan // the bubble's time passes while workers wait on channels, not within system calls
	case p.opt.forced.park != park.Auto:
		return p.opt.forced.park
	case p.opt.Pin != 0 && p.opt.RaiseProcs && p.opt.Background == 0:
		return park.Syscall
	}
	return park.Auto
}

// threads reports whether this platform has more than one thread for Go code.
const threads = runtime.GOOS != "js" && runtime.GOOS != "wasip1"

// workersWanted returns how many ordinary workers there should be now.
func (p *Pool) workersWanted() int {
	if !threads {
		return 0
	}
	if p.opt.Workers != 0 {
		return max(p.opt.Workers, 0)
	}
	return ordinaryFor(procs.Settled(), runtime.NumCPU(), p.granted())
}

// notes say what the system refused.
type notes struct {
	sync.Mutex
	text []string
}

// add records a text, once.
func (n *notes) add(text string) {
	n.Lock()
	defer n.Unlock()
	if !slices.Contains(n.text, text) {
		n.text = append(n.text, text)
	}
}

// restrict tells the bucket of a quota, which then keeps jobs from taking the frames' share if it is below one
// processor.
func (p *Pool) restrict(processors float64, period time.Duration) {
	if p.virtual {
		return
	}
	if p.quota.Bucket.Restrict(processors, period) {
		p.notes.add(fmt.Sprintf("quota: %.2f processors: jobs leave the frames their share", processors))
	}
}

// mayCrowd reports whether the workers may change threads.
func (p *Pool) mayCrowd() bool {
	_, err := osthread.ProcessTime()
	return err == nil && !p.virtual && p.loweredTo == osthread.Lowest
}
