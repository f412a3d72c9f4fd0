package workers

import (
	"context"
	"iter"

	"github.com/frameslice/frameslice/internal/mpmc"
)

// The consumer's side of a Stream.

// TryNext returns the next result, and the error of its job. It returns nil and ErrEmpty if the job has not ended, or
// nil and ErrClosed after the last. The result is the caller's until the next call. It neither waits nor allocates:
// some 20 ns.
func (s *Stream[T]) TryNext() (*T, error) {
	s.release()
	c, err := s.ring.Take()
	if err != nil {
		return nil, err
	}
	s.held = c
	return &c.Value.val, c.Value.err
}

// release gives the place of the last result back.
func (s *Stream[T]) release() {
	if c := s.held; c != nil {
		s.held = nil
		c.Pass()
		s.ring.Tell()
	}
}

// Next is TryNext that waits until the next job has ended, or runs it where Job.Wait would. If ctx is done first it
// returns nil and the cause. Never call it on the frame goroutine.
func (s *Stream[T]) Next(ctx context.Context) (*T, error) {
	v, err := s.TryNext()
	if v != nil || err != ErrEmpty {
		return v, err
	}
	for {
		era := s.pool.classOf[s.prio.Lane()].thisEra() // E2
		helps := withinJob() || s.pool.classOf[s.prio.Lane()].want.Load() == 0
		if helps {
			s.helps.Store(true)
		}
		wait := s.ring.Await(mpmc.Poppers, mpmc.Wait{Ctx: ctx, Stop: era}, func() bool {
			for {
				if v, err = s.TryNext(); v != nil || err != ErrEmpty {
					return true
				}
				if !s.runHead(ctx) {
					return false
				}
			}
		})
		if helps {
			s.helps.Store(false)
		}
		switch wait {
		case nil:
			return v, err
		case errNewEra:
		default:
			return nil, wait
		}
	}
}

// All returns an iterator over the results. It ends after the last result of a closed Stream. If ctx is done it ends
// with the cause of ctx as the last error. See Next.
func (s *Stream[T]) All(ctx context.Context) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for {
			v, err := s.Next(ctx)
			end := err == ErrClosed && s.ring.Drained() // an ErrClosed before that is the cause of ctx
			if v == nil && end || !yield(v, err) || v == nil {
				return
			}
		}
	}
}

// runHead runs the job of the place at the head as runIfQueued does.
func (s *Stream[T]) runHead(ctx context.Context) bool {
	return s.runIfQueued(ctx, &s.ring.Oldest().Value.job)
}
