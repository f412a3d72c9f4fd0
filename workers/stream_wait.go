package workers

import (
	"context"
	"runtime"

	"github.com/frameslice/frameslice/internal/mpmc"
)

// Waiting in a Stream is Q4's. Besides, a goroutine that relies on workers notices when there are none any more (E2).

// errNewEra says that a class has got its first worker, or has lost its last, or that it is time to look again for
// another reason. Nobody outside sees it.
var errNewEra = mpmc.ErrStopped

// awaitRoom waits until try returns true, which it calls whenever there may be room in the window. In a job it runs
// those of the stream that nobody has begun (T2): in one of another pool too, for which one of this pool may wait. It
// returns the cause of ctx.
func (s *Stream[T]) awaitRoom(ctx context.Context, try func() bool) error {
	if !withinJob() {
		return s.ring.Await(mpmc.Pushers, mpmc.Wait{Ctx: ctx}, try)
	}
	s.feeds.Add(1)
	defer s.feeds.Add(-1)
	for {
		ok := false
		err := s.ring.Await(mpmc.Pushers, mpmc.Wait{Ctx: ctx}, func() bool {
			ok = try()
			return ok || s.waitingJob() != nil
		})
		if ok || err != nil {
			return err
		}
		if ctx != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if j := s.waitingJob(); j != nil && !s.runIfQueued(ctx, j) {
			runtime.Gosched() // somebody else has it
		}
	}
}

// waitingJob returns the oldest job of the window that waits for its start, or nil.
func (s *Stream[T]) waitingJob() *Job {
	c := s.ring.Find(func(pl *place[T]) bool {
		state := pl.job.at()
		return state == queued || state == looking
	})
	if c == nil {
		return nil
	}
	return &c.Value.job
}
