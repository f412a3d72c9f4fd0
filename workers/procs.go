package workers

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/park"
)

// A raise is what one pool has added to GOMAXPROCS. Several pools may come and go at once, in any order. Each
// remembers its own share and takes only that back, so the last one to close leaves what was there before the first.
// If the program, or Go, has set another value meanwhile, that value stays: nothing of it is a pool's.
type raise struct {
	by    atomic.Int32
	epoch uint32 // procs.epoch when it was added
}

// procs makes addProcs an addition. GOMAXPROCS is one for the process and can be read and swapped, but not
// added to, and no sequence of swaps is an addition (TestModelSwapsAreNoAddition). It also holds what all pools
// together have added, which none of them may take for processors. This is the package's only variable.
var procs struct {
	sync.Mutex
	added atomic.Int32
	set   atomic.Int32 // what GOMAXPROCS was set to last by a pool, 0: it has none of a pool's
	epoch uint32       // counts the times that somebody else has set it while pools had added to it
	ours  bool         // what was there before the first pool was Go's default
}

// spareProcs is how many Ps a pool adds besides one for each background worker. A thread of the runtime that looks for
// work has a P. When the thread finds work it wakes another thread. The system may put both on the same processor,
// because a background worker is on every other. Then the first keeps its P for as long as the second runs an urgent
// job. With one P for each worker and one for the frame there was then none for the frame when it came back from its
// wait. Frames of the demo that began more than 1 ms late, of 1,200, on two processors that were traced meanwhile: 27
// with no P to spare, 1 with one, 1 with two; beside jobs that allocate 13, 7 or 8, and 1 or 2. Untraced it makes less
// of a difference, and four were worse, as collections use idle Ps.
const spareProcs = 2

// raiseFor returns what a pool with so many workers adds, with RaiseProcs. The ordinary ones have begun.
func (p *Pool) raiseFor(ordinaries, backgrounds int) int {
	n := 0
	way := park.Kind(p.classes[ordinary].park.Load())
	if p.opt.Pin != PinNone && way == park.Syscall && p.granted() >= runtime.NumCPU() {
		n = min(ordinaries, runtime.NumCPU())
	}
	if backgrounds > 0 {
		n += backgrounds + spareProcs
	}
	return n
}

// lookAtProcs finds out whether somebody else has set GOMAXPROCS, and returns it. The caller has the lock.
func lookAtProcs() int {
	now := runtime.GOMAXPROCS(0)
	if set := procs.set.Load(); set != 0 && int(set) != now {
		procs.epoch++
		procs.added.Store(0)
		procs.set.Store(0)
	}
	return now
}

func (r *raise) up(n int) {
	if n <= 0 {
		return
	}
	procs.Lock()
	defer procs.Unlock()
	now := lookAtProcs()
	if procs.set.Load() == 0 {
		setDefaultProcs()
		procs.ours = runtime.GOMAXPROCS(0) == now
	}
	setProcs(now+n, n)
	r.by.Store(int32(n))
	r.epoch = procs.epoch
}

func (r *raise) down() {
	procs.Lock()
	defer procs.Unlock()
	n := int(r.by.Swap(0))
	now := lookAtProcs()
	if n == 0 || r.epoch != procs.epoch {
		return
	}
	setProcs(max(now-n, 1), -n)
	if procs.added.Load() > 0 {
		return
	}
	procs.set.Store(0)
	if procs.ours {
		setDefaultProcs() // it may be another one by now, and Go follows the container's limit again
	}
}

// setDefaultProcs sets GOMAXPROCS to Go's default. Go asks which processors the calling thread may use, and that may
// be one only on the thread of a worker. A new goroutine is never on such a thread.
func setDefaultProcs() {
	done := make(chan struct{})
	go func() {
		runtime.SetDefaultGOMAXPROCS()
		close(done)
	}()
	<-done
}

// setProcs sets GOMAXPROCS to so many, of which the pools' part changes by n.
func setProcs(to, n int) {
	runtime.GOMAXPROCS(to)
	procs.set.Store(int32(to))
	procs.added.Add(int32(n))
}

// others returns GOMAXPROCS without what pools have added. While a pool adds to it, or takes back, the
// result may be wrong by that number, as the words change one after the other. So it only raises a suspicion.
func (r *raise) others() int {
	now := runtime.GOMAXPROCS(0)
	if int(procs.set.Load()) != now {
		return now
	}
	return now - int(procs.added.Load())
}

// settled is others when nobody changes it: for whatever stays as it is until GOMAXPROCS changes again. It waits for a
// lock, so it is not for the frame goroutine.
func (r *raise) settled() int {
	procs.Lock()
	defer procs.Unlock()
	return r.others()
}

// backgroundWanted returns how many background workers there will be.
func (p *Pool) backgroundWanted() int {
	n := p.opt.Background
	if n == 0 || !threads {
		return 0
	}
	if n < 0 {
		n = backgroundFor(runtime.NumCPU(), p.granted())
	}
	var err error
	if p.lowest, err = tryLower(); err != nil {
		p.note("background workers: " + err.Error())
		return 0
	}
	return n
}

// tryLower finds out, on a thread that dies for it, how far threads can be lowered here.
func tryLower() (class osthread.Class, err error) {
	done := make(chan struct{})
	osthread.Go(func() {
		class, err = osthread.Lower()
		close(done)
	})
	<-done
	return class, err
}
