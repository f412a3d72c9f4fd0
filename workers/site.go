package workers

import (
	"io/fs"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/runqueue"
	"github.com/frameslice/frameslice/internal/topology"
)

// site is what a pool knows of the processors. The machine is read for PinCPU only. The quota is read at New, as
// whether workers stay awake depends on it, and again now and then (quotaIsDue).
type site struct {
	files   fs.FS // the system's root; nil: os.DirFS("/"), where there is something to read
	once    sync.Once
	mask    []int // at New
	machine topology.Machine
	whole   atomic.Int32 // processors that the quota grants in full; 0: no quota
	readAt  atomic.Int64 // when it was read
	urgent  []int        // with PinCPU: where the ordinary workers go
	quiet   []int        // where the background workers go, nil for anywhere
}

// survey is called by New, before there are workers.
func (p *Pool) survey() {
	p.follow.seen.Store(int32(p.procs.settled()))
	if !threads {
		return
	}
	p.site.mask, _ = osthread.CPUs()
	p.readQuota()
	if p.opt.Pin == PinCPU {
		m := p.look()
		p.site.urgent, p.site.quiet = m.Urgent(), m.Quiet()
	}
}

// look returns the machine, which it reads at the first call. Not for the frame goroutine.
func (p *Pool) look() *topology.Machine {
	s := &p.site
	s.once.Do(func() {
		if runtime.GOOS == "linux" {
			s.machine = topology.Read(os.DirFS("/"), s.mask)
			return
		}
		mask := s.mask
		for i := range runtime.NumCPU() {
			if len(s.mask) == 0 {
				mask = append(mask, i)
			}
		}
		s.machine = topology.Unknown(mask)
		if len(s.mask) > 0 { // else there is a note about the affinity
			p.note("topology: not read on " + runtime.GOOS)
		}
	})
	return &s.machine
}

// files returns where the system says what a process gets, nil if nowhere.
func (p *Pool) files() fs.FS {
	if p.site.files != nil || runtime.GOOS != "linux" {
		return p.site.files
	}
	return os.DirFS("/")
}

func (p *Pool) readQuota() {
	files := p.files()
	if files == nil {
		return
	}
	p.site.readAt.Store(int64(deadline.Now()))
	quota, period := topology.Quota(files)
	m := topology.Machine{CPUs: make([]topology.CPU, runtime.NumCPU()), Quota: quota}
	whole := 0
	if m.Quota > 0 {
		whole = m.Whole()
	}
	p.site.whole.Store(int32(whole))
	p.restrict(quota, period)
}

// granted returns how many processors the quota grants in full, MaxWorkers or more if there is no quota.
func (p *Pool) granted() int {
	if n := int(p.site.whole.Load()); n > 0 {
		return n
	}
	return max(runtime.NumCPU(), 2*MaxWorkers)
}

// ordinaryFor returns how many ordinary workers leave a P to the frame, where so many processors are granted. More
// workers than processors would only take turns, and the frame with them.
func ordinaryFor(procs, processors, granted int) int {
	return min(max(min(procs, processors, granted)-1, 0), MaxWorkers)
}

// backgroundFor returns how many background workers there are by default: one for each processor, unless together
// with the frame they would use up the quota.
func backgroundFor(processors, granted int) int {
	if granted < processors {
		processors = max(granted-1, 1)
	}
	return min(processors, MaxWorkers)
}

// place binds a worker's thread to its processor, with PinCPU.
func (p *Pool) place(w *Worker) error {
	switch {
	case p.opt.Pin != PinCPU:
		return nil
	case w.class.low:
		if len(p.site.quiet) == 0 {
			return nil
		}
		return osthread.Pin(p.site.quiet...)
	}
	return osthread.Pin(p.site.urgent[w.index%len(p.site.urgent)])
}

// locate finds out from which workers a worker with a processor steals first, if that makes a difference.
func (p *Pool) locate(w *Worker) {
	if p.opt.Pin != PinCPU || w.class.low || p.look().Count(func(c topology.CPU) int { return c.L3 }) < 2 {
		return
	}
	at := make([]int, MaxWorkers)
	for i := range at {
		at[i] = p.site.urgent[i%len(p.site.urgent)]
	}
	w.near = p.site.machine.Near(at, w.index)
}

// robNear is rob among n for a worker whose neighbours are known: the nearest first.
func robNear[T any](w *Worker, n int, of func(v *Worker) *runqueue.Deque[T]) (it T, ok bool) {
	for _, at := range w.near {
		if at >= n {
			continue
		}
		v := w.class.slots[at].Load()
		for v != nil {
			it, ok, retry := of(v).Steal()
			if ok {
				return it, true
			}
			if !retry {
				break
			}
		}
	}
	return it, false
}

// followProcs has the number of workers adapted to GOMAXPROCS, at most once a second. The frame goroutine, and
// workers, who leave the work to a goroutine: it reads files, and starts threads.
func (p *Pool) followProcs(now deadline.Instant) {
	if !threads {
		return
	}
	next := p.follow.next.Load()
	if int64(now) < next || !p.follow.next.CompareAndSwap(next, int64(now.Add(time.Second))) {
		return
	}
	n := int32(p.procs.others())
	changed := p.follow.seen.Swap(n) != n
	if (p.quotaIsDue(now) || changed) && p.state.Load() == running {
		go p.adapt() // also where the number of workers is fixed: how many may stay awake is not
	}
}

// quotaIsDue reports whether the quota is to be read again.
func (p *Pool) quotaIsDue(now deadline.Instant) bool {
	return now.Sub(deadline.Instant(p.site.readAt.Load())) >= quotaEvery && p.files() != nil
}

// followFromNone is followProcs where there are no ordinary workers who do it: whoever runs jobs does.
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

// adapt makes the number of ordinary workers, and of those who may stay awake, what it should be.
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

// lookLater is E4: it has adapt called again in a second where the workers have gone. Nobody else may look, if all that
// the program does is to submit. The caller has the lock follow.
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

// setPlaces adapts to the number of Ps that the program has without those of this pool. A quota is not for
// staying awake: there are no places under one.
func (p *Pool) setPlaces() {
	n := min(p.procs.settled(), runtime.NumCPU()) - 1
	if p.site.whole.Load() != 0 {
		n = 0
	}
	p.classes[ordinary].sleep.SetPlaces(max(n, 0))
}
