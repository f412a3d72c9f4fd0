package workers

import (
	"context"
	"runtime"

	"github.com/frameslice/frameslice/internal/mpmc"
)

// The producers' side of a Stream.

// TrySubmit has the pool run f, which writes its result to *out. It returns ErrFull if the window or the pool is full,
// or ErrClosed after Close. *out is the zero T, or an earlier job's result, whose memory f may use again. It neither
// waits nor allocates: some 60 ns.
func (s *Stream[T]) TrySubmit(f func(out *T) error) error {
	if f == nil {
		panic("workers: Stream.TrySubmit of a nil function")
	}
	if s.pool.limit == nil {
		return s.claim(f, nil)
	}
	poolFull, err := s.tryBounded(f)
	if poolFull {
		return s.pool.refused(err)
	}
	return err
}

// claim submits f if the window has room. The job has a place in l, if l is not nil.
func (s *Stream[T]) claim(f func(out *T) error, l *mpmc.Places) error {
	c, err := s.ring.Reserve()
	if err != nil {
		return err
	}
	pl := &c.Value
	pl.f, pl.err = f, nil
	pl.waiter.next = nil
	pl.job.waiters.Store(&pl.waiter) // T1
	s.pool.submitHeld(&pl.job, l)
	if s.helps.Load() {
		s.ring.Wake(mpmc.Poppers, 1) // T2
	}
	if s.feeds.Load() != 0 {
		s.ring.Wake(mpmc.Pushers, mpmc.All) // T2
	}
	s.ring.Tell() // tail has moved (Q5)
	return nil
}

// tryBounded is TrySubmit on a pool with a limit. It takes a place in the pool first, and then claims a position in the
// window. A claimed position has to be filled, because the results behind it wait. poolFull says that ErrFull is the
// pool's, and not the window's, which may have room by now.
func (s *Stream[T]) tryBounded(f func(out *T) error) (poolFull bool, err error) {
	switch {
	case s.ring.Closed():
		return false, ErrClosed // also while the pool is full
	case !s.ring.Pushable():
		return false, ErrFull
	}
	switch err := s.pool.limit.TryAcquire(); err {
	case nil:
		return false, s.claimHeld(f)
	case ErrFull:
		return true, err
	}
	return false, s.claim(f, nil) // the pool is closed: that is the job's result
}

// claimHeld is claim for a caller that has a place in the pool. It gives the place back if the window has no room.
func (s *Stream[T]) claimHeld(f func(out *T) error) error {
	err := s.claim(f, s.pool.limit)
	if err != nil {
		s.pool.limit.Release()
	}
	return err
}

// roomy reports whether a try has an answer: the window has room, or is closed.
func (s *Stream[T]) roomy() bool { return s.ring.Pushable() || s.ring.Closed() }

// Submit is TrySubmit that waits for room until ctx is done or Close. In a job it runs jobs of this Stream while it
// waits for the window. If the pool is full, a job gets ErrFull rather than wait. Never call it on the goroutine
// that takes the results out, nor on the frame's.
func (s *Stream[T]) Submit(ctx context.Context, f func(out *T) error) error {
	if f == nil {
		panic("workers: Stream.Submit of a nil function")
	}
	if s.pool.limit != nil {
		return s.submitBounded(ctx, f)
	}
	err := s.claim(f, nil)
	if err != ErrFull {
		return err
	}
	var full error
	err = s.awaitRoom(ctx, func() bool {
		full = s.claim(f, nil)
		return full != ErrFull
	})
	if err == nil {
		err = full
	}
	return err
}

// submitBounded is Submit on a pool with a limit. It holds no place in the pool while it waits for the window, since
// other submitters may need the place.
func (s *Stream[T]) submitBounded(ctx context.Context, f func(out *T) error) error {
	for {
		poolFull, err := s.tryBounded(f)
		switch {
		case err != ErrFull:
			return err
		case !poolFull:
			if err := s.awaitRoom(ctx, s.roomy); err != nil {
				return err
			}
		default:
			if err := s.awaitPool(ctx, f); err != errNewEra {
				return err
			}
		}
	}
}

// awaitPool submits f when the pool has a place. It returns errNewEra if the window has no room by then.
func (s *Stream[T]) awaitPool(ctx context.Context, f func(out *T) error) error {
	s.ring.Tell() // this goroutine may have been woken for the window, and now waits for the pool: it hands on (Q6)
	switch err := s.pool.awaitPlace(ctx, s.over); err {
	case nil:
		if err = s.claimHeld(f); err == ErrFull {
			err = errNewEra
		}
		return err
	case ErrClosed, errNewEra:
		return s.claim(f, nil) // the pool is closed, and the job's result is ErrClosed; or s is, and claim says so
	default:
		return s.pool.refused(err)
	}
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
