package workers

import (
	"math/bits"

	"github.com/frameslice/frameslice/internal/carrier"
)

// Fork offers j to other workers while the calling job goes on. The job must Join or Unfork every fork, in the
// reverse order, before it returns; Label and Priority of j do not matter. It takes about 3 ns together with
// Unfork as long as nobody steals j, because the queue's private end takes no atomic operations: items are
// shared only when some worker has nothing else to do.
func (w *Worker) Fork(j *Job) {
	d := &w.forks
	if d.top != d.limit && j.state.Load() == uint32(Fresh) && w.hunger.Load() == 0 {
		d.slots[d.top&d.mask] = j
		d.top++
		return
	}
	w.forkSlow(j)
}

func (w *Worker) forkSlow(j *Job) {
	if j.state.Load() != uint32(Fresh) && !j.state.CompareAndSwap(uint32(Finished), uint32(Fresh)) {
		panic("workers: Fork of a job that is " + j.State().String())
	}
	w.forks.push(j)
	if w.hunger.Load() != 0 && w.forks.starved() {
		w.offer()
	}
}

// offer shares forks with those who have nothing to do: who waits for a fork that this worker has stolen, and
// who looks for work or sleeps.
func (w *Worker) offer() {
	c := w.crew
	if !c.forked.Load() {
		c.forked.Store(true) // before the first is visible
	}
	w.forks.publishHalf()
	if m := c.joining.Load(); m != 0 { // F2
		c.wakeJoiners(m, w.index)
	}
	c.notify()
}

// Unfork takes the fork j, the newest that the calling job has neither joined nor unforked, back, and reports
// whether it could: then the caller does j's work itself, most often by calling what j.Func would have called,
// which is faster than the call through j that Join makes. Otherwise others have been offered j, and the caller
// must Join it. It is inlined, and takes about 1 ns.
func (w *Worker) Unfork(j *Job) bool {
	d := &w.forks
	if d.top == d.split || d.slots[(d.top-1)&d.mask] != j {
		return false
	}
	d.top-- // the slot is wiped before the next sleep, or used again
	return true
}

// Join returns when the fork j has ended. If nobody stole it, which is the rule, Join calls j.Func right
// here, like any function: panics and runtime.Goexit unwind the caller. If it was stolen and panicked, Join
// panics with its *PanicError, whose value is ErrGoexit if it called runtime.Goexit. While it waits for a
// stolen fork it helps the thief with forks of its own and with nothing else, so a short wait never becomes a
// long one.
func (w *Worker) Join(j *Job) {
	if w.Unfork(j) {
		j.Func(w)
		return
	}
	w.joinSlow(j)
}

func (w *Worker) joinSlow(j *Job) {
	for {
		top, ok := w.forks.pop()
		if !ok {
			break
		}
		if top == j {
			j.Func(w)
			return
		}
		w.runFork(top) // a fork that was forgotten on top of j
	}
	if w.crew == nil {
		panic("workers: Join of a job that was not forked here")
	}
	w.awaitFork(j)
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

// awaitFork helps the thief of j until j has ended. It counts as hungry meanwhile, so that the thief, which has
// all the work that is left, shares it.
func (w *Worker) awaitFork(j *Job) {
	told := false
	w.setHungry(true)
	for tries := 0; State(j.state.Load()) != Finished; tries++ {
		fork, ok := w.robThief(j)
		if !ok && tries >= joinSpins {
			if !told {
				told = true
				j.notify(w.bed.post)
			}
			fork, ok = w.joinSleep(j)
		}
		if !ok {
			spin()
			continue
		}
		w.setHungry(false)
		w.stolen++
		fork.thief.Store(int32(w.index) + 1)
		w.runFork(fork)
		w.setHungry(true)
		tries = 0
	}
	w.setHungry(false)
}

// robThief takes a fork of whoever has stolen j.
func (w *Worker) robThief(j *Job) (fork *Job, ok bool) {
	thief := w.crew.slots[w.thiefOf(j)].Load()
	if thief == nil || thief == w {
		return nil, false
	}
	for {
		fork, ok, retry := thief.forks.steal()
		if !retry {
			return fork, ok
		}
	}
}

// joinSleep sleeps until j has ended, its thief offers forks, or for no reason. If there are some already it
// returns one (F1 to F3).
func (w *Worker) joinSleep(j *Job) (fork *Job, ok bool) {
	c, bit := w.crew, uint64(1)<<w.index
	w.awaits.Store(int32(w.thiefOf(j)))
	c.joining.Or(bit) // F1
	if fork, ok = w.robThief(j); !ok && State(j.state.Load()) != Finished {
		w.bed.wait()
	}
	c.joining.And(^bit)
	return fork, ok
}

// wakeJoiners posts to those of m who sleep over a fork that the worker of the index has stolen. Who takes the
// bit out of joining posts, so each sleep costs one.
func (c *crew) wakeJoiners(m uint64, thief int) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		w := c.slots[i].Load()
		if int(w.awaits.Load()) == thief && c.joining.And(^(1<<i))&(1<<i) != 0 {
			w.bed.post()
		}
	}
}

// setHungry counts a worker that would take others' forks, or does not count it any more.
func (w *Worker) setHungry(yes bool) {
	if w.hungry == yes {
		return
	}
	w.hungry = yes
	if yes {
		w.crew.hunger.Add(1)
	} else {
		w.crew.hunger.Add(-1)
	}
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
		j, ok := w.forks.pop()
		if !ok {
			return
		}
		w.runFork(j)
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
