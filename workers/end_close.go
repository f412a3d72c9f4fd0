package workers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/latch"
	"github.com/frameslice/frameslice/internal/park"
)

// Close ends the pool. It takes no more work from outside, and runs accepted jobs until ctx is done. Then it ends the
// contexts of the functions passed to Submit, completes the rest with ErrClosed, and drops functions passed to Go. It
// waits for jobs that still run, of those that asked for their context for up to 0.1 s more, and for the workers'
// goroutines and threads to end.
//
// If ctx is done first, and jobs were dropped or still run, Close returns an error that wraps ctx's cause. The error
// says how many were dropped and names most of those that still run.
//
// Close may be called any number of times; every call waits. In a job of the pool it waits for all other jobs. If
// another job waits for that one, Close returns only when ctx is done.
func (p *Pool) Close(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() == nil { // else nothing is to begin any more, not even for a moment
		p.state.CompareAndSwap(running, draining)
	}
	return p.closeFrom(ctx, p.inside())
}

// closeFrom is Close, inside a job of the pool or not, when it has ended the intake.
func (p *Pool) closeFrom(ctx context.Context, inside bool) error {
	if inside {
		p.closersInJobs.Add(1)
		defer p.closersInJobs.Add(-1)
	}
	lost := p.runDown(ctx, inside)
	look := p.lookPoolOver
	if inside {
		look = p.lookOnlyClosers
	}
	if await(ctx, p, &p.closers, look) != nil {
		return p.unfinished(ctx, lost, inside)
	}
	return whatWasLost(ctx, lost)
}

// runDown waits until nothing is left to run or ctx is done, and makes the pool gone. Meanwhile it runs the jobs that
// nobody else would run. The function lost returns how many jobs were lost by that. It is a function, because workers
// drop some of the jobs later, on their way out.
func (p *Pool) runDown(ctx context.Context, inside bool) (lost func() uint64) {
	err := await(ctx, p, &p.closers, func() (latch.Verdict, park.Event) {
		if p.state.Load() == gone {
			return latch.WaitOver, park.Event{}
		}
		p.runOrphans(ctx, inside)
		if ctx.Err() == nil && p.isQuiet() {
			p.onlyClosersLeft.Store(true)
			p.vanish()
			return latch.WaitOver, park.Event{}
		}
		return latch.MustSleep, park.Event{}
	})
	before := p.failures.lost.Load()
	if err != nil && p.vanish() {
		return func() uint64 { return p.failures.lost.Load() - before }
	}
	return func() uint64 { return 0 }
}

// lookPoolOver is the look of a Close outside of jobs. The wait is over when the workers have left and nobody else runs
// a job of the pool, which is gone.
func (p *Pool) lookPoolOver() (latch.Verdict, park.Event) {
	if p.isOver() {
		return latch.WaitOver, park.Event{}
	}
	return latch.MustSleep, park.Event{}
}

// lookOnlyClosers is the look of a Close in a job. The wait is over when no job of the pool, which is gone, is left
// except those within Close (C4).
func (p *Pool) lookOnlyClosers() (latch.Verdict, park.Event) {
	switch {
	case p.onlyClosersLeft.Load():
		return latch.WaitOver, park.Event{}
	case p.isQuiet():
		p.onlyClosersLeft.Store(true)
		p.wakeClosers() // another Close cannot find this any more when this Close has returned and its job continues
		return latch.WaitOver, park.Event{}
	case p.anyOrphan(true): // perhaps from this job, whose worker would drop it only when this job has ended
		p.sweep()
		return latch.LookAgain, park.Event{}
	}
	return latch.MustSleep, park.Event{}
}

// unfinished returns Close's error when ctx is done: what still runs, without the job that Close is called in, and how
// many jobs were lost.
func (p *Pool) unfinished(ctx context.Context, lost func() uint64, inside bool) error {
	// Workers without a job leave at once, unless other programs keep the processors busy. Wait a little for them, and
	// for jobs that have asked for their context, which has ended just now.
	patience := time.NewTimer(100 * time.Millisecond)
	defer patience.Stop()
	over, own := p.isOver, (*Worker)(nil)
	if inside {
		over, own = p.isQuiet, p.workerHere()
	}
	late := false
	for !over() {
		stuck := p.runningNames(own)
		io := p.io.places.Load()
		if n := p.callersInside.Load() - io; n > 0 && late && !inside {
			stuck = append(stuck, fmt.Sprintf("%d in RunUntil, Wait or Close", n))
		}
		if io > 0 && late && !inside {
			stuck = append(stuck, fmt.Sprintf("%d in SubmitIO", io))
		}
		switch {
		case len(stuck) > 0 && (late || p.lives.asked.Load() == 0):
			return fmt.Errorf("workers: Close: %s dropped; still running: %s: %w",
				jobs(lost()), strings.Join(stuck, ", "), context.Cause(ctx))
		case late:
			return fmt.Errorf("workers: Close: %s dropped; some still running: %w", jobs(lost()), context.Cause(ctx))
		}
		select {
		case <-patience.C:
			late = true
		default:
			time.Sleep(50 * time.Microsecond)
		}
	}
	return whatWasLost(ctx, lost)
}

// whatWasLost returns Close's error if all jobs have ended, lost jobs included.
func whatWasLost(ctx context.Context, lost func() uint64) error {
	n := lost()
	if n == 0 {
		return nil
	}
	return fmt.Errorf("workers: Close: %s dropped: %w", jobs(n), context.Cause(ctx))
}

// runAllOrphans runs the jobs that no worker serves: jobs between two turns, and jobs in lanes
// without workers. With all it runs all queued jobs, because the closer's own job may keep the worker that would run
// them.
func (p *Pool) runAllOrphans(ctx context.Context, all bool) {
	for at := range p.lanes {
		for p.lanes[at].orphaned(all) && ctx.Err() == nil && p.state.Load() == draining {
			p.runOrphan(at, all)
		}
	}
}

// runOrphan runs one job of the lane, or gives it a turn, if there still is one.
func (p *Pool) runOrphan(at int, all bool) {
	cl := p.beginCaller(true) // before the job is taken, so that no other closer finds the pool quiet
	defer p.endCaller(cl)
	l := &p.lanes[at]
	it, between := l.yielded.Pop()
	if !between {
		if !all && l.served() {
			return
		}
		ok := false
		if it, ok = l.pop(); !ok {
			it, ok = l.takeFromAnyWorker()
		}
		if !ok || it.job() != nil && !it.job().claimFrom(l.class) {
			return
		}
	}
	if between {
		cl.resumeJob(it, deadline.Deadline{})
	} else {
		cl.run(it, at)
	}
}

// jobs counts n jobs in words.
func jobs(n uint64) string {
	if n == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", n)
}

// runningNames returns the names of the kinds of job that run now on workers other than own, which may be nil.
func (p *Pool) runningNames(own *Worker) (names []string) {
	for i := range p.classes {
		c := &p.classes[i]
		for k := range c.used.Load() {
			if w := c.slots[k].Load(); w != own && w.seen.begun() != 0 {
				names = append(names, nameOf(w.seen.kind.Load()))
			}
		}
	}
	return names
}
