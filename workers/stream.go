package workers

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"sync/atomic"

	"github.com/frameslice/frameslice/deadline"
	"github.com/frameslice/frameslice/internal/mpmc"
)

// A Stream runs jobs at the same time and hands out their results in the order of submission, without copying or
// allocating. One goroutine at a time may take the results. On a frame use TryNext, which does not wait, and elsewhere
// Next or All.
type Stream[T any] struct {
	pool  *Pool
	prio  deadline.Priority
	ring  *mpmc.Queue[place[T]]
	helps atomic.Bool  // the consumer may have to run jobs: T2
	feeds atomic.Int32 // how many submitters may have to run jobs: T2

	// The consumer's.
	held *mpmc.Cell[place[T]] // the cell of the result that TryNext returned last
}

// The protocol of a Stream. A Stream is a Queue whose pushes take as long as a job. A submission claims a place (Q2).
// The end of its job sets the turn of that place to filled, and then does what Q5 asks of a push. The consumer claims
// the place when it takes the result (Q3), and gives the place back when it takes the next one. Nothing in Q1 to Q7 or
// in their proof says how long that takes, or which goroutine does it. Besides
//
//	T1  A place's job is submitted after the place has been claimed. The waiter is enlisted before that, while no
//	    other goroutine knows the job. So the waiter is called once for each submission, when the job has finished
//	    (J1). After that only two goroutines touch job or place: the one that sets the turn, and the one that takes
//	    the result.
//	T2  A consumer that may have to run jobs itself (in a job, or where there are no workers) sets helps before it
//	    enters the list of sleepers. Before it sleeps it looks at the job of the place at the head, and runs the job
//	    if the job is queued. A submitter looks at helps and the sleepers after it has submitted, and wakes a
//	    consumer. So either the consumer sees the job, or the submitter sees the consumer, which then looks again. The
//	    same holds for a submitter in a job that waits for room, with three differences. It counts itself in feeds. It
//	    looks at the jobs of all places, not only at the head. And a submission wakes all that wait for room, because
//	    not all of them help. A helper leaves the list before it runs a job, since the job may wait for another
//	    helper.
//
// Rejected: a list of Futures, which is the same with an allocation for each and no bound. A channel of channels,
// because a frame must not wait for its lock.

// A place is where a job and its result are.
type place[T any] struct {
	job    Job
	f      func(out *T) error
	waiter waiter
	val    T
	err    error
	_      [64]byte // the next place may be another worker's
}

const (
	defaultWindow = 64
	maxWindow     = 1 << 20
)

// NewStream returns a Stream whose jobs p runs, in the lane of the priority. At most window jobs may wait, run, or have
// a result to take out. A window of zero or less means 64, and more than 1<<20 panics. NewStream allocates some 310
// bytes and a T for each job of the window.
func NewStream[T any](p *Pool, prio deadline.Priority, window int) *Stream[T] {
	if window <= 0 {
		window = defaultWindow
	}
	if window > maxWindow {
		panic(fmt.Sprintf("workers: NewStream with a window of %d, more than 1<<20", window))
	}
	if p == nil {
		panic("workers: NewStream with a nil Pool")
	}
	laneOf(prio)
	s := &Stream[T]{pool: p, prio: prio, ring: mpmc.New[place[T]](window)}
	cells := s.ring.Cells()
	for i := range cells {
		c := &cells[i]
		pl := &c.Value
		pl.job.exec = pl
		pl.job.Priority = prio
		pl.waiter.f = func() { s.filled(c) }
	}
	return s
}

func (pl *place[T]) exec(*Worker) {
	pl.err = pl.f(&pl.val) // settle clears f: until then f names a panic
}

func (pl *place[T]) settle(err error) {
	pl.f = nil
	if err != nil {
		pl.err = err
	}
}

func (pl *place[T]) entry() uintptr {
	if f := pl.f; f != nil {
		return reflect.ValueOf(f).Pointer()
	}
	return 0
}

// filled is called when a place's job has finished.
func (s *Stream[T]) filled(c *mpmc.Cell[place[T]]) {
	c.Pass()
	s.ring.Tell()
}

// Close ends the intake: submissions return ErrClosed, also one that waits. All submitted jobs run, and ErrClosed
// follows the last result.
func (s *Stream[T]) Close() { s.ring.Close() }

// runIfQueued runs j on the calling goroutine if that is a good idea (Job.Wait says when), and reports whether to look
// again.
func (s *Stream[T]) runIfQueued(ctx context.Context, j *Job) bool {
	switch j.at() {
	case queued:
		return s.pool.runHere(ctx, j, 1, nil)
	case looking:
		runtime.Gosched() // J2
		return true
	}
	return false
}

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
