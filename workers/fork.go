package workers

import (
	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/sleep"
	"github.com/frameslice/frameslice/internal/where"
)

// Fork offers j to other workers while the calling job continues. The job must Join or Unfork every fork, in the
// reverse order, before it returns; Label and Priority of j do not matter. Fork and Unfork together take about 3 ns. If
// the job panics, its forks run all the same and may outlast it. To prevent that, defer Join.
func (w *Worker) Fork(j *Job) {
	if j.at() == fresh && w.hunger.Load() == 0 && w.forks.TryPush(j) {
		return
	}
	w.forkSlow(j)
}

func (w *Worker) forkSlow(j *Job) {
	if j.at() != fresh && !j.move(finished, fresh) {
		panic("workers: Fork of a job that is " + j.at().String())
	}
	j.thief.Store(0) // it may be left from a fork that nobody joined
	w.forks.Push(j)
	if w.hunger.Load() != 0 && w.forks.AllTaken() {
		w.offer()
	}
}

// offer shares forks with workers that have nothing to do: joiners of a fork that this worker has stolen, and workers
// that look for work or sleep.
func (w *Worker) offer() {
	c := w.class
	if !c.forked.Load() {
		c.forked.Store(true) // before the first shared fork is visible
	}
	w.forks.PublishHalf()
	c.wakeForForks(w.index) // F2
}

// Unfork takes back the fork j, the job's newest, and reports whether it could. If so, the caller does j's work itself.
// If not, the caller must Join j. It takes about 1 ns.
func (w *Worker) Unfork(j *Job) bool {
	if top, ok := w.forks.Private(); !ok || top != j {
		return false
	}
	w.forks.Drop() // the slot is wiped before the next sleep, or used again
	return true
}

// Join returns when the fork j has ended. If nobody stole it, which is the rule, Join calls j.Func right here. If it
// was stolen, Join meanwhile runs forks of the thief only. Join of a job that is not forked, or joined already, may
// never return.
func (w *Worker) Join(j *Job) {
	if w.Unfork(j) {
		j.Func(w)
		return
	}
	w.joinSlow(j)
}

func (w *Worker) joinSlow(j *Job) {
	if j == nil {
		panic("workers: Join of a nil Job")
	}
	for {
		top, ok := w.forks.Pop()
		if !ok {
			break
		}
		if top == j {
			j.Func(w)
			return
		}
		w.nested.runFork(top) // a fork that was forgotten on top of j
	}
	if w.class == nil {
		panic("workers: Join of a job that was not forked here")
	}
	w.awaitFork(j)
	err := j.err
	j.err = nil
	j.thief.Store(0)
	j.set(fresh)
	if err == nil {
		return
	}
	pe, ok := err.(*PanicError)
	if !ok {
		pe = &PanicError{Value: err, Label: j.Label}
	}
	panic(pe)
}

// awaitFork helps the thief of j until j has ended. The joiner counts as hungry meanwhile, so that the thief, which may
// have all the work that is left, shares it.
func (w *Worker) awaitFork(j *Job) {
	var rung *atomic.Bool // true: the waiter that was added last has been called
	w.setHungry(true)
	for tries := 0; j.at() != finished; tries++ {
		fork, ok := w.robThief(j)
		if !ok && tries >= joinSpins {
			if rung == nil || rung.Load() {
				rung = w.ringFor(j)
			}
			fork, ok = w.joinSleep(j)
		}
		if !ok {
			sleep.Pause()
			continue
		}
		w.setHungry(false)
		w.stole(fork)
		w.nested.runFork(fork)
		w.setHungry(true)
		tries = 0
	}
	w.setHungry(false)
}

// ringFor has the end of j post to this worker (F3). The result becomes true when it has.
func (w *Worker) ringFor(j *Job) *atomic.Bool {
	rung := new(atomic.Bool)
	j.notify(func() {
		rung.Store(true) // before the worker can look
		w.class.wakeJoiner(w)
	})
	return rung
}

// robThief takes a fork of the worker that has stolen j.
func (w *Worker) robThief(j *Job) (fork *Job, ok bool) {
	thief := w.class.slots[w.thiefOf(j)].Load()
	if thief == w {
		return nil, false
	}
	for {
		fork, ok, retry := thief.forks.Steal()
		if !retry {
			return fork, ok
		}
	}
}

// stole stores in a fork that this worker has it now (F4).
func (w *Worker) stole(fork *Job) {
	w.ledger.stolen++
	fork.thief.Store(int32(w.index) + 1)
}

// unknownThief is in Worker.awaits while no thief has stored yet that it has the fork.
const unknownThief = -1

// joinSleep sleeps until j has ended, or its thief offers forks, or for no reason (F1 to F4). If it can take a fork of
// the thief at once, it returns that fork instead.
func (w *Worker) joinSleep(j *Job) (fork *Job, ok bool) {
	c, bit := w.class, uint64(1)<<w.index
	w.awaits.Store(j.thief.Load() - 1) // unknownThief, if no thief has stored its index yet
	c.joining.Or(bit)                  // F1
	if fork, ok = w.robThief(j); !ok {
		w.sleeper.Wait()
	}
	c.joining.And(^bit)
	return fork, ok
}

// setHungry counts the worker as one that would take others' forks, or stops counting it.
func (w *Worker) setHungry(yes bool) {
	if w.hungry == yes {
		return
	}
	w.hungry = yes
	if yes {
		w.hunger.Add(1)
	} else {
		w.hunger.Add(-1)
	}
}

// thiefOf returns the index of the worker that has stolen j, or w's own if no thief is known.
func (w *Worker) thiefOf(j *Job) int {
	if at := int(j.thief.Load()) - 1; at >= 0 {
		return at
	}
	return w.index
}

// runLeftForks runs the forks that a job has not joined, because it panicked or forgot to.
func (w *Worker) runLeftForks() {
	for {
		j, ok := w.forks.Pop()
		if !ok {
			return
		}
		w.nested.runFork(j)
	}
}

// nested runs forks within another job of its worker. They have a coroutine of their own: a panic or a runtime.Goexit
// must not reach that job. While one runs, that coroutine is where the worker is (Worker.goid).
type nested struct {
	w    *Worker
	c    carrier.Carrier
	body func()  // carryOwn, made once
	job  *Job    // carryOwn runs it
	home *Worker // on this worker
}

func (n *nested) init(w *Worker, kind where.Kind) {
	n.w = w
	n.c.At.Kind, n.c.At.Owner = kind, w.pool
}

// runFork runs j. It allocates only if it is called within such a fork.
func (n *nested) runFork(j *Job) {
	n.w.ledger.runs++
	home := n.w.home()
	c, body := &n.c, n.body
	switch {
	case c.Busy():
		c = new(carrier.Carrier)
		c.At.Kind, c.At.Owner = n.c.At.Kind, n.w.pool
		defer c.Close()
		body = func() { n.carryFork(j, home) }
	case body == nil:
		body = n.carryOwn
		n.body = body
	}
	if c == &n.c {
		n.job, n.home = j, home
	}
	switch c.Run(j.Label, body) {
	case carrier.Panicked:
		n.w.pool.failures.caught(c, jobItem(j))
	case carrier.Exited:
		j.finish(ErrGoexit)
	default:
		j.finish(nil)
	}
}

// carryOwn runs on n.c.
func (n *nested) carryOwn() {
	j, home := n.job, n.home
	n.job, n.home = nil, nil
	n.carryFork(j, home)
}

// carryFork runs on a carrier.
func (n *nested) carryFork(j *Job, home *Worker) {
	if home != nil {
		outer := home.goid.Load()
		home.goid.Store(where.ID())  // for workerHere
		defer home.goid.Store(outer) // before this goroutine ends; outer's waits meanwhile
	}
	w := n.w
	r := w.trace(jobItem(j))
	defer r.End()
	if w.profiler != nil && w.profiler.log != nil { // otherwise the carrier has the label of the job before
		w.profiler.tag(w.pool.kinds.kindOf(jobItem(j)))
	}
	j.Func(w)
}
