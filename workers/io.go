package workers

import (
	"context"
	"time"

	"github.com/frameslice/frameslice/internal/atomic"
	"github.com/frameslice/frameslice/internal/dice"
	"github.com/frameslice/frameslice/internal/runqueue"
	"github.com/frameslice/frameslice/internal/where"
)

// SubmitIO runs f on a goroutine of its own, and returns its future result. It is for work that waits: a download, a
// slow disk, another process. f takes no worker and no slice, so no job and no frame waits behind it. Up to Options.IO
// functions run at once, and the others begin in the order of their submissions. A panic of f is the result's error, as
// a *PanicError, and a runtime.Goexit is ErrGoexit. Computing belongs into Submit: f has no priority, and competes with
// the frame for processors.
//
// The context ends with Future.Cancel, when f has returned, and when the pool's Close gives up. If a frame.Loop has
// made the pool, the loop's Close ends the context at once, and drops functions that have not begun. Close waits for f
// as it waits for jobs. SubmitIO may be called on any goroutine, and never blocks. It takes about 2 µs and four small
// allocations.
func SubmitIO[T any](p *Pool, f func(ctx context.Context) (T, error)) *Future[T] {
	switch {
	case p == nil:
		panic("workers: SubmitIO with a nil Pool")
	case f == nil:
		panic("workers: SubmitIO of a nil function")
	}
	u := &Future[T]{f: f}
	u.ctx.job.exec = u
	p.io.submitIO(&u.ctx.job)
	return u
}

// An ioSet bounds how many functions of SubmitIO run at once. Each has a goroutine and a place.
//
//	IO1  A place is taken by a compare-and-swap of places below the limit. The goroutine that ends hands its place to
//	     the oldest function that waits, or gives the place back. So there are never more functions than places.
//	IO2  A submission pushes its job, counts it in pushed, and then looks for a place. A goroutine that gives a place
//	     back because it has found no job has read pushed before it looked for one. Afterwards it reads pushed again.
//	     If pushed has changed, it looks once more.
//	IO3  A job leaves the state apart once: its holder of a place makes it active, Cancel ends it, or Close drops it.
//	     An entry whose job has left the state is passed over.
//	IO4  A place counts as a goroutine that runs jobs (C2), from before a job is taken until the place is given back.
//	IO5  A submission looks at the pool's state after its job is in the queue (C1), and a holder of a place looks
//	     before it begins a job. After Close, or EndContexts, no function begins.
//
// Claim: no function waits while there is a place. Suppose that a job is in the queue, and its submission has found no
// place. If the last of those places was handed on, its holder will look at the queue. If it was given back, then after
// the submission's look, and so after pushed was raised. The holder reads pushed again after that. If the value has not
// changed, the holder had read it after the submission raised it, and so has looked at a queue that had the job. A look
// at the queue finds nothing only if the oldest entry is about to be filled. That entry's submission has not raised
// pushed yet. It will look for places, and continues until there is no place or no entry. ∎
//
// Rejected: a mutex and a list, from which Cancel could take its job out. A background worker that loses its processor
// while it holds the mutex would keep the frame waiting. So the entry of a canceled job stays, with about 0.3 KiB,
// until its turn comes.
type ioSet struct {
	pool   *Pool
	begin  func(j *Job) // has j run on a goroutine of its own, which has the caller's place; set by init
	queue  runqueue.Injector[*Job]
	limit  int32
	places atomic.Int32  // taken
	pushed atomic.Uint64 // see IO2
	waits  atomic.Int64  // functions without a place
	ended  atomic.Uint64 // functions that have ended
}

func (s *ioSet) init(p *Pool, limit int) {
	s.pool = p
	s.begin = func(j *Job) { go s.runIO(j, p.delayIO(j)) }
	s.queue.Init()
	s.limit = int32(limit)
	if limit == 0 {
		s.limit = defaultIO
	}
}

// submitIO takes j, which is new.
func (s *ioSet) submitIO(j *Job) {
	p := s.pool
	j.pool, j.io = p, true
	if p.state.Load() != running {
		p.failures.refuse(j)
		return
	}
	j.set(apart)
	s.waits.Add(1)
	s.queue.Push(j)
	s.pushed.Add(1)
	s.fillPlaces()
	if p.state.Load() == gone { // IO5
		s.dropIO()
	}
}

// fillPlaces begins functions until there is no place, or no function that waits.
func (s *ioSet) fillPlaces() {
	p := s.pool
	p.callerEnters() // until no function that this call has seen waits for it
	defer p.callerLeaves()
	for {
		n := s.places.Load()
		if n >= s.limit {
			return
		}
		if !s.places.CompareAndSwap(n, n+1) { // IO1
			continue
		}
		p.callerEnters() // IO4
		seen := s.pushed.Load()
		if j := s.nextIO(); j != nil {
			s.begin(j)
			continue
		}
		s.places.Add(-1)
		p.callerLeaves()
		if s.pushed.Load() == seen { // IO2
			return
		}
	}
}

// nextIO takes the oldest function that waits, for the holder of a place. It returns nil if there is none.
func (s *ioSet) nextIO() *Job {
	for {
		j, ok := s.queue.Pop()
		if !ok {
			return nil
		}
		if !j.leaveApart(active) {
			continue // IO3
		}
		if s.pool.state.Load() != gone && s.pool.lives.pool.Err() == nil {
			return j
		}
		s.pool.failures.lose(jobItem(j)) // IO5
	}
}

// runIO runs a function, and hands its place on.
func (s *ioSet) runIO(j *Job, delay dice.Delay) {
	defer s.passPlace() // later than the end of j, also if that panics
	defer where.Enter(where.Job, s.pool).Leave()
	if delay.Begin > 0 && !s.pool.holdIO(j, delay.Begin) {
		return
	}
	returned := false
	defer func() {
		s.ended.Add(1)
		if returned {
			j.finish(nil)
		} else {
			s.pool.failures.failed(jobItem(j), recover())
		}
	}()
	j.exec.exec(nil)
	if delay.End > 0 {
		time.Sleep(delay.End)
	}
	returned = true
}

// passPlace hands a place on, or gives it back: IO1.
func (s *ioSet) passPlace() {
	seen := s.pushed.Load()
	if j := s.nextIO(); j != nil {
		s.begin(j)
		return
	}
	s.places.Add(-1)
	if s.pushed.Load() != seen { // IO2
		s.fillPlaces()
	}
	s.pool.callerLeaves()
}

// dropIO ends the functions that wait, for Close.
func (s *ioSet) dropIO() {
	s.pool.callerEnters() // C4
	defer s.pool.callerLeaves()
	for {
		j, ok := s.queue.Pop()
		if !ok {
			return
		}
		if j.leaveApart(active) {
			s.pool.failures.lose(jobItem(j))
		}
	}
}

// Blocking is Worker.Blocking for a function that has a context and no Worker: one that was passed to Submit, or to the
// Go of a Group. ctx is the function's context, or derived from it. Blocking calls fn, which is going to wait, and
// another worker takes this worker's place meanwhile. In the slice, in a browser, in SubmitIO, and on a goroutine
// of the function's own there is no worker to replace, so Blocking just calls fn. It takes some µs.
//
// Take Blocking for a short wait in the middle of a computation, such as a lock or a small file. For work that only
// waits, such as a download, take SubmitIO: the number of workers that Blocking replaces is small.
func Blocking(ctx context.Context, fn func()) {
	if fn == nil {
		panic("workers: Blocking of a nil function")
	}
	if ctx != nil {
		if p, ok := ctx.Value(poolKey{}).(*Pool); ok {
			if w := p.workerHere(); w != nil {
				w.Blocking(fn)
				return
			}
		}
	}
	fn()
}
