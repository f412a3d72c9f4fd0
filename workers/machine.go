package workers

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/frameslice/frameslice/internal/lowprio"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/procs"
	"github.com/frameslice/frameslice/internal/quota"
	"github.com/frameslice/frameslice/internal/topology"
)

// A machine is what a pool knows of its processors, and what the system grants: a quota, and priorities of threads.
type machine struct {
	opt     *Options // the pool's
	virtual bool     // the pool was made within a testing/synctest bubble
	notes   notes
	quota   quota.Quota

	mask []int // the processors that the process might use at New
	// Only PinCPU needs these, so only with PinCPU does the pool read the machine.
	urgent []int // where the ordinary workers go
	quiet  []int // where the background workers go, nil for anywhere

	loweredTo osthread.Class // of background workers' threads, if there are any
	crowd     lowprio.Crowd
	crowds    bool // crowd counts: workers may change threads
}

// survey is called by New, before there are workers. It reads the quota, because the quota decides whether workers stay
// awake. followProcs has the quota read again now and then.
func (m *machine) survey() {
	if !threads {
		return
	}
	m.mask, _ = osthread.CPUs()
	m.readQuota()
	if m.opt.Pin == PinCPU {
		cpus := m.topology()
		m.urgent, m.quiet = topology.Urgent(cpus), topology.Quiet(cpus)
	}
}

// topology reads the machine. Not for the frame goroutine.
func (m *machine) topology() []topology.CPU {
	mask := m.mask
	if runtime.GOOS == "linux" {
		return topology.Read(os.DirFS("/"), mask)
	}
	if len(mask) > 0 { // else there is a note about the affinity
		m.notes.add("topology: not read on " + runtime.GOOS)
		return topology.Alike(mask)
	}
	for i := range runtime.NumCPU() {
		mask = append(mask, i)
	}
	return topology.Alike(mask)
}

// readQuota reads the quota. Not for the frame goroutine.
func (m *machine) readQuota() { m.restrict(m.quota.Update()) }

// granted returns how many processors the quota grants in full, maxWorkers or more if there is no quota.
func (m *machine) granted() int {
	if n := m.quota.Whole(); n > 0 {
		return n
	}
	return max(runtime.NumCPU(), 2*maxWorkers)
}

// bind binds the thread of the i-th ordinary worker, or of a background worker, to its processors, with PinCPU.
func (m *machine) bind(i int, low bool) error {
	switch {
	case m.opt.Pin != PinCPU || len(m.urgent) == 0: // or the system does not tell its processors
		return nil
	case low:
		if len(m.quiet) == 0 {
			return nil
		}
		return osthread.Pin(m.quiet...)
	}
	return osthread.Pin(m.urgent[i%len(m.urgent)])
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

// raiseFor returns how many Ps a pool with so many workers adds, with RaiseProcs. way is how ordinary workers sleep.
//
// Where no worker needs a P of its own, the pool adds one for the program's other goroutines, such as the one that
// writes the sound. Such a goroutine waits in a Go timer. The timer belongs to a P. While all Ps are busy with jobs and
// the slice, nobody looks at the timer until the runtime preempts one of them, after 10 ms. An idle P has a thread that
// sleeps until the timer is due, and the system lets that thread run at once.
func (m *machine) raiseFor(ordinaries, backgrounds int, way park.Kind) int {
	n := 0
	if m.opt.Pin != 0 && way == park.Syscall && m.granted() >= runtime.NumCPU() {
		n = min(ordinaries, runtime.NumCPU())
	}
	if backgrounds > 0 {
		n += backgrounds + spareProcs
	}
	if n == 0 && ordinaries > 0 && m.granted() >= runtime.NumCPU() {
		n = 1 // under a quota a further P would use the quota up sooner
	}
	return n
}

// backgroundWanted returns how many background workers there will be, and finds out how far their threads can be
// lowered.
func (m *machine) backgroundWanted() int {
	n := m.opt.Background
	if n == 0 || !threads {
		return 0
	}
	if n < 0 {
		n = backgroundFor(runtime.NumCPU(), m.granted())
	}
	var err error
	if m.loweredTo, err = tryLower(); err != nil {
		m.notes.add("background workers: " + err.Error())
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
func (m *machine) parking() park.Kind {
	switch {
	case m.virtual:
		return park.Chan // the bubble's time passes while workers wait on channels, not within system calls
	case m.opt.forced.park != park.Auto:
		return m.opt.forced.park
	case m.opt.Pin != 0 && m.opt.RaiseProcs && m.opt.Background == 0:
		return park.Syscall
	}
	return park.Auto
}

// threads reports whether this platform has more than one thread for Go code.
const threads = runtime.GOOS != "js" && runtime.GOOS != "wasip1"

// restrict tells the bucket of a quota, which then keeps jobs from taking the frames' share if it is below one
// processor.
func (m *machine) restrict(processors float64, period time.Duration) {
	if m.virtual {
		return
	}
	if m.quota.Bucket.Restrict(processors, period) {
		m.notes.add(fmt.Sprintf("quota: %.2f processors: jobs leave the frames their share", processors))
	}
}

// mayCrowd reports whether background workers may change threads.
func (m *machine) mayCrowd() bool {
	_, err := osthread.ProcessTime()
	return err == nil && !m.virtual && m.loweredTo == osthread.Lowest
}

// processors returns how many processors the process may use.
func (m *machine) processors() int { return max(min(len(m.mask), m.granted()), 1) }

// affords reports to the frame goroutine whether the quota allows a job of that cost now.
func (m *machine) affords(cost time.Duration) bool {
	return !m.quota.Bucket.On() || m.quota.Bucket.MayBegin(cost, true) == 0
}

// mayStayAwake returns how many ordinary workers may stay awake: one less than the Ps that the program has without
// those of pools. Under a quota none may, because staying awake uses the quota up.
func (m *machine) mayStayAwake() int {
	if m.quota.Whole() != 0 {
		return 0
	}
	return max(min(procs.Settled(), runtime.NumCPU())-1, 0)
}

// workersWanted returns how many ordinary workers there should be now.
func (m *machine) workersWanted() int {
	if !threads {
		return 0
	}
	if m.opt.Workers != 0 {
		return max(m.opt.Workers, 0)
	}
	return ordinaryFor(procs.Settled(), runtime.NumCPU(), m.granted())
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
