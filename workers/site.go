package workers

import (
	"os"
	"runtime"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/procs"
	"github.com/frameslice/frameslice/internal/topology"
)

// A placement is what a pool knows of the processors. The machine is read for PinCPU only.
type placement struct {
	mask   []int // at New
	urgent []int // with PinCPU: where the ordinary workers go
	quiet  []int // where the background workers go, nil for anywhere
}

// survey is called by New, before there are workers. The quota is read here, as whether workers stay awake depends on
// it, and again now and then (followProcs).
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
		p.note("topology: not read on " + runtime.GOOS)
		return topology.Alike(mask)
	}
	for i := range runtime.NumCPU() {
		mask = append(mask, i)
	}
	return topology.Alike(mask)
}

func (p *Pool) readQuota() { p.restrict(p.quota.Update()) }

// granted returns how many processors the quota grants in full, MaxWorkers or more if there is no quota.
func (p *Pool) granted() int {
	if n := p.quota.Whole(); n > 0 {
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

// bind binds a worker's thread to its processor, with PinCPU.
func (p *Pool) bind(w *Worker) error {
	switch {
	case p.opt.Pin != PinCPU:
		return nil
	case w.class.low:
		if len(p.place.quiet) == 0 {
			return nil
		}
		return osthread.Pin(p.place.quiet...)
	}
	return osthread.Pin(p.place.urgent[w.index%len(p.place.urgent)])
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
	n := int32(procs.Others())
	changed := p.follow.seen.Swap(n) != n
	if (p.quota.Due(now) || changed) && p.state.Load() == running {
		go p.adapt() // also where the number of workers is fixed: how many may stay awake is not
	}
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
	n := min(procs.Settled(), runtime.NumCPU()) - 1
	if p.quota.Whole() != 0 {
		n = 0
	}
	p.classes[ordinary].sleep.SetPlaces(max(n, 0))
}
