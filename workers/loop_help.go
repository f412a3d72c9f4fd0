package workers

import (
	"math/bits"
	"runtime"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// inviting reports whether there are pieces left, to one who is within.
func (l *loop) inviting() bool {
	if g := l.graph; g != nil {
		return !g.ready.Empty()
	}
	return l.next.Load() < l.n
}

// roomy reports whether there is more left than one piece, to one who is within.
func (l *loop) roomy() bool { return l.graph != nil || l.n-l.next.Load() > l.min }

// enlist joins a loop of the set m that has pieces left, into w.joined.
func (w *Worker) enlist(m uint64) bool {
	c := w.class
	for ; m != 0; m &= m - 1 {
		l := c.loops[bits.TrailingZeros64(m)].Load()
		for {
			s := l.state.Load()
			if s&loopClosed != 0 {
				break
			}
			if l.state.CompareAndSwap(s, s+1) {
				if l.inviting() {
					w.joined = l
					return true
				}
				l.leave(false)
				break
			}
		}
	}
	return false
}

// help is a worker's part. A panic of the body is the caller's, and ends here; a Goexit ends the worker's
// goroutine, which rescue replaces.
func (l *loop) help(w *Worker) { l.helpAs(w, w) }

// helpAs is help where nodes of a graph get another Worker, because a job of w has that one.
func (l *loop) helpAs(w, as *Worker) {
	ended := false
	defer func() {
		if !ended {
			pe := &PanicError{Value: ErrGoexit, Label: l.who}
			if v := recover(); v != nil {
				pe = fault.Capture(l.who, v)
			}
			if l.graph == nil { // a node ends by itself, however it ends (WG5)
				l.fail.CompareAndSwap(nil, pe)
				l.next.Store(l.n)
			}
		}
		w.started.Store(0)
		w.runs++
		l.leave(!w.class.low)
	}()
	w.show(&w.pool.loopKind)
	start := deadline.Now()
	w.started.Store(int64(start))
	if l.graph != nil {
		l.graph.help(as)
	} else {
		l.work()
	}
	w.busyNS += int64(deadline.Now().Sub(start))
	ended = true
}

// leave takes a helper out. The last one of a loop whose caller sleeps wakes it, and makes way: the caller is
// next in this P's queue, and would otherwise wait there while the worker looks for more.
func (l *loop) leave(giveWay bool) {
	if l.state.Add(-1) == loopClosed|loopParked {
		l.done <- struct{}{}
		if giveWay {
			runtime.Gosched()
		}
	}
}

// helpLoops is what Yield does for loops that a frame waits for. The loop's pieces run on a carrier, so that a
// runtime.Goexit in one does not end the job that yields, and a graph's nodes get the carrier's Worker: this one is
// that job's, and jobs that share an index do not overlap.
func (w *Worker) helpLoops(h **visitor) {
	for {
		m := w.class.open.Load()
		if m == 0 || !w.enlist(m) {
			return
		}
		l := w.joined
		w.joined = nil
		if *h == nil {
			*h = w.borrowWithin()
		}
		started, shown, busy := w.started.Load(), w.shown, w.busyNS
		as := &(*h).w
		as.cur = funcItem(func() { l.helpAs(w, as) })
		(*h).loop = true
		if !(*h).after((*h).c.Run("ParallelFor", (*h).body)) {
			*h = nil
		}
		w.started.Store(started)
		w.busyNS = busy // the job's own time has it
		w.show(shown)
	}
}

// endLoop is what follows a helper's part that has run on h.
func (h *visitor) endLoop() {
	h.loop = false
	h.w.cur = item{}
	h.w.runLeftForks()
}

// borrowWithin returns a visitor for jobs that run within this worker's, which can do without them.
func (w *Worker) borrowWithin() *visitor {
	h := w.pool.borrow()
	h.w.until = deadline.Deadline{}
	h.w.lowered = w.low()
	h.w.host, h.nest.detachable = w, true
	return h
}
