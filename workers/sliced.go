package workers

import (
	"context"
	"runtime"
	"runtime/trace"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
	"github.com/frameslice/frameslice/internal/where"
)

// A sliced is a job of a pool without workers that RunUntil began and that may be continued by later calls,
// when it calls Worker.Yield. So a long job does not freeze a frame even where there is nobody else to run
// it.
//
// It has a goroutine of its own, with which RunUntil takes turns over two channels (some 300 ns a turn, where
// a coroutine takes 60): a coroutine may only be resumed under the thread lock of the goroutine that created
// it, and RunUntil may be called by any. The pool keeps some that have no job for the next ones.
type sliced struct {
	w      Worker
	it     item
	resume chan bool // true: go on; false: unwind, or end if there is no job
	back   chan bool // true: the job has ended
	err    error
	whole  bool // the job has returned, so the goroutine goes on
	ending bool // the job is being unwound, by drop

	asked   deadline.Instant // when the job was last told to go on, or its turn began
	stretch time.Duration    // the longest one of this turn in which the job could not have been stopped
}

// begin starts a job that has been claimed. It runs at the first turn.
func (p *Pool) begin(it item, lane int) *sliced {
	var s *sliced
	for i := range p.spares {
		if p.spares[i].Load() != nil {
			if s = p.spares[i].Swap(nil); s != nil {
				break
			}
		}
	}
	if s == nil {
		s = &sliced{resume: make(chan bool), back: make(chan bool)}
		s.w.pool = p
		s.w.index = -1
		s.w.hunger = &s.w.calm
		s.w.slice = s
		s.w.fork.At.Kind, s.w.fork.At.Owner = where.Job, p
		go s.main()
	}
	s.it, s.err, s.whole, s.ending = it, nil, false, false
	if p.guestBook != nil {
		p.guestBook.begin(lane, it)
	}
	s.w.lane = lane
	s.w.lowered = false
	s.w.cur = it
	return s
}

// keep puts an s without a job aside for the next one, or ends it.
func (p *Pool) keep(s *sliced) {
	s.it, s.w.cur = item{}, item{}
	for i := range p.spares {
		if p.spares[i].CompareAndSwap(nil, s) {
			if p.state.Load() == gone {
				p.endSpares() // which may have been done before this one was here
			}
			return
		}
	}
	s.resume <- false
}

// endSpares ends the goroutines that have no job.
func (p *Pool) endSpares() {
	for i := range p.spares {
		if s := p.spares[i].Swap(nil); s != nil {
			s.resume <- false
		}
	}
}

func (s *sliced) main() {
	defer where.Enter(where.Job, s.w.pool).Leave()
	for <-s.resume {
		if !s.run() {
			return
		}
	}
}

// run runs one job, and reports its end, and whether the goroutine goes on. After the report s may be another
// job's: so what it returns is its own.
func (s *sliced) run() (whole bool) {
	defer func() {
		// A panic may hide a Goexit, which goes on when it has been recovered: only who returned is whole.
		if s.whole = whole; !whole {
			v := recover()
			switch {
			case v == nil && s.ending:
				s.err = ErrClosed
			case v == nil:
				s.err = ErrGoexit
			default:
				s.w.pool.panicked.Add(1)
				s.err = fault.Capture(s.w.pool.nameOf(s.it), v)
			}
		}
		s.w.runLeftForks()
		s.w.fork.Close()
		s.back <- true
	}()
	if trace.IsEnabled() {
		defer trace.StartRegion(context.Background(), s.w.pool.nameOf(s.it)).End()
	}
	s.it.job().Func(&s.w)
	return true
}

// yield ends a turn, and returns at the beginning of the next. A job that is dropped it ends by a Goexit, since a panic
// could be recovered by the job, which would go on, or taken for one of its own by whatever it is within.
func (s *sliced) yield() {
	s.back <- false
	if !<-s.resume {
		s.ending = true
		runtime.Goexit()
	}
}

// turn lets the job run until it yields or ends, finishes it in that case, and reports which. What its kind
// is learned to cost is the longest stretch of the turn in which it did not ask whether to yield: how long the turn is
// depends on how much time there was, and only that stretch has to fit.
func (s *sliced) turn(g *gauge, until deadline.Deadline) (ended bool) {
	p := s.w.pool
	s.w.until = until
	begin := deadline.Now()
	s.asked, s.stretch = begin, 0
	s.resume <- true
	ended = <-s.back
	now := deadline.Now()
	g.observe(max(s.stretch, now.Sub(s.asked)))
	if p.guestBook != nil && (!ended || s.err == nil) {
		runs := uint64(0)
		if ended {
			runs = 1
		}
		g.kind.Count(now.Sub(begin), runs)
	}
	if ended {
		p.byCaller.Add(1)
		s.end()
	}
	return ended
}

// shouldYield is Worker.ShouldYield. What follows a yes, until the job does yield, belongs to the stretch before.
func (s *sliced) shouldYield() bool {
	now := deadline.Now()
	if s.w.until.ExceededAt(now) {
		return true
	}
	s.asked, s.stretch = now, max(s.stretch, now.Sub(s.asked))
	return false
}

// end finishes the job, which has ended.
func (s *sliced) end() {
	j, err := s.it.job(), s.err
	j.slice = nil
	if s.whole {
		s.w.pool.keep(s)
	}
	j.finish(err)
}

// drop ends a job that waits for its next turn.
func (s *sliced) drop() {
	s.resume <- false
	for !<-s.back {
		s.resume <- false // a deferred call yields
	}
	s.w.pool.dropped.Add(1)
	s.w.pool.lost.Add(1)
	s.end()
}

// goOn gives a job that is between two turns its turn, and reports whether it ended.
func (h *caller) goOn(l *lane, it item, d deadline.Deadline) (ended bool) {
	if ended = it.job().slice.turn(h.w.gauges.find(&h.w.pool.kinds, it), d); !ended {
		l.putBack(it)
		h.w.pool.noneIfGone()
	}
	return ended
}

// continueHere gives a job that has yielded one turn, because somebody waits for it and RunUntil may not be
// called meanwhile, and reports whether it did.
func (p *Pool) continueHere(ctx context.Context, j *Job) bool {
	if ctx != nil && ctx.Err() != nil {
		return false
	}
	l := &p.lanes[j.Priority.Lane()]
	if l.extra.Load()&useYielded == 0 || l.yielded.Empty() {
		return false
	}
	if !p.inside() {
		p.enter()
		defer p.leave()
	}
	defer p.noneIfGone() // what is put back below was out of sight
	for n := l.yielded.Size(); n > 0; n-- {
		it, ok := l.yielded.Pop()
		if !ok {
			return false
		}
		if it.job() != j {
			l.yielded.Push(it)
			continue
		}
		h := p.borrow()
		defer p.giveBack(h)
		h.goOn(l, it, deadline.Deadline{})
		return true
	}
	return false
}

// Yield lets other work go first, if there is any that should. In a RunUntil of a pool without workers it gives the
// frame back, and returns when a later RunUntil, or Wait or Close, continues the job; a job there should call it
// whenever ShouldYield says so, and not more often, since it gets one turn in each call. If Close gives that job up
// meanwhile, Yield does not return, but ends the job, with ErrClosed, as runtime.Goexit does: its deferred calls run,
// each until it yields itself, and if one panics that is the job's error. On a worker, it helps the loops that a frame
// waits for, runs what waits in more urgent lanes, and returns. Elsewhere it does nothing. Only the job that w was
// given to may call it.
//
// What runs within Yield on a worker may wait for the job that yields, by Wait of a Job, Future or Group: then that one
// goes on first, and who waits when it has ended; until then nobody looks at the context of such a Wait unless the job
// yields again, or waits in Wait, Scope or Close. But if it waits for something else that waits for the job that
// yields, as a job of another worker, all of them wait for ever, though not in a circle; and so if it waits for that
// job by other means, as a channel, or for a mutex that it holds.
func (w *Worker) Yield() {
	if w.slice != nil {
		w.slice.yield()
		return
	}
	if w.crew == nil {
		return
	}
	var h *caller
	defer func() { // deferred, as OnPanic may panic
		if h != nil {
			w.pool.giveBack(h)
		}
	}()
	if len(w.aside) > 0 {
		w.resumeAside() // a context may be done
	}
	if !w.crew.low {
		w.helpLoops(&h)
	}
	for _, lane := range w.crew.lanes {
		for lane < w.lane {
			it, ok := w.pool.lanes[lane].pop()
			if !ok && w.pool.lanes[lane].extra.Load()&useLocal != 0 {
				it, ok = w.pool.rob(lane)
			}
			if !ok {
				break
			}
			if it.job() != nil && !it.job().claimFrom(w.pool, w.crew) {
				continue
			}
			if h == nil {
				h = w.borrowWithin()
			}
			if !h.run(it, lane) {
				h = nil
			}
		}
	}
}
