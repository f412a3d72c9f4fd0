package workers

import (
	"github.com/frameslice/frameslice/internal/carrier"
)

// Fork offers j to other workers while the calling job goes on. The job must Join every fork, in the reverse
// order, before it returns; Label and Priority of j do not matter. It takes about 3 ns together with its Join
// as long as nobody steals j, because the queue's private end takes no atomic operations: items are shared
// only when some worker has nothing else to do.
func (w *Worker) Fork(j *Job) {
	if j.state.Load() != uint32(Fresh) {
		w.forkAgain(j)
	}
	w.forks.push(item{job: j})
	if c := w.crew; c != nil && c.starving() && w.forks.starved() {
		w.offer()
	}
}

// offer shares forks with those who have nothing to do.
func (w *Worker) offer() {
	c := w.crew
	if !c.forked.Load() {
		c.forked.Store(true) // before the first is visible
	}
	w.forks.publishHalf()
	c.notify()
}

func (w *Worker) forkAgain(j *Job) {
	if !j.state.CompareAndSwap(uint32(Finished), uint32(Fresh)) {
		panic("workers: Fork of a job that is " + j.State().String())
	}
}

// Join returns when the fork j has ended. If nobody stole it, which is the rule, Join calls j.Func right
// here, like any function: panics and runtime.Goexit unwind the caller. If it was stolen and panicked, Join
// panics with its *PanicError, whose value is ErrGoexit if it called runtime.Goexit. While it waits for a
// stolen fork it helps the thief with forks of its own and with nothing else, so a short wait never becomes a
// long one.
func (w *Worker) Join(j *Job) {
	if d := &w.forks; d.top != d.split {
		if slot := &d.slots[(d.top-1)&d.mask]; slot.job == j {
			d.top--
			*slot = item{}
			j.Func(w)
			return
		}
	}
	w.joinSlow(j)
}

func (w *Worker) joinSlow(j *Job) {
	for {
		it, ok := w.forks.pop()
		if !ok {
			break
		}
		if it.job == j {
			j.Func(w)
			return
		}
		w.runFork(it.job) // a fork that was forgotten on top of j
	}
	if w.crew == nil {
		panic("workers: Join of a job that was not forked here")
	}
	for tries := 0; State(j.state.Load()) != Finished; tries++ {
		if thief := w.crew.slots[w.thiefOf(j)].Load(); thief != nil && thief != w {
			if it, ok, _ := thief.forks.steal(); ok {
				w.stolen++
				it.job.thief.Store(int32(w.index) + 1)
				w.runFork(it.job)
				tries = 0
				continue
			}
		}
		if tries < joinSpins {
			spin()
			continue
		}
		j.notify(w.bed.post)
		for State(j.state.Load()) != Finished {
			w.bed.wait()
		}
	}
	err := j.err
	j.err = nil
	j.thief.Store(0)
	j.state.Store(uint32(Fresh))
	if err == nil {
		return
	}
	pe, ok := err.(*PanicError)
	if !ok {
		pe = &PanicError{Value: err, Label: j.Label}
	}
	panic(pe)
}

// joinSpins is how often a joiner looks before it sleeps: about 5 µs.
const joinSpins = 100

// thiefOf returns the index of the worker that has j, or any.
func (w *Worker) thiefOf(j *Job) int {
	if at := int(j.thief.Load()) - 1; at >= 0 {
		return at
	}
	return w.index
}

// runLeftForks runs the forks that a job has not joined, because it panicked, or forgot.
func (w *Worker) runLeftForks() {
	for {
		it, ok := w.forks.pop()
		if !ok {
			return
		}
		w.runFork(it.job)
	}
}

// runFork runs a fork within another job of this worker, which its panic or Goexit must not reach.
func (w *Worker) runFork(j *Job) {
	c := &w.fork
	if c.Busy() {
		c = new(carrier.Carrier)
		defer c.Close()
	}
	w.runs++
	f := func() { j.Func(w) }
	if home := w.home(); home != nil && w.pool.opt.Bound > 0 {
		f = func() {
			outer := home.goid.Load()
			home.goid.Store(goid()) // for workerHere
			defer home.goid.Store(outer)
			j.Func(w)
		}
	}
	switch c.Run(j.Label, f) {
	case carrier.Panicked:
		w.pool.panicked.Add(1)
		j.finish(c.Panic)
	case carrier.Exited:
		j.finish(ErrGoexit)
	default:
		j.finish(nil)
	}
}
