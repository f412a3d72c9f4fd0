package workers

import (
	"runtime"

	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/park"
)

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
	if p.opt.Pin != 0 && way == park.Syscall && p.granted() >= runtime.NumCPU() {
		n = min(ordinaries, runtime.NumCPU())
	}
	if backgrounds > 0 {
		n += backgrounds + spareProcs
	}
	return n
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
