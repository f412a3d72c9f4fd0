package par

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/bridge"
	"github.com/frameslice/frameslice/internal/mpmc"
	"github.com/frameslice/frameslice/workers"
)

// A Stream runs jobs at the same time and hands out their results in the order of submission, without copying or
// allocating. Any goroutine may submit. One goroutine at a time may take the results: on a frame with TryNext, which
// does not wait, and elsewhere with Next or All. Create a Stream with NewStream.
type Stream[T any] struct {
	pool *workers.Pool
	ring mpmc.Queue[place[T]]

	// The consumer's.
	next *mpmc.Cell[place[T]] // the cell that is due, if it has been taken from ring
	last *mpmc.Cell[place[T]] // the cell of the result that was returned last
}

// How a Stream works. A Stream is a bounded queue of jobs (Q1 to Q7). A submission claims a cell, submits the cell's
// job and passes the cell to the consumer at once. So the queue never waits for a job. The consumer takes the oldest
// cell, returns the result when the job has finished, and passes the cell back when it is called again.
//
// Between the two passes the job alone writes val and err, and the consumer touches the cell only when the job has
// finished. The job is submitted again only after the consumer has passed the cell back, and so after each Wait.
//
// Rejected: a list of Futures, which is the same with an allocation for each and no bound. A channel of channels,
// because a frame must not wait for its lock.

// A place is where a job and its result are.
type place[T any] struct {
	job  workers.Job
	f    func(out *T) error
	code uintptr // of the function that gave the job its Label
	val  T
	err  error
	_    [64]byte // the next place may be another worker's
}

const maxWindow = 1 << 20

// NewStream returns a Stream whose jobs p runs, in the lane of the priority. At most window jobs may wait, run, or have
// a result to take out. A window of zero or less means 64, and more than 1<<20 panics. NewStream allocates about 280
// bytes and a T for each job of the window.
func NewStream[T any](p *workers.Pool, prio deadline.Priority, window int) *Stream[T] {
	if window <= 0 {
		window = 64
	}
	if window > maxWindow {
		panic(fmt.Sprintf("par: NewStream with a window of %d, more than 1<<20", window))
	}
	if p == nil {
		panic("par: NewStream with a nil Pool")
	}
	mustBeValid(prio, "NewStream")
	s := &Stream[T]{pool: p}
	s.ring.Init(window)
	cells := s.ring.Cells()
	for i := range cells {
		pl := &cells[i].Value
		pl.job.Priority = prio
		pl.job.Func = func(*workers.Worker) { pl.err = pl.f(&pl.val) }
	}
	return s
}

// TrySubmit has the pool run f, which writes its result to *out. It returns workers.ErrFull if the window is full, or
// workers.ErrClosed after Close. *out is the zero T, or an earlier job's result, whose memory f may use again.
//
// TrySubmit neither waits nor allocates in steady state, and takes about 60 ns. Any goroutine may call it. Statistics,
// predictions of cost and panics name f.
func (s *Stream[T]) TrySubmit(f func(out *T) error) error {
	return s.submit("TrySubmit", f)
}

// submit submits f if there is room. who is the method that panics are named after.
func (s *Stream[T]) submit(who string, f func(out *T) error) error {
	if f == nil {
		panic("par: Stream." + who + " of a nil function")
	}
	c, err := s.ring.Reserve()
	if err != nil {
		return err
	}
	pl := &c.Value
	pl.f = f
	if code := reflect.ValueOf(f).Pointer(); code != pl.code {
		pl.code, pl.job.Label = code, nameOf(code)
	}
	s.pool.Submit(&pl.job)
	c.Pass()
	s.ring.Tell()
	return nil
}

// Submit does what TrySubmit does, and waits for room until ctx is done, whose cause it returns, or until Close. Never
// call Submit on the goroutine that takes the results out, nor on the frame's.
//
// In a job of the same pool a Submit that waits counts as one within Worker.Blocking, because the worker may be the
// only one that runs jobs of the stream. At most eight jobs may wait so. On a pool without workers a job must use
// TrySubmit.
func (s *Stream[T]) Submit(ctx context.Context, f func(out *T) error) error {
	err := s.submit("Submit", f)
	if err != workers.ErrFull {
		return err
	}
	wait := s.await(ctx, mpmc.Pushers, func() bool {
		err = s.submit("Submit", f)
		return err != workers.ErrFull
	})
	if wait != nil {
		return wait
	}
	return err
}

// Close ends the intake: submissions return workers.ErrClosed, also one that waits. All submitted jobs run, and
// workers.ErrClosed follows the last result. Any goroutine may call Close, any number of times.
func (s *Stream[T]) Close() { s.ring.Close() }

// TryNext returns the next result, and the error of its job: f's own, or a *workers.PanicError, workers.ErrGoexit, or
// workers.ErrClosed if the pool was closed. It returns nil and workers.ErrEmpty if the job has not ended, or nil and
// workers.ErrClosed after the last. The result is the caller's until the next call. TryNext neither waits nor
// allocates: about 25 ns.
func (s *Stream[T]) TryNext() (*T, error) {
	if err := s.advance(); err != nil {
		return nil, err
	}
	if !s.next.Value.job.Finished() {
		return nil, workers.ErrEmpty
	}
	return s.take()
}

// advance gives the place of the last result back, and sees to it that next is the oldest cell.
func (s *Stream[T]) advance() (err error) {
	if c := s.last; c != nil {
		s.last = nil
		c.Pass()
		s.ring.Tell()
	}
	if s.next == nil {
		s.next, err = s.ring.Take()
	}
	return err
}

// take returns the result of next, whose job has finished.
func (s *Stream[T]) take() (*T, error) {
	s.last, s.next = s.next, nil
	pl := &s.last.Value
	pl.f = nil // an idle stream keeps no function
	if err := pl.job.Err(); err != nil {
		return &pl.val, err
	}
	return &pl.val, pl.err
}

// await waits until ready returns true, or ctx is done. If the caller is in a job, another worker takes its place.
func (s *Stream[T]) await(ctx context.Context, side mpmc.Side, ready func() bool) error {
	defer bridge.Of(s.pool).LendPlace().TakeBack()
	return s.ring.Await(side, ctx, ready)
}

// Next does what TryNext does, and waits until the next job has ended, or runs it where Job.Wait would. If ctx is done
// first it returns nil and the cause. Never call Next on the frame goroutine. In a job of the same pool a Next that
// waits counts as one within Worker.Blocking.
func (s *Stream[T]) Next(ctx context.Context) (*T, error) {
	err := s.advance()
	if err == workers.ErrEmpty {
		wait := s.await(ctx, mpmc.Poppers, func() bool {
			err = s.advance()
			return err != workers.ErrEmpty
		})
		if wait != nil {
			return nil, wait
		}
	}
	if err != nil {
		return nil, err
	}
	j := &s.next.Value.job
	if err := j.Wait(ctx); !j.Finished() {
		return nil, err
	}
	return s.take()
}

// All returns an iterator over the results. It ends after the last result of a closed Stream. If ctx is done it ends
// with the cause of ctx as the last error. See Next.
func (s *Stream[T]) All(ctx context.Context) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for {
			v, err := s.Next(ctx)
			// If a result is still to come, ErrClosed is the cause of ctx.
			end := err == workers.ErrClosed && s.next == nil && s.ring.Drained()
			if v == nil && end || !yield(v, err) || v == nil {
				return
			}
		}
	}
}
