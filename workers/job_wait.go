package workers

import (
	"context"
	"runtime"
)

// Wait returns when j has finished, with Err, or when ctx is done, with its error. A nil ctx is
// context.Background. The job must have been submitted. Any goroutine may wait.
//
// If j has not started, and the caller could otherwise wait for ever (in a job, or on a pool without workers
// for j's priority) or may not be interrupted anyway (ctx cannot be done), Wait runs it right here, unless it is
// bound to a worker. While Wait sleeps in a job on a worker, what is bound to that worker runs there. If the pool
// loses its last worker meanwhile, as GOMAXPROCS has become one, Wait runs j in any case.
//
// With Options.FindCycles a Wait within a job panics if it closes a circle of jobs that wait for one another.
func (j *Job) Wait(ctx context.Context) error {
	if s := State(j.state.Load()); s != Fresh && s != Finished && j.pool.cycles != nil {
		defer j.pool.leaveWait(j.pool.enterWait(waitFor{job: j}))
	}
	return j.wait(ctx)
}

func (j *Job) wait(ctx context.Context) error {
	for {
		var era <-chan struct{} // of those who will begin j, or what it follows: E2
		switch State(j.state.Load()) {
		case Finished:
			return j.err
		case Fresh:
			panic("workers: Wait for a job that was never submitted")
		case Queued:
			era = j.pool.crewOf[j.Priority.Lane()].thisEra()
			if j.pool.runHere(ctx, j) {
				continue
			}
		case Running:
			if j.pool.continueHere(ctx, j) {
				continue
			}
		case looking:
			// Nobody is called when it becomes Queued again, and then it may be for this goroutine to run.
			runtime.Gosched()
			continue
		case following:
			era = j.pool.crewOf[j.Priority.Lane()].thisEra()
			if j.ascend(ctx) {
				continue
			}
		}
		done := make(chan struct{}, 1)
		j.notify(func() {
			select {
			case done <- struct{}{}:
			default:
			}
		})
		if w := j.pool.workerHere(); w != nil {
			if err := w.await(ctx, done); err != nil {
				return err
			}
			continue
		}
		var over <-chan struct{}
		if ctx != nil {
			over = ctx.Done()
		}
		select {
		case <-done:
		case <-era:
		case <-over:
			return context.Cause(ctx)
		}
	}
}
