package workers

import (
	"context"
	"errors"
	"runtime"
)

// Waiting in a Stream is Q4's. Besides, a goroutine that relies on workers notices when there are none any more (E2).

// errNewEra says that a crew has got its first worker, or has lost its last, or that for another reason it is time to
// look again. Nobody outside sees it.
var errNewEra = errors.New("workers: a new era")

// attend waits until try, which it calls whenever there may be news for the side of the list l, returns true. It
// returns the cause of ctx, or that era, which may be nil, has ended.
func (s *Stream[T]) attend(ctx context.Context, l *sleeperList, era <-chan struct{}, try func() bool) error {
	q := s.ring
	x := q.enter(l, nil)
	for {
		if try() {
			return q.end(l, x, nil)
		}
		if err := x.waitAlso(ctx, era); err != nil {
			return q.end(l, x, err)
		}
		if try() {
			return q.end(l, x, nil)
		}
		q.enter(l, x)
	}
}

// awaitRoom waits until try, which it calls whenever there may be room in the window, returns true, and if it is in a
// job runs those of the stream that nobody has begun (T2): in one of another pool too, for which one of this pool may
// wait. It returns the cause of ctx.
func (s *Stream[T]) awaitRoom(ctx context.Context, try func() bool) error {
	if !withinJob() {
		return s.attend(ctx, &s.ring.pushers, nil, try)
	}
	s.feeds.Add(1)
	defer s.feeds.Add(-1)
	for {
		ok := false
		err := s.attend(ctx, &s.ring.pushers, nil, func() bool {
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
	q := s.ring
	for at := q.head.Load(); at != q.tail.Load()&^closed; at = q.after(at) {
		j := &q.cells[at&q.mask].value.job
		if state := State(j.state.Load()); state == Queued || state == looking {
			return j
		}
	}
	return nil
}

// waitAlso is wait with one more reason to return, the end of an era, which may be nil.
func (x *sleeper) waitAlso(ctx context.Context, era <-chan struct{}) error {
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	select {
	case <-x.token:
		return nil
	case <-era:
		return errNewEra
	case <-done:
		return context.Cause(ctx)
	}
}
