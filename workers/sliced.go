package workers

import (
	"context"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/fault"
)

// A sliced is a job of a pool without workers that RunUntil began and that may be continued by later calls,
// when it calls Worker.Yield. So a long job does not freeze a frame even where there is nobody else to run
// it.
//
// It has a goroutine of its own, with which RunUntil takes turns over two channels (some 300 ns a turn, where
// a coroutine takes 60): a coroutine may only be resumed under the thread lock of the goroutine that created
// it, and RunUntil may be called by any.
type sliced struct {
	w      Worker
	it     item
	lane   int
	resume chan bool // true: go on; false: unwind
	back   chan bool // true: it has ended
	err    error
}

// begin starts a job that has been claimed. It runs at the first turn.
func (p *Pool) begin(it item, lane int) *sliced {
	s := &sliced{it: it, lane: lane, resume: make(chan bool), back: make(chan bool)}
	s.w.pool = p
	s.w.index = -1
	s.w.slice = s
	s.w.lane = lane
	s.w.cur = it
	go s.main()
	return s
}

func (s *sliced) main() {
	returned := false
	defer func() {
		if !returned {
			v := recover()
			switch {
			case v == nil:
				s.err = ErrGoexit
			case v == any(s): // unwound by drop
				s.err = ErrClosed
			default:
				s.w.pool.panicked.Add(1)
				s.err = fault.Capture(s.it.job.Label, v)
			}
		}
		s.w.runLeftForks()
		s.w.fork.Close()
		s.back <- true
	}()
	s.wait()
	s.it.job.Func(&s.w)
	returned = true
}

// wait waits for the next turn.
func (s *sliced) wait() {
	if !<-s.resume {
		panic(any(s))
	}
}

// yield ends a turn.
func (s *sliced) yield() {
	s.back <- false
	s.wait()
}

// turn lets the job run until it yields or ends, finishes it in that case, and reports which. What its kind
// is learned to cost is what a turn costs, since that is what has to fit into a frame.
func (s *sliced) turn(g *gauge, until deadline.Deadline) (ended bool) {
	p := s.w.pool
	s.w.until = until
	start := deadline.Now()
	s.resume <- true
	ended = <-s.back
	g.observe(deadline.Now().Sub(start))
	if ended {
		p.byCaller.Add(1)
		s.it.job.finish(s.err)
	}
	return ended
}

// drop ends a job that waits for its next turn.
func (s *sliced) drop() {
	s.resume <- false
	for !<-s.back {
		s.resume <- false // a deferred call yields
	}
	s.w.pool.dropped.Add(1)
	s.it.job.finish(s.err)
}

// goOn gives a job that is between two turns its turn, and reports whether it ended.
func (h *caller) goOn(l *lane, it item, d deadline.Deadline) (ended bool) {
	if ended = it.job.slice.turn(h.w.gauges.find(&h.w.pool.kinds, it), d); !ended {
		l.putBack(it)
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
	for n := l.yielded.size(); n > 0; n-- {
		it, ok := l.yielded.pop()
		if !ok {
			return false
		}
		if it.job != j {
			l.yielded.push(it)
			continue
		}
		h := p.borrow()
		h.goOn(l, it, deadline.Deadline{})
		p.giveBack(h)
		return true
	}
	return false
}

// Yield lets other work go first, if there is any that should. In a RunUntil of a pool without workers it
// gives the frame back, and returns when a later RunUntil, or Wait or Close, continues the job; a job there
// should call it whenever ShouldYield says so, and not more often, since it gets one turn in each call. On a
// worker, it runs what waits in more urgent lanes, and returns. Elsewhere it does nothing. Only the job that
// w was given to may call it.
func (w *Worker) Yield() {
	if w.slice != nil {
		w.slice.yield()
		return
	}
	if w.crew == nil {
		return
	}
	var h *caller
	for _, lane := range w.crew.lanes {
		for lane < w.lane {
			it, ok := w.pool.lanes[lane].pop()
			if !ok {
				break
			}
			if it.job != nil && !it.job.claim() {
				continue
			}
			if h == nil {
				h = w.pool.borrow()
				h.w.until = deadline.Deadline{}
			}
			h.run(it, lane)
		}
	}
	if h != nil {
		w.pool.giveBack(h)
	}
}
