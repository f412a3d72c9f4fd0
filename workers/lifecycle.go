package workers

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
)

// resize makes the number of a crew's workers what it should be. One goroutine at a time.
func (p *Pool) resize(c *crew, want int) {
	c.want.Store(int32(want))
	for i := range want {
		w := c.slots[i].Load()
		if w == nil {
			w = &Worker{pool: p, crew: c, index: i, rng: uint32(i)*2654435761 + 1, gauges: new(gauges)}
			w.bed, c.park = newParker(p.opt.Park, c.low)
			c.slots[i].Store(w)
			c.used.Store(int32(i) + 1)
		}
		p.start(w)
	}
	c.wakeAll() // those who have to leave
}

// start starts the worker's goroutine unless it has one.
func (p *Pool) start(w *Worker) {
	if !w.alive.CompareAndSwap(false, true) {
		return
	}
	p.live.Add(1)
	p.restless.Add(awoke)
	w.launch()
}

// depart ends a worker, unless it has been wanted again meanwhile: then it reports true.
func (p *Pool) depart(w *Worker) (stay bool) {
	w.alive.Store(false)
	if w.crew.want.Load() > int32(w.index) && w.alive.CompareAndSwap(false, true) {
		return true
	}
	w.goid.Store(0)
	p.settle()
	if p.live.Add(-1) == 0 && p.state.Load() == gone {
		p.lastOut()
	}
	return false
}

// lastOut gives back what the system lent, once.
func (p *Pool) lastOut() {
	if !p.out.CompareAndSwap(false, true) {
		return
	}
	for i := range p.crews {
		for k := range p.crews[i].used.Load() {
			p.crews[i].slots[k].Load().bed.close()
		}
	}
	p.procs.down()
	close(p.ended)
}

// followProcs adapts the number of workers to GOMAXPROCS, at most once a second.
func (p *Pool) followProcs(now deadline.Instant) {
	if p.opt.Workers != 0 || !threads || int64(now) < p.follow.next.Load() || !p.follow.TryLock() {
		return
	}
	defer p.follow.Unlock()
	p.follow.next.Store(int64(now.Add(time.Second)))
	if c := &p.crews[ordinary]; p.state.Load() == running {
		if want := p.workersWanted(); int32(want) != c.want.Load() {
			p.resize(c, want)
		}
	}
}

// Close ends the pool: it takes no more work from outside, runs what was accepted until ctx is done,
// completes what is left with ErrClosed (functions passed to Go are dropped), and waits for the workers'
// goroutines and threads to end. If jobs are still running when ctx is done it returns an error that names
// them and wraps ctx's; their workers end with them. A nil ctx is context.Background.
//
// Any goroutine may call it, any number of times and at once; every call waits. From within a job of the pool
// it waits for the other jobs only, and that job's worker ends with the job.
func (p *Pool) Close(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	p.state.CompareAndSwap(running, draining)
	inside := p.inside()
	if inside {
		p.insiders.Add(1)
		defer p.insiders.Add(-1)
		p.hint()
	}
	for p.state.Load() != gone {
		p.runOrphans(ctx)
		if p.isQuiet() || ctx.Err() != nil {
			p.vanish()
			break
		}
		select {
		case <-p.quiet:
		case <-p.ended:
		case <-ctx.Done():
		}
	}
	p.hint() // for another Close
	if inside {
		return nil
	}
	select {
	case <-p.ended:
		return nil
	default:
	}
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
	}
	// The workers without a job leave in no time; give them that.
	patience := time.NewTimer(10 * time.Millisecond)
	defer patience.Stop()
	for {
		stuck := p.runningNames()
		if len(stuck) > 0 {
			return fmt.Errorf("workers: Close: still running: %s: %w",
				strings.Join(stuck, ", "), context.Cause(ctx))
		}
		select {
		case <-p.ended:
			return nil
		case <-patience.C:
			return fmt.Errorf("workers: Close: %w", context.Cause(ctx))
		default:
			runtime.Gosched()
		}
	}
}

// hint wakes somebody who waits in Close.
func (p *Pool) hint() {
	select {
	case p.quiet <- struct{}{}:
	default:
	}
}

// isQuiet reports whether nothing runs and nothing is queued, and so, as nothing comes from outside, nothing
// ever will. Nobody was awake at either reading of restless, and the generation says that nobody was in
// between: so what was seen in between was all there at once.
func (p *Pool) isQuiet() bool {
	before := p.restless.Load()
	if uint32(before) > uint32(p.insiders.Load()) || p.anyQueued() {
		return false
	}
	return p.restless.Load() == before
}

// runOrphans runs what no worker serves.
func (p *Pool) runOrphans(ctx context.Context) {
	for at := range p.lanes {
		l := &p.lanes[at]
		for p.crewOf[at].want.Load() == 0 && ctx.Err() == nil && p.state.Load() == draining {
			yielded, between := l.yielded.pop()
			it, ok := item{}, false
			if !between {
				it, ok = l.pop()
			}
			if !between && !ok {
				break
			}
			if ok && it.job != nil && !it.job.claim() {
				continue
			}
			p.restless.Add(awoke)
			h := p.borrow()
			h.w.until = deadline.Deadline{}
			if between {
				h.goOn(l, yielded, deadline.Deadline{})
			} else {
				h.run(it, at)
			}
			p.giveBack(h)
			p.settle()
		}
	}
}

// vanish makes the pool gone: workers leave, and what is queued ends.
func (p *Pool) vanish() {
	if p.state.Swap(gone) == gone {
		return
	}
	p.reap()
	p.follow.Lock() // a resize may be under way
	for i := range p.crews {
		p.crews[i].want.Store(0)
	}
	p.follow.Unlock()
	for i := range p.crews {
		p.crews[i].wakeAll()
	}
	if p.live.Load() == 0 {
		p.lastOut()
	}
}

// reap ends everything that is visible in the queues.
func (p *Pool) reap() {
	for at := range p.lanes {
		for {
			it, ok := p.lanes[at].yielded.pop()
			if !ok {
				break
			}
			it.job.slice.drop()
		}
		for {
			it, ok := p.lanes[at].pop()
			if !ok {
				it, ok = p.rob(at)
			}
			if !ok {
				break
			}
			p.drop(it)
		}
	}
}

// drop ends an item that will not run.
func (p *Pool) drop(it item) {
	if it.job == nil {
		p.dropped.Add(1)
	} else if it.job.claim() {
		p.dropped.Add(1)
		it.job.finish(ErrClosed)
	}
}

// dropAll ends everything in a worker's own queues. Forks have joiners, who run them; a worker that leaves
// has none.
func (w *Worker) dropAll() {
	for i := range w.deques {
		for {
			it, ok := w.deques[i].pop()
			if !ok {
				break
			}
			w.pool.drop(it)
		}
	}
}

// withinCaller reports whether the calling goroutine is the carrier of some caller (RunUntil, Wait, Close).
func withinCaller() bool { return onStack("workers.(*caller).carry") }

// withinJob reports whether the calling goroutine runs a job of some pool.
func withinJob() bool { return onStack("workers.(*caller).carry", "workers.(*Worker).serve") }

// onStack reports whether a function whose name ends in one of the suffixes is among the calling goroutine's
// callers. It takes 1 to 3 µs: for paths that are about to block, or do more than that.
func onStack(suffixes ...string) bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var f runtime.Frame
			f, more = frames.Next()
			for _, s := range suffixes {
				if strings.HasSuffix(f.Function, s) {
					return true
				}
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
