package workers

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"
)

// A jobContext is a Job and the context of its function, in one, so the context takes no allocation of its own. Few
// functions ask for Done. Only then, a context of the standard library is made. So contexts that are derived from a
// jobContext need no goroutine, and context.Cause knows them.
//
// The context ends when the job has ended, when the job is canceled while it runs, and with the pool's life. It never
// has a deadline.
//
//	JC1  live is set once. Done sets it to a child of the pool's life. If nobody has asked, a cancellation sets it to
//	     the pool's canceled context, and the end of the job to the pool's over.
//	JC2  A cancellation, and the end of the job, look at live after their own attempt to set it has failed, and cancel
//	     what they find. So each context that Done has returned ends, and none keeps its place in the pool's life.
//	JC3  Err and Value go by live, or by the pool's life while live is not set. So Err is nil until Done is closed.
type jobContext struct {
	job  Job
	live atomic.Pointer[liveContext]
}

// A liveContext is a context of the standard library, and what ends it.
type liveContext struct {
	context.Context
	cancel context.CancelCauseFunc
}

func newLive(parent context.Context) *liveContext {
	ctx, cancel := context.WithCancelCause(parent)
	return &liveContext{ctx, cancel}
}

// lives are the contexts of a pool: that of which all jobs' contexts are children, and two that have ended.
type lives struct {
	pool, canceled, over *liveContext

	asked atomic.Int32 // jobs that have asked for Done and have not ended
}

func (l *lives) init() {
	l.pool = newLive(context.Background())
	l.canceled = newLive(context.Background())
	l.canceled.cancel(ErrCanceled)
	l.over = newLive(context.Background())
	l.over.cancel(nil)
}

// Deadline implements context.Context.
func (c *jobContext) Deadline() (at time.Time, ok bool) { return time.Time{}, false }

// Done implements context.Context. The first call allocates.
func (c *jobContext) Done() <-chan struct{} {
	l := c.live.Load()
	if l == nil {
		of := &c.job.pool.lives
		of.asked.Add(1)
		l = newLive(of.pool)
		if !c.live.CompareAndSwap(nil, l) { // JC1
			of.asked.Add(-1)
			l.cancel(nil)
			l = c.live.Load()
		}
	}
	return l.Done()
}

// Err implements context.Context.
func (c *jobContext) Err() error { return c.seen().Err() }

// Value implements context.Context.
func (c *jobContext) Value(key any) any {
	if key == (poolKey{}) {
		return c.job.pool
	}
	return c.seen().Value(key)
}

func (c *jobContext) seen() *liveContext {
	if l := c.live.Load(); l != nil {
		return l
	}
	return c.job.pool.lives.pool
}

// cancelRun ends the context of a job that runs. It never blocks: a worker may have the locks that cancel takes.
func (c *jobContext) cancelRun() {
	if c.job.at() != active || c.live.CompareAndSwap(nil, c.job.pool.lives.canceled) {
		return
	}
	if l := c.live.Load(); l.Err() == nil {
		go l.cancel(ErrCanceled) // JC2
	}
}

// endRun ends the context when the job has ended.
func (c *jobContext) endRun() {
	of := &c.job.pool.lives
	if c.live.CompareAndSwap(nil, of.over) {
		return
	}
	if l := c.live.Load(); l != of.canceled {
		l.cancel(nil) // JC2
		of.asked.Add(-1)
	}
}

// poolKey is the key by which a context has the pool of the job that it belongs to.
type poolKey struct{}

// A poolContext is the parent of the context of a Group.
type poolContext struct {
	context.Context
	pool *Pool
}

func (c *poolContext) Value(key any) any {
	if key == (poolKey{}) {
		return c.pool
	}
	return c.Context.Value(key)
}
