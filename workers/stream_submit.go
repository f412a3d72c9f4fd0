package workers

import (
	"context"
	"runtime"

	"github.com/frameslice/frameslice/internal/mpmc"
)

// The producers' side of a Stream.

// TrySubmit has the pool run f, which writes its result to *out. It returns ErrFull if the window is full, or ErrClosed
// after Close. *out is the zero T, or an earlier job's result, whose memory f may use again. It neither waits nor
// allocates: some 60 ns.
func (s *Stream[T]) TrySubmit(f func(out *T) error) error {
	if f == nil {
		panic("workers: Stream.TrySubmit of a nil function")
	}
	return s.claim(f)
}

// claim submits f if the window has room.
func (s *Stream[T]) claim(f func(out *T) error) error {
	c, err := s.ring.Reserve()
	if err != nil {
		return err
	}
	pl := &c.Value
	pl.f, pl.err = f, nil
	pl.waiter.next = nil
	pl.job.waiters.Store(&pl.waiter) // T1
	s.pool.Submit(&pl.job)
	if s.helps.Load() {
		s.ring.Wake(mpmc.Poppers, 1) // T2
	}
	if s.feeds.Load() != 0 {
		s.ring.Wake(mpmc.Pushers, mpmc.All) // T2
	}
	s.ring.Tell() // tail has moved (Q5)
	return nil
}

// Submit is TrySubmit that waits for room until ctx is done or Close. In a job it runs jobs of this Stream while it
// waits. Never call it on the goroutine that takes the results out, nor on the frame's.
func (s *Stream[T]) Submit(ctx context.Context, f func(out *T) error) error {
	if f == nil {
		panic("workers: Stream.Submit of a nil function")
	}
	err := s.claim(f)
	if err != ErrFull {
		return err
	}
	var full error
	err = s.awaitRoom(ctx, func() bool {
		full = s.claim(f)
		return full != ErrFull
	})
	if err == nil {
		err = full
	}
	return err
}

// Waiting in a Stream follows Q4. Besides, a consumer that relies on workers notices when there are none any more (E2).

// awaitRoom waits until try returns true. It calls try whenever there may be room in the window. In a job, of this pool
// or another, it runs the stream's jobs that nobody has begun (T2), because another job may wait for the caller's. If
// ctx is done it returns the cause of ctx.
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
			runtime.Gosched() // another goroutine has the job
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
