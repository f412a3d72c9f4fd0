package workers

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/costs"
	"github.com/frameslice/frameslice/internal/osthread"
	"github.com/frameslice/frameslice/internal/park"
	"github.com/frameslice/frameslice/internal/where"
)

// launch gives the worker a goroutine, and a thread of its own if it needs one.
func (w *Worker) launch() {
	if w.locked() {
		osthread.Go(w.main)
		return
	}
	go w.main()
}

// main is a worker's goroutine.
func (w *Worker) main() {
	defer where.Enter(where.Worker, w.pool).Leave() // this goroutine's: the worker may continue on another one
	if w.locked() {
		w.pool.dress(w)
	}
	w.work()
}

// work runs jobs until the worker leaves, or continues on another goroutine.
func (w *Worker) work() {
	for {
		w.clean = false // the worker's last goroutine may have left it true
		w.moveIn()
		for !w.serve() {
		}
		if w.carried {
			w.handOver()
			return
		}
		w.nested.c.Close()
		if !w.pool.depart(w) {
			return
		}
		if w.class.low {
			w.lower()
		}
	}
}

// moveIn notes that this goroutine, and its thread, are the worker's. moveOut notes that they are not any more.
//
// The runtime uses the number of a goroutine that has ended again, and the system that of a thread. A goroutine of the
// program that got the worker's number would be taken for the worker. So a goroutine moves out before it ends, and
// before it starts another one for the worker.
func (w *Worker) moveIn() {
	w.goid.Store(where.ID())
	if w.class.low {
		w.thread.Store(int64(osthread.ID()))
	}
}

func (w *Worker) moveOut() {
	w.goid.Store(0)
	w.thread.Store(0)
}

// handOver starts another goroutine for the worker. The caller's then ends, and touches nothing of the worker any more.
func (w *Worker) handOver() {
	w.nested.c.Close()
	w.moveOut()
	w.pool.launch(w)
}

func (w *Worker) locked() bool {
	return w.class.low || w.pool.opt.Pin != 0
}

// dress prepares the thread of a locked worker. If the system refuses, the pool notes that, and the worker does
// without. The name and the short slice are not noted, as older systems do not have them.
func (p *Pool) dress(w *Worker) {
	name := "fs-worker-"
	if w.class.low {
		name = "fs-backgr-"
		w.osClass.Store(uint32(osthread.Ordinary))
		w.lower()
	}
	if !w.class.low && w.way == park.Syscall {
		_ = osthread.ShortSlice() // else a worker may not run before the time slice of its waker is over
	}
	if err := p.machine.bind(w.index, w.class.low); err != nil {
		p.machine.notes.add("affinity: " + err.Error())
	}
	_ = osthread.Name(name + fmt.Sprint(w.index)) // only for people: nothing to note
}

// rescue, which serve defers, ends the job that did not return, and keeps the worker in service. After a panic main
// calls serve again. A Goexit, also in OnPanic, cannot be stopped, so a new goroutine takes the worker over.
func (w *Worker) rescue() {
	if w.clean {
		return
	}
	v := recover()
	it, lane := w.cur, w.lane
	w.runLeftForks() // before the job ends: a goroutine that waits for it must not see forks begin later
	w.cur = item{}
	if now := deadline.Now(); w.seen.begun() != 0 {
		_, latest := w.ledger.meter.judge(w.ledger.clockOut(now), now)
		w.shown.Latest.Note(latest)
		if w.waiting.Load() != 0 {
			w.endWaiting()
		}
	}
	w.ledger.publish()
	w.region.End()
	if w.holdsCap {
		w.releaseCap()
	}
	if lane == forkLane {
		w.lane = 0
	}
	again := false
	defer func() {
		if !again {
			w.handOver()
		}
	}()
	w.pool.failures.failed(it, v)
	again = v != nil
}

// hire is class.hire.
func (p *Pool) hire(c *class, i int) {
	w := c.slots[i].Load()
	if w == nil {
		w = c.newWorker(i)
	}
	p.start(w)
}

// newWorker makes the i-th worker, which has no goroutine.
func (c *class) newWorker(i int) *Worker {
	p := c.pool
	w := &Worker{pool: p, class: c, index: i, hunger: &c.hunger}
	w.ledger.init(&w.seen)
	w.ledger.gauges = new(costs.Gauges[struct{}])
	w.nested.init(w, where.Worker)
	w.profiler = newProfiler(p.opt)
	w.find.init(w)
	parker, kind := park.New(p.machine.parking(), c.low)
	w.way = kind
	if pr := w.profiler; pr != nil {
		w.sleeper.OnWake = pr.wakeSent
	}
	w.sleeper.Join(&c.sleep, i, searcher{w}, parker, kind)
	c.park.Store(uint32(kind))
	c.slots[i].Store(w)
	c.used.Store(int32(i) + 1)
	return w
}

// start starts the worker's goroutine unless it has one, or the pool is gone: C3.
func (p *Pool) start(w *Worker) {
	if !w.alive.CompareAndSwap(false, true) {
		return
	}
	p.live.Add(1)
	p.activity.Add(oneMoreActive)
	if p.state.Load() != gone {
		p.launch(w)
		return
	}
	w.alive.Store(false)
	p.activityEnds()
	p.countOut()
}

// depart ends a worker. If the worker is wanted again meanwhile, depart keeps it and reports true.
func (p *Pool) depart(w *Worker) (stay bool) {
	w.moveOut()
	// Last: from here on the worker may be another goroutine's.
	w.alive.Store(false)
	wanted := w.class.want.Load() > int32(w.index) && p.state.Load() != gone
	if wanted && w.alive.CompareAndSwap(false, true) {
		return true
	}
	if w.class.want.Load() == 0 { // E3
		p.wakeRunners() // the worker may have left a job
		w.class.wakeAll()
	}
	p.activityEnds()
	p.countOut()
	return false
}

// serve runs jobs until the worker shall leave, and then returns true. A panic ends serve, too.
func (w *Worker) serve() (leave bool) {
	defer w.rescue()
	for {
		if w.carried {
			w.carried = false
		} else if !w.obtain() {
			w.ledger.publish() // it may have run jobs since its last sleep
			w.clean = true
			return true
		}
		if w.mustChangeThread() {
			w.carried, w.clean = true, true
			return true
		}
		if l := w.joined; l != nil {
			w.joined = nil
			w.ledger.breakStretch()
			w.help(l)
			continue
		}
		if w.lane != forkLane {
			if w.class.low {
				w.waitForFrame()
			}
			if w.pool.machine.quota.Bucket.On() {
				w.waitForQuota()
			}
			if w.pool.state.Load() == gone {
				// Close has given up meanwhile, and could not see this item. Or a job that still runs has submitted it.
				w.pool.failures.drop(w.cur, &w.pool.lanes[w.lane])
				w.cur = item{}
				if w.holdsCap {
					w.releaseCap()
				}
				continue
			}
		}
		w.run()
	}
}

// obtain takes work into cur or joined, or returns false if the worker shall leave.
func (w *Worker) obtain() bool {
	if w.pool.state.Load() == gone {
		w.dropAll()
		return false
	}
	if w.isUnwanted() && w.retire() {
		return false
	}
	w.standApart()
	return w.find.findWork() || w.sleep()
}

// retire prepares a worker that is between two jobs, and not wanted any more, to leave. It publishes the worker's
// private items and tells sleepers of visible work. It reports whether the worker may leave.
func (w *Worker) retire() bool {
	if !w.forks.Empty() {
		return false // of a job that has not joined them: findWork runs them first
	}
	w.publishOwn()
	if w.mustDrainFirst() {
		return false // E3
	}
	w.class.wakeInStead()
	return true
}
