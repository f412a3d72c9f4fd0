package workers

import (
	"fmt"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
	"github.com/frameslice/frameslice/internal/fault"
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
	defer where.Enter(where.Worker, w.pool).Leave() // this goroutine's: the worker may go on on another one
	if w.locked() {
		w.pool.dress(w)
	}
	for {
		w.clean = false // the worker's last goroutine may have left it true
		w.moveIn()
		for !w.serve() {
		}
		if w.carried {
			w.handOver()
			return
		}
		w.fork.Close()
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
	w.fork.Close()
	w.moveOut()
	w.launch()
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
	if err := p.bind(w); err != nil {
		p.note("affinity: " + err.Error())
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
	if at := w.started.Load(); at != 0 {
		w.started.Store(0)
		now := deadline.Now()
		d := now.Sub(deadline.Instant(at))
		w.busyNS += int64(d)
		_, latest := w.meter.judge(d, now)
		w.shown.Latest.Note(latest)
		if w.waiting.Load() != 0 {
			w.endWaiting()
		}
	}
	w.publish()
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
	w.pool.failed(it, v)
	again = v != nil
}

// failed ends an item that panicked with v, or called Goexit if v is nil. It must be called by the deferred
// function that recovered.
func (p *Pool) failed(it item, v any) {
	if v != nil {
		p.panicked.Add(1)
		p.blame(it, fault.Capture(p.nameOf(it), v))
	} else if it.job() != nil {
		it.job().finish(ErrGoexit)
	}
}

// blame ends an item that panicked. OnPanic comes last, as it may not return, or may call Close.
func (p *Pool) blame(it item, pe *PanicError) {
	owned := false
	if j := it.job(); j != nil {
		switch j.exec.(type) { // before the end, after which j may be used again
		case *function:
		default:
			owned = true
		}
		j.finish(pe)
	}
	if !owned {
		p.unhandled(pe)
	}
}

// caught returns the panic of an item that ran on c. The item's name is looked for only now, as that takes longer than
// a brief job.
func (p *Pool) caught(c *carrier.Carrier, it item) *PanicError {
	if c.Own && c.Panic.Label == "" {
		c.Panic.Label = p.nameOf(it)
	}
	return c.Panic
}

// unhandled deals with a panic that has no owner.
func (p *Pool) unhandled(pe *PanicError) {
	if h := p.opt.OnPanic; h != nil {
		h(pe)
		return
	}
	// On a goroutine of its own, where nobody can recover it: as if the job had been a goroutine.
	go func() { panic(crash{pe}) }()
}

// crash is a PanicError whose text has the stack, because the process ends and prints nothing else of it.
type crash struct{ *PanicError }

func (c crash) Error() string { return c.PanicError.Error() + "\n\n" + string(c.Stack) }
