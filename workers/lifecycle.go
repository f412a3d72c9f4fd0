package workers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/carrier"
)

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
	w.goid.Store(0)
	// Last: from here on the worker may be another goroutine's. What comes after it is I3.
	w.alive.Store(false)
	wanted := w.crew.want.Load() > int32(w.index) || w.called()
	if wanted && w.alive.CompareAndSwap(false, true) {
		return true
	}
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
	procs.pools.Add(-1)
	close(p.ended)
}

// runLetterOf runs a bound job for Close within a job of w, counted as any other that runs: C2.
func (p *Pool) runLetterOf(w *Worker) bool {
	p.enter()
	defer p.leave()
	return w.runLetter()
}

// Close ends the pool: it takes no more work from outside, runs what was accepted until ctx is done,
// completes what is left with ErrClosed (functions passed to Go are dropped), and waits for the workers'
// goroutines and threads to end, and for jobs that run in RunUntil or Wait on other goroutines. If ctx is done
// first and that cost jobs, or some are still running, it returns an error that says how many were dropped,
// names those that run, and wraps ctx's cause; their workers end with them. Of several calls the one whose ctx
// was done first counts what was dropped. A nil ctx is context.Background.
//
// Any goroutine may call it, any number of times and at once; every call waits. In a job of the pool it waits for the
// other jobs only, also if one of them waits for this job; and that job's worker ends with the job.
func (p *Pool) Close(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	p.state.CompareAndSwap(running, draining)
	if p.limit != nil {
		p.limit.places.Close()
	}
	quiet := p.listen()
	defer p.ignore(quiet)
	inside := p.inside()
	var host *Worker // whose inbox only this goroutine can empty
	knock := p.ended // for want of one
	if inside {
		if host = p.workerHere(); host != nil {
			host.serving.Add(1)
			defer host.serving.Add(-1)
			knock = host.knock
		}
		p.insiders.Add(1)
		defer p.insiders.Add(-1)
		p.hint()
	}
	lost := uint64(0)
	for p.state.Load() != gone {
		p.runOrphans(ctx, inside)
		for host != nil && ctx.Err() == nil && p.state.Load() == draining && p.runLetterOf(host) {
		}
		if p.isQuiet() {
			p.vanish()
			break
		}
		if ctx.Err() != nil {
			before := p.lost.Load()
			p.vanish()
			lost = p.lost.Load() - before
			break
		}
		select {
		case <-quiet:
		case <-knock:
		case <-p.ended:
		case <-ctx.Done():
		}
	}
	p.hint() // for another Close
	for !inside {
		// Looked at once: if the last one went out between two looks, nobody would wake this call any more.
		ended, out := p.ended, p.isOut()
		if out && p.guests.Load() == 0 {
			break
		}
		if out {
			ended = nil // it would not wait
		}
		select {
		case <-quiet:
		case <-ended:
		case <-ctx.Done():
			return p.unfinished(ctx, lost)
		}
	}
	if lost > 0 {
		return fmt.Errorf("workers: Close: %d jobs dropped: %w", lost, context.Cause(ctx))
	}
	return nil
}

// over reports whether the workers have left and nobody else runs a job of the closed pool.
func (p *Pool) over() bool { return p.isOut() && p.guests.Load() == 0 }

func (p *Pool) isOut() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// unfinished returns what there is to say when ctx is done: what still runs, and how many jobs were lost.
func (p *Pool) unfinished(ctx context.Context, lost uint64) error {
	// The workers without a job leave in no time; give them that.
	patience := time.NewTimer(10 * time.Millisecond)
	defer patience.Stop()
	late := false
	for !p.over() {
		stuck := p.runningNames()
		if n := p.guests.Load(); n > 0 && late {
			stuck = append(stuck, fmt.Sprintf("%d in RunUntil, Wait or Close", n))
		}
		switch {
		case len(stuck) > 0:
			return fmt.Errorf("workers: Close: %d jobs dropped; still running: %s: %w",
				lost, strings.Join(stuck, ", "), context.Cause(ctx))
		case late:
			return fmt.Errorf("workers: Close: %d jobs dropped; some still running: %w", lost, context.Cause(ctx))
		}
		select {
		case <-patience.C:
			late = true
		default:
			time.Sleep(50 * time.Microsecond)
		}
	}
	if lost > 0 {
		return fmt.Errorf("workers: Close: %d jobs dropped: %w", lost, context.Cause(ctx))
	}
	return nil
}

// hint wakes whoever waits in Close: all of them, as some can do what others cannot.
func (p *Pool) hint() {
	p.closers.Lock()
	defer p.closers.Unlock()
	for _, c := range p.closers.wake {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// listen returns a channel that hint sends to, until ignore.
func (p *Pool) listen() chan struct{} {
	c := make(chan struct{}, 1)
	p.closers.Lock()
	defer p.closers.Unlock()
	p.closers.wake = append(p.closers.wake, c)
	return c
}

func (p *Pool) ignore(c chan struct{}) {
	p.closers.Lock()
	defer p.closers.Unlock()
	p.closers.wake = slices.DeleteFunc(p.closers.wake, func(x chan struct{}) bool { return x == c })
}

// isQuiet reports whether nothing runs and nothing is queued, and so, as nothing comes from outside, nothing
// ever will. Nobody was awake at either reading of restless, and the generation says that nobody was in
// between: so what was seen in between was all there at once.
func (p *Pool) isQuiet() bool {
	before := p.restless.Load()
	if uint32(before) > uint32(p.insiders.Load()) || p.anyQueued() || p.anyLetters() {
		return false
	}
	return p.restless.Load() == before
}

// runOrphans runs what no worker serves: jobs between two turns, lanes without workers; or all that is queued,
// if the closer itself keeps a worker from doing so.
func (p *Pool) runOrphans(ctx context.Context, all bool) {
	for at := range p.lanes {
		for p.orphaned(at, all) && ctx.Err() == nil && p.state.Load() == draining {
			p.runOrphan(at, all)
		}
	}
}

func (p *Pool) orphaned(at int, all bool) bool {
	return !p.lanes[at].yielded.empty() || (all || p.crewOf[at].want.Load() == 0) && p.queued(at)
}

// runOrphan runs one job of the lane, or gives it a turn, if there still is one.
func (p *Pool) runOrphan(at int, all bool) {
	p.enter() // before it is taken, lest another closer finds the pool quiet
	defer p.leave()
	l := &p.lanes[at]
	it, between := l.yielded.pop()
	if !between {
		if !all && p.crewOf[at].want.Load() > 0 {
			return
		}
		ok := false
		if it, ok = l.pop(); !ok {
			it, ok = p.rob(at)
		}
		if !ok || it.job != nil && !it.job.claimFrom(p, nil) {
			return
		}
	}
	h := p.borrow()
	defer p.giveBack(h)
	h.w.until = deadline.Deadline{}
	if between {
		h.goOn(l, it, deadline.Deadline{})
	} else {
		h.run(it, at)
	}
}

// vanish makes the pool gone: workers leave, and what is queued ends.
func (p *Pool) vanish() {
	if p.state.Swap(gone) == gone {
		return
	}
	p.endWatch()
	p.endReserve()
	p.reap()
	p.endSpares()
	p.follow.Lock() // a resize may be under way
	for i := range p.crews {
		p.crews[i].setWant(0)
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
	for i := range p.crews {
		c := &p.crews[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w != nil {
				w.returnLetters()
			}
		}
	}
}

// drop ends an item that will not run.
func (p *Pool) drop(it item) {
	if it.job == nil || it.job.claimFrom(p, nil) {
		p.lose(it)
	}
}

// lose ends an item that has been claimed and will not run.
func (p *Pool) lose(it item) {
	p.dropped.Add(1)
	p.lost.Add(1)
	if it.job != nil {
		it.job.finish(ErrClosed)
	}
}

// withinJob reports whether the calling goroutine runs a job of some pool.
func withinJob() bool {
	return onStack("workers.(*caller).carry", "workers.(*sliced).main", "workers.(*Worker).serve",
		"workers.(*Worker).carryFork")
}

// onStack reports whether a function whose name ends in one of the suffixes is among the calling goroutine's
// callers.
func onStack(suffixes ...string) bool {
	return carrier.Within(func(name string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(name, s) {
				return true
			}
		}
		return false
	})
}
